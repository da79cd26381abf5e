"""What docs/results.md says of Multi30k's captions is what the report says."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from attnmt.files.text_file import read_text

ROOT = Path(__file__).parents[2]


@pytest.fixture
def text() -> str:
    """Return the section, with each line break and indent as one space."""
    page = read_text(ROOT / "docs/results.md", "utf-8")
    section = page.partition("### What real captions say")[2].partition("\n### ")[0]
    return " ".join(section.split())


def rows(experiment: str, table: str) -> list[dict[str, str]]:
    file = ROOT / f"reports/{experiment}/tables/{table}.csv"
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_verdicts_are_counted_as_in_the_table(text: str) -> None:
    claims = rows("multi30k", "claims")
    counts = Counter(row["verdict"] for row in claims)
    assert (
        f"Of {len(claims)} claims, {counts['confirmed']} are confirmed, {counts['refuted']} refuted and "
        f"{counts['undecided']} undecided."
    ) in text


def test_verdicts_that_agree_with_the_study_are_counted(text: str) -> None:
    study = {row["key"]: row["verdict"] for row in rows("study", "claims")}
    ours = {row["key"]: row["verdict"] for row in rows("multi30k", "claims")}
    assert study.keys() == ours.keys()
    pairs = Counter((study[key], verdict) for key, verdict in ours.items())
    confirmed, refuted = pairs["confirmed", "confirmed"], pairs["refuted", "refuted"]
    assert f"{confirmed} claims are confirmed in both experiments" in text
    assert f"{refuted} are refuted in both" in text
    opposite = pairs["confirmed", "refuted"] + pairs["refuted", "confirmed"]
    assert f"{opposite} get opposite verdicts" in text


def test_no_system_is_nearer_to_the_links_than_the_diagonal(text: str) -> None:
    table = [row for row in rows("multi30k", "table6") if row["aer"]]
    (diagonal,) = (float(row["aer"]) for row in table if row["system"].startswith("diagonal"))
    assert f"a rate of {diagonal:.2f}" in text
    models = [row for row in table if row["aer_same"]]
    assert len(models) == 4
    assert all(min(float(row["aer_same"]), float(row["aer_next"])) > diagonal for row in models)


def test_no_gain_of_dropout_or_input_feeding_is_decided() -> None:
    verdicts = {row["key"]: row["verdict"] for row in rows("multi30k", "claims")}
    assert verdicts["table1_dropout"] == "undecided"
    assert {verdict for key, verdict in verdicts.items() if key.endswith("_feeding")} == {
        "undecided"
    }


def test_the_rates_on_hand_made_links_are_those_of_the_file(text: str) -> None:
    file = ROOT / "reports/multi30k/hand_aligned.csv"
    with file.open(newline="", encoding="utf-8") as stream:
        rates = {row["system"]: float(row["aer"]) for row in csv.DictReader(stream)}
    assert f"the ensemble has an AER of {rates['ensemble']:.2f}" in text
    words = {name: rate for name, rate in rates.items() if not name.endswith("_bpe")}
    papers = [rate for name, rate in words.items() if name.startswith(("global_", "local_"))]
    assert f"is below {min(papers):.2f}" in text
