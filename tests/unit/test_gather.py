"""All numbers of an experiment: those of its files, means over seeds, gains tested on the outputs."""

import shutil
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from made_report import of_own_text, with_rows
from made_scores import (
    COMMIT,
    OTHER_COMMIT,
    change_cells,
    make_scored,
    write_aligner,
    write_training,
)
from small_project import load_stage

from attnmt.config import ALIGNER, DIAGONAL
from attnmt.corpora.links import flipped, read_links
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, read_lines, write_lines
from attnmt.layout import Layout
from attnmt.scoring import gather as library
from attnmt.scoring.aer import aer, link_counts, rates
from attnmt.scoring.claim_lines import read_claims
from attnmt.scoring.evaluate import evaluate
from attnmt.scoring.gather import gather, short_commits
from attnmt.scoring.limits import BEYOND, WIDE
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.numbers import OURS, Key, keys_of, metrics, read_numbers, read_scores
from attnmt.scoring.published import published_lines
from attnmt.scoring.questions import answers, asked
from attnmt.scoring.ranking import best_systems
from attnmt.scoring.seed_statistics import (
    Runs,
    contrast,
    detectable,
    difference,
    lend,
    prediction,
)
from attnmt.scoring.significance import compare
from attnmt.scoring.study import Study

LAYOUT = Layout("demo")
COMMITS = "89abcdef0123-dirty, 0123456789ab"


def close(expected):
    return pytest.approx(expected, abs=1e-6)  # gathered numbers are rounded


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Make the small scored experiment and stay in its folder; return parameters and numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("scored"))
        params = make_scored()
        yield params, gather(Study(params))


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


def links(name, step="same"):
    lines = read_links(LAYOUT.translations(name) / f"test.forced.{step}.links")
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
    return lend({name: score(params, name, *more) for name in several}, several, params.ensembles)


def link_runs(params, system, step="same"):
    seeds = [link_counts_of(links(name, step)) for name in params.runs_of(system)]
    return Runs.measured(np.array(seeds), rates)


def check(gain, ours, other, tested):
    """Compare a gain with the difference of two numbers, and with a test called directly."""
    # A file of scores keeps four decimals.
    assert gain.value == pytest.approx(ours.value - other.value, abs=1e-4)
    assert (gain.p, gain.low, gain.high) == close((tested.p, tested.low, tested.high))
    assert gain.trainings == min(ours.trainings or 1, other.trainings or 1)
    assert (gain.sd, gain.commit, gain.code, gain.note) == (None,) * 4


def count_of(lines, kind):
    return sum(line.kind == kind for line in lines)


def test_published_numbers_come_first_and_no_number_is_there_twice(scored):
    params, numbers = scored
    published = list(published_lines(params))
    own = numbers.lines[len(published) :]
    assert numbers.lines[: len(published)] == published
    assert {line.row for line in published} >= {"table1/base", "table1/ensemble", "table6/aligner"}
    assert {line.source for line in own} == {"ours"}
    assert [line for line in own if line.kind == "gain"] == own[-count_of(own, "gain") :]
    more = "kind", "model", "over", "over_replacement", "direction"
    lines = [line for line in own if line.max_words is None]
    keys = [(*(getattr(one, key) for key in more), key) for one in lines for key in keys_of(one)]
    assert len(set(keys)) == len(keys)
    # A system of one training has no second line, and an error rate of links has one for each step.
    systems = {(line.system, line.model) for line in lines if line.kind == "system"}
    assert {("base", "base"), ("dot", None), ("both", None), (ALIGNER, None)} <= systems
    assert not any(model for system, model in systems if system in ("dot", "both"))
    assert count_of([line for line in lines if line.metric == "aer"], "training") == 4 * 3 * 2


