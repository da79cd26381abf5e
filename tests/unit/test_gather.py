"""All numbers of an experiment: those of its files, means over seeds, gains tested on the outputs."""

import shutil
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from made_report import of_own_text
from made_scores import change_cells, make_scored
from small_project import load_stage

from attnmt.config import ALIGNER, DIAGONAL
from attnmt.corpora.links import flipped, read_links
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.scoring.claim_lines import read_claims
from attnmt.scoring.comparisons import comparisons
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.gather import gather
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.score_table import (
    read_score_table,
)
from attnmt.scoring.seed_statistics import (
    Runs,
    contrast,
    difference,
    prediction,
    squeeze_variances,
)
from attnmt.scoring.significance import compare
from attnmt.text.aer import aer, link_counts, rates

LAYOUT = Layout("demo")


def close(expected):
    return pytest.approx(expected, abs=1e-6)  # gathered numbers are rounded


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Make the small scored experiment and stay in its folder; return parameters and numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("scored"))
        params = make_scored()
        yield params, gather(ExperimentScores(params))


@pytest.fixture
def copied(scored, tmp_path, monkeypatch):
    """Change into a copy of the experiment, which a test may damage; return its parameters."""
    shutil.copytree(".", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return scored[0]


def bleu(numbers, system, replacement="before"):
    return numbers.system(system, "bleu", "test", "tokenized", replacement)


def output(name, replacement="before"):
    end = "out" if replacement == "before" else "replaced"
    return read_lines(LAYOUT.translations(name) / f"test.{end}", may_be_blank=True)


def references():
    return References(read_lines(LAYOUT.tokens / "test.de"))


def gold():
    return read_links(LAYOUT.tokens / "test.links")


def links(name):
    lines = read_links(LAYOUT.translations(name) / "test.forced.links")
    return [flipped(line.sure) if name == "back" else line.sure for line in lines]


def runs(params, system, replacement="before"):
    """Score the seeds of a system, straight from the files of their translations."""
    texts = [output(name, replacement) for name in params.runs_of(system)]
    metric = METRICS["tokenized"]
    return Runs.measured(
        np.array([metric.counts(text, references()) for text in texts]), metric.scores
    )


def link_counts_of(made):
    return link_counts(made, [line.sure for line in gold()], [line.possible for line in gold()])


def lent(params, score, *more):
    """Let the systems with several seeds lend to each other and to their ensemble."""
    several = [name for name in params.systems_and_ensembles if len(params.runs_of(name)) > 1]
    scored = {name: score(params, name, *more) for name in several}
    return squeeze_variances(scored, dict.fromkeys(several, "sgd"), params.ensembles)


def link_runs(params, system):
    seeds = [link_counts_of(links(name)) for name in params.runs_of(system)]
    return Runs.measured(np.array(seeds), rates)


def check(gain, ours, other, tested):
    """Compare a gain with the difference of two numbers, and with a test called directly."""
    # A file of scores keeps four decimals.
    assert gain.value == pytest.approx(ours.value - other.value, abs=1e-4)
    assert (gain.p, gain.low, gain.high) == close((tested.p, tested.low, tested.high))
    assert gain.trainings == min(ours.trainings or 1, other.trainings or 1)


def test_what_a_training_cost_is_there(copied):
    numbers = gather(ExperimentScores(copied))
    # 2 embeddings and W_s have 100 x 96; 2 layers have 4 x 96 x 192, and W_c has 96 x 192
    expected = {"parameters": 3 * 9_600 + 9 * 18_432, "steps": 20, "target_words": 1500}
    expected |= {"epochs": 2}
    for metric, value in expected.items():
        assert numbers.training("dot_2", metric).value == value
    assert numbers.training("dot_2", "ppl", "dev").value == 9.5


def test_over_several_seeds_numbers_are_means_with_their_deviation(scored):
    (params, numbers), system = scored, "dot"
    trained = [
        [line for line in numbers.lines if line.model == name] for name in params.runs_of(system)
    ]
    own = [line for line in numbers.lines if (line.system, line.source) == (system, "ours")]
    means = [line for line in own if line.kind == "system"]
    assert len(means) > 20
    for line, *seeds in zip(means, *trained, strict=True):
        values = [one.value for one in seeds]
        assert (line.value, line.sd) == close((mean(values), stdev(values)))
        assert (line.trainings, line.seed, line.model) == (3, None, None)


def test_an_interval_over_seeds_holds_for_a_new_training(scored):
    params, numbers = scored
    line = bleu(numbers, "dot")
    assert (line.low, line.high) == close(prediction(runs(params, "dot")))
    for metric in ("ppl", "unknown"):  # what single sentences add to these is unknown
        line = numbers.system("dot", metric, "test")
        assert (line.low, line.high) == (None, None)


def test_two_trainings_are_compared_over_sentences(scored):
    ours, other = bleu(scored[1], "base_reverse"), bleu(scored[1], "base")
    metric = METRICS["tokenized"]
    texts = [output("base_reverse"), output("base")]
    tested = compare(*(metric.counts(text, references()) for text in texts), metric.scores, 100)
    check(scored[1].gain(ours, other), ours, other, tested)


def test_questions_are_answered_over_seeds_and_sentences(scored):
    params = of_own_text(scored[0])
    numbers = gather(ExperimentScores(params))
    found = {(one.gain.system, one.gain.over): one for one in comparisons(params, numbers)}
    answer = found["dot", "location"]
    after = lent(params, runs, "after")
    tested = difference(after["dot"], after["location"])
    p = tested.test("greater").p
    assert (answer.gain.p, answer.gain.value) == close((p, tested.value))
    tests = {pair: one for pair, one in found.items() if one.p_holm is not None}
    assert len(tests) == 4
    ranked = sorted(one.gain.p for one in tests.values())
    before = (min(1, (4 - i) * q) for i, q in enumerate(ranked) if q <= answer.gain.p)
    assert answer.p_holm == close(max(before))
    assert found["dot", "base_reverse"].word == "not tested"  # which has one seed


def test_several_seeds_are_compared_over_seeds_and_sentences(scored):
    params, numbers = scored
    ours, other = bleu(numbers, "dot"), bleu(numbers, "location")
    before, by_links = lent(params, runs), lent(params, link_runs)
    tested = difference(before["dot"], before["location"]).test("greater")
    check(numbers.gain(ours, other), ours, other, tested)
    ours, other = (numbers.system(name, "aer", "test") for name in ("dot", "location"))
    tested = difference(by_links["dot"], by_links["location"]).test("greater")
    check(numbers.gain(ours, other), ours, other, tested)


@pytest.mark.parametrize(
    ("one", "two"),
    [(("dot", "after"), ("dot", "before")), (("both", "after"), ("dot", "after"))],
    ids=["replacement", "ensemble and member"],
)
def test_numbers_of_the_same_trainings_are_compared_seed_by_seed(scored, one, two):
    params, numbers = scored
    ours, other = bleu(numbers, *one), bleu(numbers, *two)
    if one[0] == two[0]:  # the gains by replacement of all systems lend
        gains = lent(
            params, lambda params, name: runs(params, name, one[1]).minus(runs(params, name))
        )
        runs_of_gain = gains[one[0]]
    else:
        after = lent(params, runs, "after")
        runs_of_gain = after[one[0]].minus(after[two[0]])
    tested = contrast([runs_of_gain], [1]).test("greater")
    check(numbers.gain(ours, other), ours, other, tested)


def test_numbers_that_were_measured_against_other_references_are_not_compared(copied):
    other = {"reference": "0123456789ab"}
    change_cells(LAYOUT.scores("base"), other, lambda row: row["metric"] == "bleu")
    with pytest.raises(InputError, match=r"demo/base_reverse.csv and scores/demo/base.csv: bleu"):
        gather(ExperimentScores(copied))


def test_one_training_against_several_has_no_p(scored):
    numbers = scored[1]
    ours, over = bleu(numbers, "location"), bleu(numbers, "base")
    line = numbers.gain(ours, over)
    assert line.value == close(ours.value - over.value)
    assert (line.p, line.low, line.high, line.trainings) == (None, None, None, 1)


def test_the_aligner_and_the_diagonal_are_scored_and_tested_on_their_links(scored):
    numbers = scored[1]
    sides = [read_lines(LAYOUT.tokens / f"test.{code}") for code in ("en", "de")]
    words = [[len(line.split()) for line in pair] for pair in zip(*sides, strict=True)]
    made = {ALIGNER: [line.sure for line in read_links(LAYOUT.dictionary / "test.links")]}
    made[DIAGONAL] = [[(min(j, n - 1), j) for j in range(m)] for n, m in words]
    sure, possible = [line.sure for line in gold()], [line.possible for line in gold()]
    for name, own in made.items():
        line = numbers.system(name, "aer", "test")
        assert line.value == close(aer(own, sure, possible))
        assert line.low < line.value < line.high


def test_the_stage_writes_the_numbers_and_the_claims(copied, scored):
    claim = "{claim: It is better., where: Table 1, measure: bleu, systems: [dot], over: [general]"
    Path("claims.yaml").write_text(f"claims:\n  one: {claim}, sign: greater}}\n")
    found = []
    for _ in range(2):
        load_stage("gather").main(Path("params.yaml"))
        found.append({path: path.read_bytes() for path in Path("reports/demo").iterdir()})
    assert found[0] == found[1]
    assert read_score_table("demo").lines == scored[1].lines
    estimate = difference(runs(copied, "dot"), runs(copied, "general"))
    assert [line.ours for line in read_claims("demo")] == [close(estimate.value)]
