"""The claims judged from an experiment's files: which are tested, and on which numbers."""

from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from made_report import ROOT, made_line, made_params
from real_text import read_text, spoil

from attnmt.config.claims import Claim, project_claims
from attnmt.config.trainings import SeededEnsemble
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.scoring.claim_lines import judge_claims, read_claims, write_claims
from attnmt.scoring.claims import is_testable, outcome_of
from attnmt.scoring.counts import counted, words_of, write_counts
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.score_table import ScoreKey, ScoreTable, write_score_table
from attnmt.scoring.seed_statistics import contrast, difference, squeeze_variances
from attnmt.scoring.verdicts import NOT_TESTED, all_agree, verdicts
from attnmt.text.aer import link_counts

BEST, LOCAL_M = "local_p_general_feed", "local_m_general_feed"
SYSTEMS = ("base", BEST, LOCAL_M)
LINES = 40
NUMBERS = ScoreTable([])  # no system is compared with the constant baseline
REFERENCES = read_text("demo", LINES)
BLEU = METRICS["tokenized"]
BEFORE, AFTER = (("bleu", "test1", "tokenized", at) for at in ("before", "after"))
GOLD = [[(0, 0), (1, 1)]] * LINES, [[(0, 0), (1, 1), (2, 2)]] * LINES


@pytest.fixture
def params(tmp_path, monkeypatch):
    """Three systems of three seeds and one of one seed, with what they translated."""
    monkeypatch.chdir(tmp_path)
    params = make_params(seeds=3)
    for at, name in enumerate(params.trainings):
        write_run(params, name, at)
    note = "80 sure and 99 possible gold links"
    line = made_line("diagonal", "aer", 0.5, set="test1", note=note)
    write_score_table(Layout("demo").scores("diagonal"), [line])
    return params


def make_params(seeds):
    params = made_params(*SYSTEMS, seeds=seeds)
    single = {"base_reverse": made_params("base_reverse").trainings["base_reverse"]}
    evaluation = params.evaluation.model_copy(update={"length_group": 10})
    changes = {"trainings": params.trainings | single, "evaluation": evaluation}
    return params.model_copy(update=changes)


def write_run(params, name, at):
    """Write the scores of a training and their counts: the better system has fewer wrong words.

    On the other test set it has more of them.
    """
    layout, share = Layout("demo"), 0.1 if name.startswith("local") else 0.5
    before = spoil(REFERENCES, seed=at, share=share)
    after = [line.replace("<unk>", "Haus") for line in before]
    own: dict[str, Any] = {"kind": "training", "model": name, "seed": params.trainings[name].seed}
    own |= {"family": "luong", "direction": "forward"}
    lines = [made_line(name, "bleu", 9, set=test, **own) for test in params.sets.tests]
    lines += (made_line(name, "ppl", 80.0 - at, set=test, **own) for test in params.sets.tests)
    words = np.array([len(line.split()) for line in REFERENCES])
    arrays = {words_of(test): words for test in params.sets.tests}
    there = spoil(REFERENCES, seed=50 + at, share=max(0.05, 0.6 - share))
    texts = [(before, BEFORE), (after, AFTER)]
    texts += ((there, (key[0], "test2", *key[2:])) for key in (BEFORE, AFTER))
    for text, key in texts:
        of_key = dict(zip(("set", "script", "replacement"), key[1:], strict=True))
        lines.append(made_line(name, "bleu", 9, **of_key, **own))
        arrays[counted(lines[-1])] = BLEU.counts(text, References(REFERENCES))
    # One line in five is all wrong, but for local-p.
    right = ["local_p" in name or bool((line + at) % 5) for line in range(LINES)]
    made = [[(0, 0), (1, 1)] if one else [(0, 1), (1, 0)] for one in right]
    lines.append(made_line(name, "aer", 0.1, set="test1", **own))
    arrays[counted(lines[-1])] = link_counts(made, *GOLD)
    write_score_table(layout.scores(name), lines)
    write_counts(layout.counts(name), arrays)
    steps = (100, 200, 300, 400, 500)[: 4 if name == BEST else 5]
    costs = [f"{step},9,{at + 1000 / step:.4f},{1000 / step:.4f}" for step in steps]
    write_lines(layout.model(name) / "history.csv", ["step,x,test1_cost,test2_cost", *costs])


def texts_of(params, name, replaced=False):
    """Return what the runs of a system translated."""
    numbers = {run: at for at, run in enumerate(params.trainings)}
    texts = [spoil(REFERENCES, seed=numbers[run], share=0.1) for run in params.runs_of(name)]
    return [[line.replace("<unk>", "Haus") if replaced else line for line in t] for t in texts]


def claim_of(**changes):
    values = {"claim": "A is more.", "where": "Table 1", "measure": "bleu", "systems": [BEST]}
    return Claim(**values | {"over": ["base"], "sign": "greater"} | changes)