def test_every_score_of_a_training_is_there_with_the_commits_and_code_of_all_members(copied):
    write_training(copied, "dot", commits=[OTHER_COMMIT], code="other")
    numbers = gather(Study(copied))
    for name in [*copied.models, *copied.ensembles]:
        own = [line for line in numbers.lines if line.model == name]
        read = read_scores(copied, name).lines
        seed = copied.model(copied.translators(name).members[0]).seed
        commit = COMMITS if seed > 1 or name == "both" else "89abcdef0123-dirty"
        origin = {"commit": commit, "code": "c0de" * 4}
        if name == "both":
            origin["code"] += ", other"
        elif name == "dot":
            origin = {"commit": "0123456789ab", "code": "other"}
        kind = {"kind": "system"} if len(copied.runs_of(own[0].system)) == 1 else {}
        assert own[: len(read)] == [line.model_copy(update=origin | kind) for line in read]
        costs = own[len(read) :]
        assert bool(costs) == (name in copied.models)
        assert {line.commit for line in costs} <= {origin["commit"]}
    assert short_commits([COMMIT, OTHER_COMMIT, COMMIT]) == COMMITS


def test_what_a_training_cost_is_there(copied):
    write_training(copied, "base", peak_memory_mb=None, threads=2)
    numbers = gather(Study(copied))
    # 2 embeddings and W_s have 100 x 96; 2 layers have 4 x 96 x 192, and W_c has 96 x 192
    expected = {"parameters": 3 * 9_600 + 9 * 18_432}
    expected |= {"steps": 20, "target_words": 1500, "minutes": 1.5}
    expected |= {"target_words_per_second": 16.7, "peak_memory_mb": 1234}
    for metric, value in expected.items():
        line = numbers.training("dot_2", metric)
        assert (line.value, line.seed, line.system, line.data) == (value, 2, "dot", None)
        assert line.signature == "a processor, 1 thread, torch 2.13.0"
    assert numbers.training("base", "peak_memory_mb") is None
    assert "2 threads" in numbers.training("base", "steps").signature
    assert numbers.training("dot_2", "ppl", "dev").value == 9.5


@pytest.mark.parametrize("system", ["dot", "both"])
def test_over_several_seeds_numbers_are_means_with_their_deviation(scored, system):
    params, numbers = scored
    trained = [
        [line for line in numbers.lines if line.model == name] for name in params.runs_of(system)
    ]
    own = [line for line in numbers.lines if (line.system, line.source) == (system, "ours")]
    means = [line for line in own if line.kind == "system"]
    assert len(means) > 20
    for line, *seeds in zip(means, *trained, strict=True):
        values = [one.value for one in seeds]
        assert (line.value, line.sd) == close((mean(values), stdev(values)))
        assert (line.trainings, line.seed, line.model, line.commit) == (3, None, None, COMMITS)
        for key in ("metric", "script", "set", "lines", "max_words", "signature", "reference"):
            assert getattr(line, key) == getattr(seeds[0], key)


def test_an_interval_over_seeds_holds_for_a_new_training(scored):
    params, numbers = scored
    for replacement in ("before", "after"):
        line, own = bleu(numbers, "dot", replacement), runs(params, "dot", replacement)
        assert (line.low, line.high) == close(prediction(own))
    line = numbers.system("dot", "aer", "test")
    assert (line.low, line.high) == close(prediction(link_runs(params, "dot")))
    for metric in ("ppl", "unknown"):  # what single sentences add to these is unknown
        line = numbers.system("dot", metric, "test")
        assert (line.low, line.high) == (None, None)


def test_the_note_of_a_mean_is_about_its_own_interval(copied, monkeypatch):
    for name in copied.runs_of("dot"):
        note = {"note": f"as it was; {BEYOND}"}
        change_cells(LAYOUT.scores(name), note, lambda row: row["metric"] == "bleu")
    assert bleu(gather(Study(copied)), "dot").note == "as it was"
    monkeypatch.setattr(library, "prediction", lambda runs: (-1.0, 50.0))
    numbers = gather(Study(copied))
    assert bleu(numbers, "dot").note == f"as it was; {WIDE}"
    assert numbers.system("dot", "aer", "test").note.endswith(WIDE)
    assert numbers.system("dot", "ppl", "test").note is None


def test_a_mean_names_every_machine_that_trained(copied):
    write_training(copied, "dot", threads=2)
    signature = gather(Study(copied)).system("dot", "minutes").signature
    assert signature == ", ".join(
        f"a processor, {threads}, torch 2.13.0" for threads in ("2 threads", "1 thread")
    )


