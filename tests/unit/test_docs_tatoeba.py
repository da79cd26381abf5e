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
    small, middle, large = map(gains, EXPERIMENTS)
    first, second, third = (f"{one['global_location']:.1f}" for one in (small, middle, large))
    assert f"with 50,000 pairs: {first} BLEU, then {second}, then {third}." in text
    assert float(second) > max(float(first), float(third))
    assert min(small.values()) > 0
    for larger in (middle, large):
        assert {step for step, gain in larger.items() if gain < 0} == {
            "base_reverse_dropout",
            "global_location_feed",
        }


def test_the_steps_and_the_machines_are_those_of_the_trainings(text: str) -> None:
    steps, devices = [], []
    for experiment in EXPERIMENTS:
        table = [row for row in rows(experiment, "cost/table_cost") if row["stage"] == "train"]
        ((taken, device),) = {(f"{int(row['steps']):,}", row["device"]) for row in table}
        steps.append(taken)
        devices.append(device)
    assert f"{steps[0]}, {steps[1]} and {steps[2]}." in text
    assert [device.split()[0] for device in devices] == ["Intel(R)", "Intel(R)", "AMD"]


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
