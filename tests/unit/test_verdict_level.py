"""The simulation of verdicts: they are seldom false, and the page shows the committed results."""

import pytest
from made_report import ROOT

from attnmt.files.csv_file import read_csv
from benchmarks import verdict_level
from benchmarks.verdict_level import (
    CASES,
    FILE,
    SHAPES,
    Line,
    claims_to_judge,
    false_verdicts,
    gains_found,
)

RESULTS = read_csv(FILE, Line, "run: python -m benchmarks.verdict_level")
LIMITS = {shape.name for shape in SHAPES if "20 sd" in shape.name}  # no test keeps its level there


@pytest.fixture(autouse=True)
def _at_root(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("seeds", [3, 10])
def test_studies_of_equal_systems_rarely_have_a_verdict(seeds):
    assert false_verdicts(SHAPES[0], seeds, claims_to_judge("study"), 60) <= 3


def test_a_claim_is_judged_by_each_recipe_that_changes_its_systems():
    claims = claims_to_judge("study")
    assert [claim.systems for claim in claims["gru_additive"]] == [
        ["gru_additive"],
        ["gru_additive_own"],
        ["gru_additive_adam"],
    ]
    assert len(claims["table1_reverse"]) == 1  # the paper's rate is the best one for both systems


def test_the_simulation_can_find_false_verdicts_and_gains():
    assert false_verdicts(SHAPES[-1], 10, claims_to_judge("study"), 60) >= 3
    assert gains_found(0.0, 5, 0.05, 200) <= 10
    assert gains_found(3.0, 5, 0.05, 200) > 150
    by_one, by_two = (gains_found(4.0, 5, 0.01, 200, recipes) for recipes in (1, 2))
    assert 100 < by_two < by_one


def test_the_committed_results_keep_the_level_for_the_claims_of_today():
    levels = [line for line in RESULTS if line.what in {shape.name for shape in SHAPES} - LIMITS]
    assert len(levels) == len(CASES) * (len(SHAPES) - len(LIMITS))
    assert all(line.high <= 0.06 and line.found <= 0.05 * line.studies for line in levels)
    tests = {(e, sum(map(len, claims_to_judge(e).values()))) for e in ("study", "multi30k")}
    found = {(line.experiment, line.tests) for line in RESULTS}
    assert found == tests, "run: python -m benchmarks.verdict_level"


def test_the_page_shows_the_committed_results(tmp_path, monkeypatch):
    copy = tmp_path / "results.md"
    copy.write_text(verdict_level.PAGE.read_text())
    monkeypatch.setattr(verdict_level, "PAGE", copy)
    verdict_level.put_into_page()
    assert copy.read_text() == (ROOT / "docs/results.md").read_text()