def test_groups_of_sentences_of_the_same_length_stay_apart(scored):
    groups = [line for line in scored[1].lines if line.max_words and line.replacement == "after"]
    lengths = [line.max_words for line in groups if line.model == "dot"]
    assert len(set(lengths)) < len(lengths) == 8
    for system, count in (("base", 1), ("dot", 3)):
        own = [line for line in groups if (line.kind, line.system) == ("system", system)]
        assert [line.max_words for line in own] == lengths
        assert {(line.lines, line.trainings) for line in own} == {(3, count)}


def test_a_mean_names_a_step_only_if_all_its_seeds_read_it(copied):
    """The mean at the chosen steps is then another number than those at each step."""
    for step, readers in (("same", "authors chosen"), ("next", "words")):
        change_cells(
            LAYOUT.scores("dot_2"),
            {"readers": readers},
            lambda row, step=step: row["script"] == step,
        )
    numbers = gather(Study(copied))
    steps = [numbers.system(name, "aer_chosen", "test").script for name in ("location", "dot")]
    assert steps == ["next", None]
    lines = [line for line in numbers.lines if line.metric == "aer" and line.kind == "system"]
    of_dot = [(x.script, x.readers) for x in lines if (x.system, x.source) == ("dot", OURS)]
    assert of_dot == [("same", "authors"), ("next", "words"), (None, "chosen")]
    chosen = [numbers.training(name, "aer_chosen", "test").value for name in copied.runs_of("dot")]
    assert numbers.system("dot", "aer_chosen", "test").value == close(mean(chosen))
    assert numbers.training("dot_2", "aer_chosen", "test").script == "same"
    # Each reading has its gain.
    for metric, readers in {"aer": "authors", "aer_chosen": "chosen"}.items():
        ours, other = (numbers.system(name, metric, "test") for name in ("dot", "location"))
        gain = numbers.gain(ours, other, metric)
        assert gain.value == pytest.approx(ours.value - other.value, abs=3e-6)
        assert gain.readers == readers
        assert gain.p is not None


def test_what_lends_to_a_change_is_read_at_the_chosen_step_too(copied):
    """The authors read location at its chosen step, and the other systems at another step."""
    for name in copied.runs_of("location"):
        for step, readers in (("same", ""), ("next", "authors chosen words")):
            of_step = {"readers": readers}
            change_cells(LAYOUT.scores(name), of_step, lambda row, at=step: row["script"] == at)
    numbers = gather(Study(copied))
    ours, other = (numbers.system(name, "aer_chosen", "test") for name in ("dot", "location"))
    by_links = lent(copied, link_runs, "next")
    tested = difference(by_links["dot"], by_links["location"]).test("greater")
    check(numbers.gain(ours, other, "aer_chosen"), ours, other, tested)


def test_a_change_between_two_steps_names_none(copied):
    for name, chosen in {"dot": "next", "location": "same"}.items():
        for run in copied.runs_of(name):
            for step in ("same", "next"):
                readers = {"readers": "chosen" if step == chosen else "authors words"}
                change_cells(LAYOUT.scores(run), readers, lambda row, at=step: row["script"] == at)
    numbers = gather(Study(copied))
    ours, other = (numbers.system(name, "aer_chosen", "test") for name in ("dot", "location"))
    assert (ours.script, other.script) == ("next", "same")
    assert numbers.gain(ours, other, "aer_chosen").script is None


def test_two_trainings_are_compared_over_sentences(scored):
    ours, other = bleu(scored[1], "base_reverse"), bleu(scored[1], "base")
    metric = METRICS["tokenized"]
    texts = [output("base_reverse"), output("base")]
    tested = compare(*(metric.counts(text, references()) for text in texts), metric.scores, 100)
    check(scored[1].gain(ours, other), ours, other, tested)


def test_on_ones_own_text_every_attention_is_compared_with_the_best_system_without(scored):
    params = of_own_text(scored[0])
    numbers = gather(Study(params))
    assert not any(line.source != OURS for line in numbers.lines)
    without = best_systems(params, numbers)[1]
    for system in ("location", "dot", "both"):
        for replacement in ("before", "after"):
            ours, other = bleu(numbers, system, replacement), bleu(numbers, without)
            assert numbers.gain(ours, other).value == close(ours.value - other.value)
    assert scored[1].gain(bleu(scored[1], "both"), bleu(scored[1], without)) is None


