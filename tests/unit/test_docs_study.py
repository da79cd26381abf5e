"""What docs/results.md says of the study is what the study's tables say."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "reports/study/tables"


@pytest.fixture
def text() -> str:
    """Return the section, with each line break and indent as one space."""
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    section = page.partition("### What the study found")[2].partition("\n## ")[0]
    return " ".join(section.split())


def rows(table: str) -> list[dict[str, str]]:
    with (TABLES / f"{table}.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_verdicts_are_counted_as_in_the_table(text: str) -> None:
    claims = rows("claims")
    counts = Counter(row["verdict"] for row in claims)
    assert (
        f"Of {len(claims)} claims, {counts['confirmed']} are confirmed, {counts['refuted']} refuted and "
        f"{counts['undecided']} undecided."
    ) in text
    caption = (TABLES / "claims.md").read_text(encoding="utf-8").splitlines()[0]
    assert f"1 of {len(claims)} claims have two different verdicts; 0 of them" in caption


def test_the_numbers_of_the_systems_that_decide_are_those_of_the_table(text: str) -> None:
    by_label = {row["system"]: row for row in rows("table_decides") if row["question"]}
    score = by_label["global (general) + feed"]
    assert f"gives {float(score['gain']):.1f} BLEU" in text
    window = next(
        row
        for row in rows("table_decides")
        if row["question"] == "And what does the local window give alone?"
    )
    assert f"The local window alone gives {float(window['gain']):.1f}." in text
    seeds = next(r for r in rows("table_decides") if r["system"].startswith("Ensemble of 8 seeds"))
    mixed = next(r for r in rows("table_decides") if r["system"] == "Ensemble of 8 models")
    assert f"({float(seeds['bleu']):.1f} BLEU)" in text
    assert f"eight different models ({float(mixed['bleu']):.1f})" in text
    wrong = by_label["global (general) + feed, wrong gradient"]
    assert re.search(r"costs about (\d) BLEU", text)[1] == f"{-float(wrong['gain']):.0f}"
