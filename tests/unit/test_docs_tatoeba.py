"""What docs/results.md says of Tatoeba is what the reports say."""

import pytest
from results_page import ROOT, rows, section

from attnmt.files.text_file import read_json

EXPERIMENTS = ("tatoeba-10k", "tatoeba-50k", "tatoeba-160k")


@pytest.fixture
def text() -> str:
    return section("Gains with more text")


def gains(experiment: str) -> dict[str, float]:
    """Return the gains of Table 1 before unknown words are replaced, by the name of the model."""
    table = rows(experiment, "tables/table1")
    return {
        row["model"]: float(row["gain"])
        for row in table
        if row["gain"] and "unk" not in row["system"]
    }


def test_the_gains_that_are_named_are_those_of_the_tables(text: str) -> None:
    by_size = [gains(experiment) for experiment in EXPERIMENTS]
    attention = [one["global_location"] for one in by_size]
    small, middle, large = attention
    assert f"with 50,000 pairs: {small:.1f} BLEU, then {middle:.1f}, then {large:.1f}." in text
    assert middle == max(attention)
    small, middle, large = (one["global_location_feed"] for one in by_size)
    assert f"lowers it with more: {small:+.1f}, then {middle:.1f}, then {large:.1f}." in text


def test_what_dropout_changes_may_be_chance(text: str) -> None:
    found = [
        row
        for experiment in EXPERIMENTS
        for row in rows(experiment, "tables/table1")
        if row["model"] == "base_reverse_dropout"
    ]
    assert len(found) == 3
    assert "Dropout lowers BLEU by 0.3 or less" in text
    assert all(-0.3 <= float(row["gain"]) < 0 for row in found)
    assert "p is above 0.67 with each amount" in text
    assert all(float(row["p"]) > 0.67 for row in found)


def test_the_steps_and_the_machines_are_those_of_the_trainings(text: str) -> None:
    steps, devices = [], []
    for experiment in EXPERIMENTS:
        table = [row for row in rows(experiment, "cost/table_cost") if row["stage"] == "train"]
        ((taken, device),) = {(f"{int(row['steps']):,}", row["device"]) for row in table}
        steps.append(taken)
        devices.append(device)
    assert f"{steps[0]}, {steps[1]} and {steps[2]}." in text
    assert [device.split()[0] for device in devices] == ["AMD", "AMD", "AMD"]
    assert "All three were trained on AMD EPYC processors." in text


@pytest.mark.parametrize(
    ("experiment", "most"), list(zip(EXPERIMENTS, (1.3, 2.4, 3.1), strict=True))
)
def test_no_model_reaches_more_on_news(text: str, experiment: str, most: float) -> None:
    scores = [read_json(path) for path in ROOT.glob(f"reports/{experiment}/metrics/*.json")]
    assert len(scores) == 6
    news = ("newstest2013", "newstest2014")
    reached = max(one[name]["bleu_unk"] for one in scores for name in news)
    assert most - 0.1 < reached <= most
    assert f"{most}" in text