def test_many_comparisons_of_single_trainings_have_shuffles_enough_to_be_decided(scored):
    """Holm asks for p of 0.05 / m, and p is 1 / (shuffles + 1) or more."""
    params = of_own_text(scored[0])
    few = params.evaluation.model_copy(update={"bootstrap_samples": 3})
    params = params.model_copy(update={"evaluation": few})
    numbers = gather(Study(params))
    asked_here = [asked(params, numbers, test) for test in params.sets.tests]
    shuffles = 40 * max(map(len, asked_here))
    gains = [line for line in numbers.lines if line.kind == "gain" and line.p and not line.error]
    assert gains
    for line in gains:
        as_large = line.p * (shuffles + 1)  # shuffles, and the observed one
        assert as_large == pytest.approx(round(as_large), abs=0.01)


def test_questions_are_answered_over_seeds_and_sentences(scored):
    params = of_own_text(scored[0])
    numbers = gather(Study(params))
    found = {(one.gain.system, one.gain.over): one for one in answers(params, numbers)}
    answer = found["dot", "location"]
    after = lent(params, runs, "after")
    tested = difference(after["dot"], after["location"])
    p = tested.test("greater").p
    assert (answer.gain.p, answer.gain.value) == close((p, tested.value))
    tests = {pair: one for pair, one in found.items() if one.verdict}
    assert {*tests} == {
        *(("dot", "location"), ("general", "location"), ("general", "dot")),
        ("base_reverse", "base"),
    }
    ranked = sorted(one.gain.p for one in tests.values())
    before = (min(1, (4 - i) * q) for i, q in enumerate(ranked) if q <= answer.gain.p)
    assert answer.verdict.adjusted == close(max(before))
    effect = detectable(tested.error, tested.freedom, answer.verdict.level, 0.8)
    assert answer.verdict.detectable == pytest.approx(effect, rel=1e-5)
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
    words = (
        r"scores/demo/base_reverse.csv and scores/demo/base.csv: bleu on test is .* 0123456789ab"
    )
    with pytest.raises(InputError, match=words):
        gather(Study(copied))
    change_cells(LAYOUT.scores("dot_2"), other, lambda row: row["metric"] == "aer")
    with pytest.raises(InputError, match=r"scores/demo/dot.csv and scores/demo/dot_2.csv: aer"):
        gather(Study(copied))


def test_gather_reads_no_text(copied):
    expected = gather(Study(copied)).lines
    for folder in (LAYOUT.raw.parent, LAYOUT.translations("x").parent):
        shutil.rmtree(folder)
    assert gather(Study(copied)).lines == expected


@pytest.mark.parametrize("other", ["base_reverse", "base"])
def test_one_training_against_several_has_no_p(scored, other):
    """base is also the best system without attention, against which the best one with it counts."""
    numbers = scored[1]
    ours, over = bleu(numbers, "location"), bleu(numbers, other)
    line = numbers.gain(ours, over)
    assert line.value == close(ours.value - over.value)
    assert (line.p, line.low, line.high, line.trainings) == (None, None, None, 1)


def test_systems_pair_where_each_seed_shares_trainings_with_one_other(scored):
    params = scored[0]
    values = {"both": [12.0, 22.5, 31.0], "dot": [10.0, 20.0, 30.0], "location": [10.0, 20.0, 30.0]}

    def study(*members):
        ensembles = {
            name: one.model_copy(update={"members": each})
            for (name, one), each in zip(params.ensembles.items(), members, strict=True)
        }
        made = Study(params.model_copy(update={"ensembles": ensembles}))
        made.runs = lambda key: Runs.of_values(values[key.system])
        made.lenders = lambda key: []
        return made

    both, dot, location = (Key(name, "bleu", "test", "tokenized", "before") for name in values)

    assert Study(params).pairs("both", "dot") == ([0, 1, 2], [0, 1, 2])
    two = study(["dot"], ["dot_2"], ["location"])  # the third has no partner
    assert two.pairs("both", "dot") == ([0, 1], [0, 1])
    paired = two.gain(both, dot)
    assert (paired.value, paired.freedom) == (2.25, 1)
    crossed = study(["dot", "dot_2"], ["dot_2", "dot_3"], ["dot_3", "dot"])
    assert crossed.pairs("both", "dot") is None
    assert crossed.gain(both, dot) is None
    apart = crossed.gain(both, location)
    assert apart.value == pytest.approx(np.mean(values["both"]) - np.mean(values["location"]))