def found_of(params, claim):
    return outcome_of(ExperimentScores(params), claim, claim.sides[0])


def can_test(params, **changes):
    claim = claim_of(**changes)
    return is_testable(ExperimentScores(params), claim, claim.sides[0])


def bleu_of(lines, references):
    return BLEU.value(BLEU.counts(lines, References(references)))


def test_bleu_is_that_of_every_seeds_translations(params):
    study = ExperimentScores(params)
    runs = study.runs(ScoreKey(BEST, *BEFORE))
    expected = [bleu_of(lines, REFERENCES) for lines in texts_of(params, BEST)]
    assert runs.values == pytest.approx(expected, abs=1e-3)
    assert runs.influences.shape == (3, LINES)
    everyone = {name: study.runs(ScoreKey(name, *BEFORE)) for name in SYSTEMS}
    lent = squeeze_variances(everyone, dict.fromkeys(SYSTEMS, "sgd"))
    found, tested = difference(lent[BEST], lent["base"]), found_of(params, claim_of())
    assert found.value > 0  # the better system is the first
    assert (tested.value, tested.low) == pytest.approx((found.value, found.interval()[0]))


def test_a_gain_by_replacement_takes_both_texts_of_one_training(params):
    before, after = (ExperimentScores(params).runs(ScoreKey(BEST, *key)) for key in (BEFORE, AFTER))
    assert after.mean > before.mean
    tested = found_of(params, claim_of(measure="gain_by_replacement", over=None))
    assert tested.value == pytest.approx(contrast([after.minus(before)], [1]).value)
    replaced = found_of(params, claim_of(measure="bleu_replaced", over=None))
    assert replaced.value == pytest.approx(after.mean)


def test_error_rates_say_whose_links_they_count(params):
    claims = {
        "aer": claim_of(measure="aer", over=[LOCAL_M], sign="less"),
        "bleu": claim_of(),
    }
    aer, bleu = judge_claims(ExperimentScores(params), NUMBERS, claims)
    assert aer.ours == pytest.approx(-1 / 5)
    assert (aer.links, bleu.links) == ("gold", None)


def test_perplexity_and_costs_are_those_of_the_trainings(params):
    numbers = {name: at for at, name in enumerate(params.trainings)}
    mean = {name: sum(numbers[run] for run in params.runs_of(name)) / 3 for name in (BEST, "base")}
    perplexity = found_of(params, claim_of(measure="perplexity"))
    assert perplexity.value == pytest.approx(mean["base"] - mean[BEST])
    early = found_of(params, claim_of(measure="early_cost", over=None))
    assert early.value == pytest.approx(mean[BEST] + 1000 / 100)  # the first of four evaluations
    # The shortest curve ends at step 400, so all costs are those at this step.
    final = found_of(params, claim_of(measure="final_cost", over=None))
    assert final.value == pytest.approx(mean[BEST] + 1000 / 400)


def test_the_slope_is_that_of_groups_by_length(params):
    tested = found_of(params, claim_of(measure="length_slope", over=None, bound=-1.0))
    words = np.array([len(line.split()) for line in REFERENCES])
    order = np.argsort(words, kind="stable").reshape(4, 10)
    groups = [
        [bleu_of([lines[i] for i in group], [REFERENCES[i] for i in group]) for group in order]
        for lines in texts_of(params, BEST, replaced=True)
    ]
    means = words[order].mean(1)
    assert tested.value == pytest.approx(np.polyfit(means, np.mean(groups, 0), 1)[0], abs=1e-3)


def test_claims_need_three_seeds_of_every_system(params):
    assert can_test(params)
    assert not can_test(make_params(seeds=2))
    assert not can_test(params, over=["base_reverse"])  # one seed
    assert not can_test(params, over=["global_location"])  # not trained
    assert not can_test(params, compare="paired", over=["base"])  # no shared training
    assert not can_test(params, measure="aer")  # base has no links
    assert can_test(params, measure="aer", over=[LOCAL_M])


def test_ensembles_are_tested_by_what_they_have_and_apart_from_their_members(params):
    both = {
        f"both{end}": SeededEnsemble(
            system_name="both", seed=seed, family="luong", members=[BEST + end, LOCAL_M + end]
        )
        for seed, end in enumerate(("", "_2", "_3"), start=1)
    }
    params = params.model_copy(update={"ensembles": both})
    assert not can_test(params, measure="perplexity", systems=["both"])
    assert not can_test(params, systems=["both"], over=[BEST])  # they share trainings
    assert can_test(params, systems=["both"], over=[BEST], compare="paired")


