"""What docs/results.md says of Tatoeba is what the reports say."""

import csv
from pathlib import Path

import pytest

from attnmt.files.text_file import read_json, read_text

ROOT = Path(__file__).parents[2]


@pytest.fixture
def text() -> str:
    """Return the section, with each line break as one space."""
    page = read_text(ROOT / "docs/results.md", "utf-8")
    section = page.partition("### How gains grow with the text")[2].partition("\n## ")[0]
    return " ".join(section.split())


def gains(experiment: str) -> dict[str, float]:
    """Return the gains of Table 1 before unknown words are replaced, by the name of the model."""
    table = ROOT / f"reports/{experiment}/tables/table1.csv"
    with table.open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["gain"] and "unk" not in row["system"]]
    return {row["model"]: float(row["gain"]) for row in rows}


def test_the_gains_that_are_named_are_those_of_the_tables(text: str) -> None:
    small, large = gains("tatoeba-10k"), gains("tatoeba-50k")
    attention = "global_location"
    assert f"{small[attention]:.1f} BLEU and then {large[attention]:.1f}." in text
    assert min(small.values()) > 0
    assert {step for step, gain in large.items() if gain < 0} == {
        "base_reverse_dropout",
        "global_location_feed",
    }


@pytest.mark.parametrize(("experiment", "most"), [("tatoeba-10k", 1.3), ("tatoeba-50k", 2.4)])
def test_no_model_reaches_more_on_news(text: str, experiment: str, most: float) -> None:
    scores = [read_json(path) for path in ROOT.glob(f"reports/{experiment}/metrics/*.json")]
    assert len(scores) == 6
    news = ("newstest2013", "newstest2014")
    reached = max(one[name]["bleu_unk"] for one in scores for name in news)
    assert most - 0.1 < reached <= most
    assert f"{most}" in text