def test_systems_with_several_seeds_lend_and_ensembles_do_not(scored):
    lenders = Study(scored[0]).lenders(Key(None, "bleu", "test", "tokenized", "before"))
    assert lenders == ["location", "dot", "general"]


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
        counts = [sum(map(len, side)) for side in (sure, possible)]
        assert line.note == "{:,} sure and {:,} possible gold links".format(*counts)
        assert line.signature == ("aligner 1.0, IBM 1" if name == ALIGNER else None)
    ours, other = (numbers.system(name, "aer", "test") for name in (ALIGNER, "back"))
    tested = compare(*map(link_counts_of, (made[ALIGNER], links("back"))), rates, 100)
    check(numbers.gain(ours, other), ours, other, tested)


def test_the_aligner_is_not_compared_where_it_read_other_links_on_either_side(copied):
    rows = copied.tables["table6"].rows
    turned = {"aligner": rows["aligner"].model_copy(update={"over": None})}
    turned |= {"back": rows["back"].model_copy(update={"over": "aligner"})}
    params = with_rows(copied, "table6", rows | turned)
    ours, other = (gather(Study(params)).system(name, "aer", "test") for name in ("back", ALIGNER))
    assert gather(Study(params)).gain(ours, other) is not None
    change_cells(LAYOUT.scores("back"), {"reference": "0"}, lambda row: row["metric"] == "aer")
    assert gather(Study(params)).gain(ours, other) is None


def test_against_its_own_links_the_aligner_has_no_rate(copied):
    (LAYOUT.tokens / "test.links").unlink()
    for name in (ALIGNER, DIAGONAL):
        load_stage("evaluate").main(Path("params.yaml"), name)
    assert read_scores(copied, ALIGNER).lines == []
    assert read_scores(copied, DIAGONAL).lines[0].note.endswith("possible silver links")


@pytest.mark.parametrize(("lower", "entries"), [(False, 3), (True, 2)])
def test_the_dictionaries_are_counted(copied, lower, entries):
    """They know house, House and garden; the vocabularies have neither garden nor Garten."""
    folder, family = LAYOUT.encoded("words"), copied.families["words"]
    for code, words in {"en": ["house", "House"], "de": ["Haus", "haus"]}.items():
        lines = read_lines(folder / f"vocab.{code}")
        others = [f"other{number}" for number in range(len(lines) - 5)]
        write_lines(folder / f"vocab.{code}", [*lines[:3], *words, *others])
    encoding = family.encoding.model_copy(update={"lowercase": lower})
    families = {"words": family.model_copy(update={"encoding": encoding})}
    write_aligner(copied, parts=9)
    own = evaluate(copied.model_copy(update={"families": families}), "dictionary").lines
    assert [line.metric for line in own] == ["entries", "outside", "translated_outside"] * 2
    assert [line.value for line in own] == [entries, 1, 1, 2, 1, 1]
    assert [line.direction for line in own] == ["forward"] * 3 + ["backward"] * 3
    how = "aligner 1.0, IBM 1, 4,000 pairs, in 9 parts, words linked 2 times or more"
    assert {(line.family, line.signature) for line in own} == {("words", how)}


def test_the_stage_writes_the_numbers_the_claims_and_a_few_metrics(copied, scored):
    claim = "{claim: It is better., where: Table 1, measure: bleu, systems: [dot], over: [location]"
    written = "amendments: [{date: '2026-01-01', what: All., why: Before., known: Nothing.}]\n"
    written += f"claims:\n  one: {claim}, sign: greater, differs: []}}\n"
    Path("claims.yaml").write_text(written)
    found = []
    for _ in range(2):
        load_stage("gather").main(Path("params.yaml"))
        found.append({path: path.read_bytes() for path in Path("reports/demo").iterdir()})
    assert found[0] == found[1]
    assert read_numbers("demo").lines == scored[1].lines
    assert read_json(LAYOUT.metrics) == metrics(scored[1])
    estimate = difference(runs(copied, "dot"), runs(copied, "location"))
    assert [line.ours for line in read_claims("demo")] == [close(estimate.value)]