def test_the_file_has_size_interval_seeds_and_verdict_of_every_claim(params):
    claims = {
        "right": claim_of(size=2.8),
        "wrong": claim_of(claim="A is less.", sign="less", size=-0.5),
        "there": claim_of(test=2),
        "unclear": claim_of(claim="B is more.", over=[LOCAL_M], measure="bleu_replaced"),
        "untested": claim_of(claim="C is more.", over=["base_reverse"], size=1.3),
    }
    further = params.sets.model_copy(update={"tests": ["test1", "test2", "test3"]})
    study = ExperimentScores(params.model_copy(update={"sets": further}))
    write_claims(params, judge_claims(study, NUMBERS, claims))
    right, wrong, there, unclear, untested = lines = read_claims("demo")
    words = ["confirmed", "refuted", "refuted", "undecided", NOT_TESTED]
    assert [one.verdict for one in lines] == words
    assert (there.set, right.set) == ("test2", "test1")
    assert right.ours == wrong.ours
    assert 0 < right.low < right.ours < right.high
    assert (right.paper, right.seeds, right.variants) == (2.8, "3", None)
    # All claims are judged together.
    del claims["untested"]
    expected = verdicts({key: found_of(params, claim) for key, claim in claims.items()})
    found = [one.p_holm for one in (right, wrong, there, unclear)]
    assert found == pytest.approx([one.adjusted for one in expected.values()], rel=1e-4)
    assert (untested.ours, untested.p_holm, untested.seeds, untested.paper) == (None,) * 3 + (1.3,)


def test_a_claim_is_decided_if_all_variants_that_are_trained_agree(params):
    """Over base the claim is right, and over the like system nothing is found."""
    sides = {
        "base": {"systems": [BEST], "over": ["base"]},
        "like": {"systems": [BEST], "over": [LOCAL_M]},
        "untrained": {"systems": [BEST], "over": ["global_location"]},
    }

    def judged(*names):
        variants = [sides[name] for name in names]
        claim = claim_of(systems=None, over=None, variants=variants)
        return judge_claims(ExperimentScores(params), NUMBERS, {"a": claim})

    (both,) = judged("base", "like")
    (one,) = judged("base", "untrained")
    assert (both.verdict, both.variants, both.over) == ("undecided", "2 of 2", f"base / {LOCAL_M}")
    assert (one.verdict, one.variants) == ("confirmed", "1 of 2")
    outcomes = [found_of(params, claim_of(over=[name])) for name in ("base", LOCAL_M)]
    assert both.p == pytest.approx(all_agree(outcomes).p, rel=1e-5)
    assert judged("untrained", "untrained") == []


def test_systems_below_the_constant_baseline_have_no_verdict_and_other_claims_less_control(params):
    key = {"set": "test1", "script": "tokenized"}
    numbers = [
        made_line(name, "bleu", value, 1.0, replacement="after", family="luong", **key)
        for name, value in ((BEST, 9.0), (LOCAL_M, 5.0))
    ]
    numbers += [made_line("base", "bleu", 9.0, 1.0, replacement="before", family="luong", **key)]
    numbers += [made_line("constant", "bleu", 5.0, direction="forward", **key)]
    variants = [{"systems": [BEST], "over": [other]} for other in ("base", LOCAL_M)]
    claims = {"high": claim_of(), "low": claim_of(over=[LOCAL_M])}
    claims["one low"] = claim_of(systems=None, over=None, variants=variants)
    each, (high, *low) = (
        judge_claims(ExperimentScores(params), ScoreTable(lines), claims) for lines in ([], numbers)
    )
    assert (high.verdict, high.p_holm) == ("confirmed", each[0].p)
    assert [(one.verdict, one.p_holm) for one in low] == [("below baseline", None)] * 2


def test_one_seed_judges_no_claim_and_every_claim_of_the_project_has_a_line(params):
    claimed = project_claims(ROOT)
    assert judge_claims(ExperimentScores(make_params(seeds=1)), NUMBERS, claimed) == []
    lines = judge_claims(ExperimentScores(params), NUMBERS, claimed)
    assert [one.key for one in lines] == list(claimed)
    assert {one.key for one in lines if one.verdict != NOT_TESTED} == {"figure6_no_loss"}


def test_a_damaged_learning_curve_is_named(params):
    path = Layout("demo").model("base_2") / "history.csv"
    path.write_text("step,test1_cost\n100,x\n")
    with pytest.raises(InputError, match=r"base_2/history\.csv:2: not numbers"):
        found_of(params, claim_of(measure="final_cost"))


def test_counts_have_the_same_bytes_in_every_version_of_python(tmp_path):
    """So they must be those that were found when this test was written."""
    write_counts(tmp_path / "a.npz", {"bleu test1": np.arange(6).reshape(2, 3)})
    assert sha256((tmp_path / "a.npz").read_bytes()).hexdigest()[:16] == "43ffdd4daf782b96"
