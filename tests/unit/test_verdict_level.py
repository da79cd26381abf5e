"""The simulation of verdicts: they are seldom false, and the page shows the committed results."""

import numpy as np
import pytest
from made_report import ROOT

from attnmt.files.csv_file import read_csv
from attnmt.scoring.claims import systems_of
from attnmt.scoring.seed_statistics import Outcome, lend
from attnmt.scoring.verdicts import judge, together, verdicts
from benchmarks import verdict_level
from benchmarks.verdict_level import (
    CASES,
    FILE,
    OWN_TEXT,
    SHAPES,
    Line,
    count_decided,
    false_verdicts,
    gains_found,
    p_values,
    plan_of,
)

RESULTS = read_csv(FILE, Line, "run: python -m benchmarks.verdict_level")
# No test with three systems can know of failures that none of their few seeds has shown.
LIMITS = {(OWN_TEXT, 3, SHAPES[-1].name)}
# A few seeds of a system that varies more than all others look too often as quiet as theirs.
LIMITS |= {("study", 3, shape.name) for shape in SHAPES if shape.one}
LIMITS |= {("study", 5, shape.name) for shape in SHAPES if shape.one and shape.ratio == 3}
LIMITS |= {(OWN_TEXT, 3, shape.name) for shape in SHAPES if shape.one and shape.ratio == 5}
LIMITS |= {("captions", 5, shape.name) for shape in SHAPES if shape.one}  # one recipe decides there


ODD = next(shape for shape in SHAPES if shape.one)


@pytest.fixture(autouse=True)
def _at_root(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("experiment", ["study", "multi30k", OWN_TEXT])
@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[1], ODD, SHAPES[-1]], ids=lambda one: one.name)
def test_the_simulation_tests_as_the_library_does(experiment, shape):
    plan, chance = plan_of(experiment), np.random.default_rng(1)
    drawn = shape.draw_studies(chance, plan.measures, len(plan.everyone), 4, 2, plan.busiest)
    found = p_values(plan, drawn)
    for study in range(2):
        for i, (recipe, claim) in enumerate(plan.claims.values()):
            at = plan.measures.index(claim.measure)
            lenders = plan.lenders(claim.measure)
            everyone = {
                name: drawn.runs(study, at, plan.everyone.index(name))
                for name in dict.fromkeys([*lenders, *systems_of(claim)])
            }
            one = judge(claim, lend(everyone, plan.systems[recipe], plan.ensembles))
            assert found[i, :, study] == pytest.approx([one.p_for, one.p_against], abs=1e-12)


def test_the_simulation_decides_as_the_library_does():
    plan, chance = plan_of("multi30k"), np.random.default_rng(2)
    drawn = SHAPES[-1].draw_studies(chance, plan.measures, len(plan.everyone), 5, 200)
    tests = p_values(plan, drawn)
    decided = alone = 0
    for study in range(200):
        outcomes = {
            at: Outcome(0, 0, 0, *tests[i, :, study], 1, 4) for i, at in enumerate(plan.claims)
        }
        words = {}
        for (key, _), one in verdicts(outcomes).items():
            words.setdefault(key, []).append(one.word)
        decided += any(together(some) != "undecided" for some in words.values())
        alone += any(word != "undecided" for some in words.values() for word in some)
    assert alone > decided > 0
    assert count_decided(plan, tests) == (decided, alone)


def test_a_claim_is_judged_by_each_recipe_that_changes_its_systems():
    claims = plan_of("study").claims
    found = {at: (recipe, claim.systems) for at, (recipe, claim) in claims.items()}
    names = ["gru_additive", "gru_additive_own", "gru_additive_adam"]
    for i, recipe in enumerate((None, "own", "adam")):
        assert found["gru_additive", i] == (recipe, [names[i]])
    assert ("table1_reverse", 1) not in claims  # the paper's rate is the best one for both systems
    assert [*plan_of("captions").systems] == [None, "adam"]  # its recipe `family` trains none


def test_systems_that_always_have_the_same_score_do_not_lend():
    plan = plan_of("captions")
    every, aer, gain = (plan.lenders(m) for m in ("bleu", "aer", "gain_by_replacement"))
    without_attention = {"base", "base_reverse", "base_reverse_dropout", "back_base_reverse"}
    assert {*every} - {*aer} == without_attention
    assert {*aer} - {*gain} == {"local_p_general_feed_bpe"}  # subwords leave no word unknown
    assert "ensemble" not in every


def test_the_simulation_can_find_false_verdicts_and_gains():
    ((false, _),) = false_verdicts(SHAPES[-1], 3, plan_of(OWN_TEXT), 200)
    assert false >= 5
    plan = plan_of("study")
    none, three, four = (one for one, _ in gains_found([0.0, 3.0, 4.0], 5, plan, 0.05, 200))
    assert none <= 10
    assert three > 150
    ((both, _),) = gains_found([3.0], 5, plan, 0.001, 200, recipes=2)
    assert 90 < both < four


def test_one_system_may_vary_more_than_all_others():
    plan = plan_of("study")
    assert plan.everyone[plan.busiest] == "base_reverse_dropout"
    chance = np.random.default_rng(1)
    drawn = ODD.draw_studies(chance, ["bleu"], 4, 200, 20, odd=2)
    found = drawn.values.std((0, 1, 3))
    assert found == pytest.approx([1, 1, ODD.ratio, 1], rel=0.1)


def test_the_committed_results_keep_the_level_for_the_claims_of_today():
    names = {shape.name for shape in SHAPES}
    levels = [line for line in RESULTS if line.what in names]
    assert len(levels) == len(CASES) * len(SHAPES)
    high = {
        (line.experiment, line.seeds, line.what)
        for line in levels
        if line.high > 0.06 or line.found > 0.05 * line.studies
    }
    assert high == LIMITS
    assert all(line.by_a_recipe >= line.found for line in levels)
    tests = {(e, len(plan_of(e).claims)) for e, _ in CASES}
    found = {(line.experiment, line.tests) for line in RESULTS}
    assert found == tests, "run: python -m benchmarks.verdict_level"


def test_the_committed_results_find_gains_at_the_strictest_level():
    found = {(line.experiment, line.seeds, line.what[:28]): line for line in RESULTS}
    for seeds, what, least in (
        (3, "a gain of 3 BLEU by one reci", 0.40),
        (5, "a gain of 3 BLEU by one reci", 0.85),
        (5, "a gain of 2 BLEU by one reci", 0.34),
        (5, "a gain of 3 BLEU by two reci", 0.65),
    ):
        line = found["study", seeds, what]
        assert line.found >= least * line.studies


def test_the_page_shows_the_committed_results(tmp_path, monkeypatch):
    copy = tmp_path / "trust.md"
    copy.write_text(verdict_level.PAGE.read_text())
    monkeypatch.setattr(verdict_level, "PAGE", copy)
    verdict_level.put_into_page()
    assert copy.read_text() == (ROOT / "docs/trust.md").read_text()
