"""What docs/results.md says of the study is what the study's tables say."""

import re

import pytest
from results_page import count_of_verdicts, rows, section


@pytest.fixture
def text() -> str:
    return section("What the study found")


def test_verdicts_are_counted_as_in_the_table(text: str) -> None:
    assert count_of_verdicts("study") in text
    refuted = [row for row in rows("study", "claims") if row["verdict"] == "refuted"]
    assert [row["halves"] for row in refuted].count(
        "undecided"
    ) == 4  # "Four of the refuted claims"
    assert "Four of the refuted claims are undecided in both halves" in text
    halves = [set(row["halves"].split(", ")) for row in rows("study", "claims")]
    assert [len(words) for words in halves].count(2) == 1
    assert not any({"confirmed", "refuted"} <= words for words in halves)
    assert "The two halves differ on 1 claim, and no claim gets opposite verdicts." in text


def test_the_numbers_of_the_systems_that_decide_are_those_of_the_table(text: str) -> None:
    table = rows("study", "tables/table_decides")
    by_label = {row["system"]: row for row in table if row["question"]}
    score = by_label["global (general) + feed"]
    assert f"to general, raises BLEU by {float(score['gain']):.1f}." in text
    window = next(
        row for row in table if row["question"] == "And what does the local window give alone?"
    )
    assert f"to local, changes it by {float(window['gain']):.1f}, which may be chance." in text
    assert window["verdict"] == "within noise"
    seeds = next(r for r in table if r["system"].startswith("Ensemble of 8 seeds"))
    mixed = next(r for r in table if r["system"] == "Ensemble of 8 models")
    assert f"general score has {float(seeds['bleu']):.1f} BLEU" in text
    assert f"eight different models have {float(mixed['bleu']):.1f} on average" in text
    wrong = by_label["global (general) + feed, wrong gradient"]
    assert re.search(r"costs about (\d) BLEU", text)[1] == f"{-float(wrong['gain']):.0f}"
