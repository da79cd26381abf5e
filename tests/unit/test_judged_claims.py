"""The claims judged from an experiment's files: which are tested, and on which numbers."""

from typing import Any

import numpy as np
import pytest
from made_report import ROOT, made_claim, made_line, made_params
from real_text import read_text, spoil

from attnmt.config import load_params
from attnmt.config.claims import Claim, Claims, project_claims
from attnmt.config.model import OwnRecipe, TrainedEnsemble
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.claims_table import claims_table
from attnmt.scoring.aer import link_counts
from attnmt.scoring.claim_lines import _at_each_step, judge_claims, read_claims, write_claims
from attnmt.scoring.claims import claim_under, is_testable, on_other_set, outcome_of, set_of
from attnmt.scoring.contrasts import contrasts
from attnmt.scoring.counts import counted, read_counts, words_of, write_counts
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.numbers import Key, Numbers, read_scores, write_numbers
from attnmt.scoring.seed_statistics import contrast, difference, lend
from attnmt.scoring.study import Study
from attnmt.scoring.verdicts import DEPENDS, NOT_TESTED, together, verdicts

BEST, LOCAL_M = "local_p_general_feed", "local_m_general_feed"
SYSTEMS = ("base", BEST, LOCAL_M)
LINES = 40
REFERENCES = read_text("demo", LINES)
BLEU = METRICS["tokenized"]
BEFORE, AFTER = (("bleu", "test1", "tokenized", at) for at in ("before", "after"))
GOLD = [[(0, 0), (1, 1)]] * LINES, [[(0, 0), (1, 1), (2, 2)]] * LINES


@pytest.fixture
def params(tmp_path, monkeypatch):
    """Three systems of three seeds and one of one seed, with what they translated."""
    monkeypatch.chdir(tmp_path)
    params = make_params(seeds=3)
    for at, name in enumerate(params.models):
        write_run(params, name, at)
    write_diagonal("gold")
    return params


def write_diagonal(kind):
    line = made_line(
        "diagonal", "aer", 0.5, set="test1", note=f"80 sure and 99 possible {kind} links"
    )
    write_numbers(Layout("demo").scores("diagonal"), [line])


def make_params(seeds):
    params = made_params(*SYSTEMS, seeds=seeds)
    single = {"base_reverse": made_params("base_reverse").models["base_reverse"]}
    evaluation = params.evaluation.model_copy(update={"length_group": 10})
    changes = {"models": params.models | single, "evaluation": evaluation}
    return params.model_copy(update=changes)


def write_run(params, name, at, share=None):
    """Write the scores of a training and their counts: the better system has fewer wrong words.

    On the other test set it has more of them.
    """
    layout = Layout("demo")
    if share is None:
        share = 0.1 if name.startswith("local") else 0.5
    before = spoil(REFERENCES, seed=at, share=share)
    after = [line.replace("<unk>", "Haus") for line in before]
    own: dict[str, Any] = {"kind": "training", "model": name, "seed": params.models[name].seed}
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
    for test, wrong in (("test1", 5), ("test2", 4)):  # one line in so many is all wrong
        right = ["local_p" in name or bool((line + at) % wrong) for line in range(LINES)]
        made = [[(0, 0), (1, 1)] if one else [(0, 1), (1, 0)] for one in right]
        for step, reader in (("same", "authors"), ("next", "chosen")):
            of_step = {"set": test, "script": step, "readers": reader}
            lines.append(made_line(name, "aer", 0.1, **of_step, **own))
            links = made if step == "next" else [[(0, 1), (1, 0)]] * LINES
            arrays[counted(lines[-1])] = link_counts(links, *GOLD)
    write_numbers(layout.scores(name), lines)
    write_counts(layout.counts(name), arrays)
    steps = (100, 200, 300, 400, 500)[: 4 if name == BEST else 5]
    costs = [f"{step},9,{at + 1000 / step:.4f},{1000 / step:.4f}" for step in steps]
    write_lines(layout.model(name) / "history.csv", ["step,x,test1_cost,test2_cost", *costs])


def texts_of(params, name, replaced=False):
    """Return what the runs of a system translated."""
    numbers = {run: at for at, run in enumerate(params.models)}
    texts = [spoil(REFERENCES, seed=numbers[run], share=0.1) for run in params.seeds_of(name)]
    return [[line.replace("<unk>", "Haus") if replaced else line for line in t] for t in texts]


def claim_of(**changes):
    values = {"claim": "A is more.", "where": "Table 1", "measure": "bleu", "systems": [BEST]}
    return Claim(**values | {"over": ["base"], "sign": "greater", "differs": []} | changes)


def judged(study, claims, numbers=(), amendments=()):
    """Judge claims that are registered."""
    first = {"date": "2026-01-01", "what": "All.", "why": "Before.", "known": "Nothing."}
    values = {"experiments": ["demo"], "claims": claims, "amendments": [first, *amendments]}
    return judge_claims(study, Claims.model_validate(values), True, Numbers(numbers))


def found_of(params, claim):
    return outcome_of(Study(params), claim)[0]


def test_bleu_is_that_of_every_seeds_translations(params):
    study = Study(params)
    runs = study.runs(Key(BEST, *BEFORE))
    expected = [BLEU.value(lines, References(REFERENCES)) for lines in texts_of(params, BEST)]
    assert runs.values == pytest.approx(expected, abs=1e-3)
    assert runs.influences.shape == (3, LINES)
    lent = lend({name: study.runs(Key(name, *BEFORE)) for name in SYSTEMS}, SYSTEMS)
    found, tested = difference(lent[BEST], lent["base"]), found_of(params, claim_of())
    assert found.value > 0  # the better system is the first
    assert (tested.value, tested.low) == pytest.approx((found.value, found.interval()[0]))
    assert outcome_of(study, claim_of())[1] == "3"


def test_a_gain_by_replacement_takes_both_texts_of_one_training(params):
    before, after = (Study(params).runs(Key(BEST, *key)) for key in (BEFORE, AFTER))
    assert after.mean > before.mean
    tested = found_of(params, claim_of(measure="gain_by_replacement", over=None))
    assert tested.value == pytest.approx(contrast([after.minus(before)], [1]).value)
    replaced = found_of(params, claim_of(measure="bleu_replaced", over=None))
    assert replaced.value == pytest.approx(after.mean)
    ranks = {"compare": "rank", "rank_with": "bleu_replaced", "over": None}
    (line,) = judged(Study(params), {"one": claim_of(systems=list(SYSTEMS), **ranks)})
    assert (line.verdict, line.ours, line.p, line.level) == ("described", 1, None, None)


def test_error_rates_are_those_of_their_step_and_say_whose_links_they_count(params):
    """The links of the step that the authors' program reads are all wrong here."""
    study = Study(params)
    assert study.runs(Key(BEST, "aer", "test1")).values == pytest.approx([1, 1, 1])
    assert study.runs(Key(BEST, "aer_chosen", "test1")).values == pytest.approx([0, 0, 0])
    claims = {"aer": claim_of(measure="aer", over=[LOCAL_M], sign="less"), "bleu": claim_of()}
    amended = {"date": "2026-01-02", "what": "The step.", "why": "Why.", "known": "Much."}
    amended |= {"claims": ["aer"], "measure": "aer_chosen"}
    means = {
        (BEST, "same"): 0.9,
        (BEST, "next"): 0.1,
        (LOCAL_M, "same"): 0.8,
        (LOCAL_M, "next"): 0.3,
    }
    numbers = [
        made_line(name, "aer", value, set="test1", script=step)
        for (name, step), value in means.items()
    ]
    aer, chosen, bleu = judged(study, claims, numbers, [amended])
    both = "+0.100 at the same step, -0.200 at the next step"
    assert (aer.at_each_step, chosen.at_each_step, bleu.at_each_step) == (both, both, None)
    assert (aer.links, chosen.links, bleu.links) == ("gold", "gold", None)
    assert (aer.key, chosen.key, aer.ours) == ("aer", "aer.aer_chosen", 0)
    assert chosen.ours == pytest.approx(-1 / 5)  # one line in five of local-m is all wrong
    assert (aer.amended, chosen.amended) == (None, "2026-01-02: The step. Why. Much.")
    write_diagonal("silver")
    assert judged(Study(params), claims)[0].links == "silver"
    # Nothing is said where a side lacks a rate, and of the least favorable of several differences.
    assert judged(study, claims, numbers[:3])[0].at_each_step == "+0.100 at the same step"
    two = claim_of(measure="aer", over=[LOCAL_M, "base"], sign="less")
    assert _at_each_step(params, Numbers(numbers), two) is None  # base has no links
    each = {"each": claims["aer"].model_copy(update={"compare": "each"})}
    untested = {"none": claim_of(measure="aer", over=["base"], sign="less")}
    lines = judged(study, each | untested | {"bleu": claims["bleu"]}, numbers)
    assert [line.at_each_step for line in lines] == [None, None, None]


def test_perplexity_and_costs_are_those_of_the_trainings(params):
    numbers = {name: at for at, name in enumerate(params.models)}
    mean = {name: sum(numbers[run] for run in params.seeds_of(name)) / 3 for name in (BEST, "base")}
    perplexity = found_of(params, claim_of(measure="perplexity"))
    assert perplexity.value == pytest.approx(mean["base"] - mean[BEST])
    early = found_of(params, claim_of(measure="early_cost", over=None))
    assert early.value == pytest.approx(mean[BEST] + 1000 / 100)  # the first of four evaluations
    # The shortest curve ends at step 400, so all costs are those at this step.
    final = found_of(params, claim_of(measure="final_cost", over=None))
    assert final.value == pytest.approx(mean[BEST] + 1000 / 400)
    assert perplexity.freedom == 2 + 2.5  # no sentences are drawn, and two other systems lend


def test_the_slope_is_that_of_groups_by_length(params):
    tested = found_of(params, claim_of(measure="length_slope", over=None, bound=-1.0))
    words = np.array([len(line.split()) for line in REFERENCES])
    order = np.argsort(words, kind="stable").reshape(4, 10)
    groups = [
        [
            BLEU.value([lines[i] for i in group], References([REFERENCES[i] for i in group]))
            for group in order
        ]
        for lines in texts_of(params, BEST, replaced=True)
    ]
    means = words[order].mean(1)
    assert tested.value == pytest.approx(np.polyfit(means, np.mean(groups, 0), 1)[0], abs=1e-3)
    one_group = params.evaluation.model_copy(update={"length_group": LINES})
    params = params.model_copy(update={"evaluation": one_group})
    assert not is_testable(Study(params), claim_of(measure="length_slope"))


def test_claims_need_two_seeds_of_every_system(params):
    study = Study(params)
    assert is_testable(study, claim_of())
    assert not is_testable(Study(make_params(seeds=2)), claim_of())
    assert not is_testable(study, claim_of(over=["base_reverse"]))  # one seed
    assert not is_testable(study, claim_of(over=["global_location"]))  # not trained
    assert not is_testable(study, claim_of(compare="paired", over=["base"]))  # no shared training
    assert not is_testable(study, claim_of(measure="aer"))  # base has no links
    assert is_testable(study, claim_of(measure="aer", over=[LOCAL_M]))


def test_ensembles_are_tested_by_what_they_have_and_apart_from_their_members(params):
    both = {
        f"both{end}": TrainedEnsemble(
            entry="both", seed=seed, family="luong", members=[BEST + end, LOCAL_M + end]
        )
        for seed, end in enumerate(("", "_2", "_3"), start=1)
    }
    study = Study(params.model_copy(update={"ensembles": both}))
    assert study.params.runs_of("both") == ["both", "both_2", "both_3"]
    for measure in ("perplexity", "early_cost", "final_cost"):
        assert not is_testable(study, claim_of(measure=measure, systems=["both"]))
    assert is_testable(study, claim_of(systems=["both"]))
    assert not is_testable(study, claim_of(systems=["both"], over=[BEST]))  # they share trainings
    assert is_testable(study, claim_of(systems=["both"], over=[BEST], compare="paired"))


def test_a_last_cost_needs_an_evaluation_that_all_trainings_have(params):
    for name in params.seeds_of(BEST):
        path = Layout("demo").model(name) / "history.csv"
        write_lines(path, ["step,x,test1_cost,test2_cost", "450,9,1,1"])
    claims = {"final": claim_of(measure="final_cost"), "other": claim_of()}
    final, other = judged(Study(params), claims)
    assert (final.verdict, other.verdict) == (NOT_TESTED, "confirmed")


def test_systems_that_read_other_references_are_not_compared(params):
    for name in params.seeds_of("base"):
        lines = read_scores(params, name).lines
        others = [one.model_copy(update={"reference": "1"}) for one in lines]
        write_numbers(Layout("demo").scores(name), others)
    with pytest.raises(InputError, match=r"bleu on test1 is measured against the references"):
        found_of(params, claim_of(systems=[BEST]))


def test_the_file_has_size_interval_seeds_and_verdict_of_every_claim(params):
    claims = {
        "right": claim_of(size=2.8, differs=["Much else.", "More."]),
        "wrong": claim_of(claim="A is less.", sign="less", size=-0.5),
        "unclear": claim_of(claim="B is more.", over=[LOCAL_M], measure="bleu_replaced"),
        "untested": claim_of(claim="C is more.", over=["base_reverse"], size=1.3),
    }
    study = Study(params)
    write_claims(params, judged(study, claims))
    right, wrong, unclear, untested = read_claims("demo")
    words = ["confirmed", "refuted", "undecided", NOT_TESTED]
    assert [one.verdict for one in (right, wrong, unclear, untested)] == words
    assert right.ours == wrong.ours
    assert 0 < right.low < right.ours < right.high
    assert (right.paper, right.seeds, right.differs) == (2.8, "3", "Much else. More.")
    # All claims are judged together.
    del claims["untested"]
    expected = verdicts({key: outcome_of(study, claim)[0] for key, claim in claims.items()})
    found = [one.p_holm for one in (right, wrong, unclear)]
    assert found == pytest.approx([one.adjusted for one in expected.values()], abs=1e-6)
    assert (untested.ours, untested.p_holm, untested.seeds, untested.paper) == (None,) * 3 + (1.3,)


def test_a_claim_is_judged_on_the_other_test_set_too_and_keeps_its_verdict(params):
    """On the other set the better system is worse, so there the claim is refuted."""
    claims = {
        "here": claim_of(),
        "there": claim_of(test="last"),
        "links": claim_of(measure="aer_chosen", over=[LOCAL_M], sign="less"),  # one set has links
        "order": claim_of(systems=list(SYSTEMS), over=None, compare="rank", rank_with="perplexity"),
        "untested": claim_of(over=["base_reverse"]),
    }
    write_claims(params, judged(Study(params), claims))
    here, there, links, order, untested = read_claims("demo")
    assert (here.set, here.verdict, here.other_set) == ("test1", "confirmed", "test2")
    assert (here.other_verdict, there.verdict) == ("refuted", "refuted")
    assert there.other_verdict == "confirmed"
    assert here.other_ours == there.ours < 0 < here.ours == there.other_ours
    assert (here.other_low, here.other_high, here.other_p) == (there.low, there.high, there.p)
    assert order.other_verdict == "described"
    assert {links.other_set, links.other_ours, untested.other_set, untested.other_ours} == {None}
    # All claims are judged together there, too: one less than here, because links have one set.
    swapped = [claims["there"], claims["here"]]
    tests = dict(enumerate(found_of(params, claim) for claim in swapped))
    expected = [one.adjusted for one in verdicts(tests).values()]
    assert [here.other_p_holm, there.other_p_holm] == pytest.approx(expected, rel=1e-4)
    alone = judged(Study(params), {key: claims[key] for key in ("here", "there", "links")})
    assert [one.p_holm for one in alone] == [here.p_holm, there.p_holm, links.p_holm]
    again = here.on_other_set
    assert (again.set, again.verdict, again.ours) == ("test2", "refuted", here.other_ours)
    assert (again.level, again.detectable) == (None, None)  # they are of the registered set
    assert links.on_other_set is None


def test_what_is_tested_on_the_other_set_alone_has_no_verdict(params):
    """All references of the first set have one length here, so no slope is known there."""
    for name in params.models:
        path = Layout("demo").counts(name)
        write_counts(path, read_counts(path, "") | {words_of("test1"): np.full(LINES, 5)})
    slope = claim_of(measure="length_slope", over=None)
    assert is_testable(Study(params), slope.model_copy(update={"test": "last"}))
    one, other = judged(Study(params), {"slope": slope, "other": claim_of()})
    assert (one.verdict, one.other_set, one.other_ours) == (NOT_TESTED, None, None)
    assert other.other_p_holm == other.other_p


def test_error_rates_have_another_set_where_two_sets_have_links(params):
    claim = claim_of(measure="aer_chosen", over=[LOCAL_M], sign="less")
    both = params.sets.model_copy(update={"aligned": ["test1", "test2"]})
    params = params.model_copy(update={"sets": both})
    line = made_line("diagonal", "aer", 0.5, set="test2", note="9 silver links")
    gold = read_scores(params, "diagonal").lines
    write_numbers(Layout("demo").scores("diagonal"), [*gold, line])
    here, there = judged(
        Study(params), {"here": claim, "there": claim.model_copy(update={"test": "last"})}
    )
    assert (here.set, here.other_set, here.links, there.links) == (
        *("test1", "test2"),
        *("gold", "silver"),
    )
    assert (here.ours, here.other_ours) == pytest.approx((-1 / 5, -1 / 4))
    assert (there.ours, there.other_ours) == (here.other_ours, here.ours)


WITH_LINKS = {"systems": list(SYSTEMS), "over": None, "compare": "rank", "rank_with": "aer"}


@pytest.mark.parametrize(
    ("changes", "sets", "has_other"),
    [
        ({}, {}, True),
        ({}, {"tests": ["test1"]}, False),
        ({}, {"tests": ["test1", "test3", "test2"]}, True),
        ({"measure": "aer"}, {}, False),
        ({"measure": "aer"}, {"aligned": ["test1", "dev"]}, False),  # dev chooses the step
        (WITH_LINKS, {}, False),
        (WITH_LINKS, {"aligned": ["test1", "test2"]}, True),
    ],
)
def test_a_claim_has_another_set_if_all_that_it_measures_has_one(changes, sets, has_other):
    params = make_params(seeds=3)
    params = params.model_copy(update={"sets": params.sets.model_copy(update=sets)})
    claim = claim_of(**changes)
    other = on_other_set(params, claim)
    assert (other is not None) == has_other
    if other:
        assert (set_of(params, claim), set_of(params, other)) == ("test1", "test2")
        assert on_other_set(params, other) == claim


def test_one_seed_judges_no_claim_and_every_claim_of_the_project_has_a_line(params):
    claimed = project_claims(ROOT)
    assert judge_claims(Study(make_params(seeds=1)), claimed, True, Numbers([])) == []
    lines = judge_claims(Study(params), claimed, True, Numbers([]))
    assert [one.key for one in lines] == list(claimed.judged)
    assert not any(one.registered for one in lines)  # claims.yaml does not name the demo
    assert {one.key for one in lines if one.verdict != NOT_TESTED} == {"figure6_no_loss"}


def with_recipe(params, system, share):
    """Add a recipe under which a system's translations have a share of wrong words."""
    copies = {}
    for seed, name in enumerate(params.seeds_of(system), start=1):
        own = params.models[name].model_copy(update={"recipe": "slow", "learning_rate": 0.5})
        copies[f"{system}_slow" + (f"_{seed}" if seed > 1 else "")] = own
    same = dict.fromkeys(SYSTEMS, OwnRecipe())
    recipes = {"slow": same | {system: OwnRecipe(learning_rate=0.5)}}
    params = params.model_copy(update={"models": params.models | copies, "recipes": recipes})
    for at, name in enumerate(copies):
        write_run(params, name, 30 + at, share)
    return params


def test_a_claim_that_turns_with_the_recipe_depends_on_it(params):
    claims = {"gain": claim_of(systems=[LOCAL_M]), "other": claim_of()}
    params = with_recipe(params, LOCAL_M, 0.95)
    study = Study(params)
    assert claim_under(params, claims["gain"], "slow").systems == [f"{LOCAL_M}_slow"]
    gain, slow, other = judged(study, claims)
    assert (gain.recipe, slow.recipe, other.recipe) == ("family", "slow", "family")
    assert gain.low > 0 > slow.high
    assert [one.verdict for one in (gain, slow, other)] == [DEPENDS, DEPENDS, "confirmed"]
    # All tests of all recipes are judged together.
    asked = claims | {"gain, slow": claim_under(params, claims["gain"], "slow")}
    recipes = {key: "slow" if "slow" in key else None for key in asked}
    tests = {key: outcome_of(study, asked[key], recipe)[0] for key, recipe in recipes.items()}
    found = [verdicts(tests)[key].adjusted for key in ("gain", "gain, slow", "other")]
    assert [one.p_holm for one in (gain, slow, other)] == pytest.approx(found, rel=1e-4)
    # On the other set it turns the other way.
    assert gain.other_high < 0 < slow.other_low
    assert [one.other_verdict for one in (gain, slow, other)] == [DEPENDS, DEPENDS, "refuted"]


def test_a_recipe_that_trains_only_some_of_the_systems_leaves_a_claim_undecided(params):
    claims = {"gain": claim_of(systems=[LOCAL_M]), "other": claim_of()}
    params = with_recipe(params, LOCAL_M, 0.5)
    del params.recipes["slow"]["base"], params.recipes["slow"][BEST]
    gain, slow, other = judged(Study(params), claims)
    assert (gain.ours, gain.verdict) != (None, NOT_TESTED)
    assert (slow.recipe, slow.ours, slow.verdict) == ("slow", None, "undecided")
    assert (slow.other_set, slow.other_ours, slow.other_verdict) == ("test2", None, "undecided")
    assert gain.other_verdict == "undecided"
    assert (other.verdict, other.alike) == ("confirmed", None)  # the recipe says nothing of it
    params.recipes["slow"] |= dict.fromkeys(("base", BEST), OwnRecipe())
    *_, other = judged(Study(params), claims)
    assert other.alike == "slow"
    assert claims_table([other]).cell("other", "by other recipes") == "slow: the same trainings"


def test_a_change_of_the_familys_recipe_asks_no_claim_twice(params):
    claims = {"gain": claim_of(systems=[LOCAL_M]), "other": claim_of()}
    lines = judged(Study(params), claims)
    family = {"family": {LOCAL_M: OwnRecipe(learning_rate=0.5)}}
    assert judged(Study(params.model_copy(update={"recipes": family})), claims) == lines
    assert [one.recipe for one in lines] == ["family", "family"]


def test_each_result_has_its_own_p():
    family = made_claim("a", verdict="undecided", p_holm=0.001, detectable=3.1)
    slow = {"recipe": "slow", "p_holm": 0.4, "detectable": 9.9, "still_learning": "base_slow"}
    table = claims_table([family, family.model_copy(update=slow)])
    assert table.cell("a", "p after Holm") == 0.001
    assert table.cell("a", "by other recipes").endswith(", p after Holm 0.400)")


def test_the_table_counts_the_verdicts_that_another_test_set_has_too():
    there = {"other_set": "test2", "other_low": 0.5, "other_high": 1.5}
    there |= {"other_p": 0.01, "other_p_holm": 0.02}
    lines = [
        made_claim("a", **there, other_verdict="confirmed", other_ours=1.0),
        made_claim("b", **there, other_verdict="undecided", other_ours=1.0),
        made_claim("b", **there, other_verdict="undecided", other_ours=2.0, recipe="own"),
        made_claim("c"),
        made_claim("d", verdict="described", other_verdict="described", other_set="test2"),
    ]
    table = claims_table(lines)
    assert "least favorable; on another set, 1 of 2 verdicts are the same. On" in table.caption
    assert table.cell("a", "on the other set") == "confirmed (+1.00)"
    assert table.cell("b", "on the other set") == "undecided (+1.00, own +2.00)"
    assert table.cell("c", "on the other set") is None
    assert "on another set" not in claims_table([made_claim("c")]).caption


def test_the_two_sides_of_a_claim_differ_in_what_their_models_say():
    params = load_params(ROOT / "params.yaml", ROOT)
    lines = [
        made_line(name, "parameters", count, kind="training", model=name)
        for name, count in (("base", 250_000), ("base_reverse", 250_000), (BEST, 263_424))
    ]
    numbers, claims = Numbers(lines), project_claims(ROOT).claims
    assert contrasts(params, numbers, claims["table1_reverse"]) == [
        "source read backwards against forwards"
    ]
    assert contrasts(params, numbers, claim_of(over=["base_reverse"])) == [
        "attention local_p against none",
        "score general against none",
        "input feeding yes against no",
        "dropout 0.2 against 0",
        "weights 263,424 against 250,000",
        "faults of the authors' program, which ours has not: a wrong gradient of the general score, "
        "a wrong gradient of p_t, weight on padding on this side, none on the other",
    ]
    ensemble = contrasts(params, numbers, claims["table1_ensemble"])
    assert ensemble[0] == "models 8 against 1"
    assert not [one for one in ensemble if one.startswith("average")]  # a single model has none
    alone = contrasts(params, numbers, claims["figure6_no_loss"])
    assert [one.partition(",")[0] for one in alone] == ["faults of the authors' program"]
    assert contrasts(params, numbers, claim_of(over=["global_dot"])) == []  # it is not trained


def test_the_two_sides_of_a_claim_may_differ_in_a_recipe_a_size_or_a_family():
    """What systems.yaml says of one's own systems is seen, also where the paper's never differ."""
    params, other = load_params(ROOT / "params.yaml", ROOT), "gru_additive"
    own = {"entry": "base", "warmup_steps": 100, "average_last": 3, "layers": 2, "window_D": 7}
    own["numbers"] = {"local_p": {"sigma": 3.0}, "adam": {"weight_decay": 0.1}}  # it learns by SGD
    ensemble = params.ensembles["ensemble"].model_copy(update={"average": "probabilities"})
    params = params.model_copy(
        update={
            "models": params.models | {"base": params.models[BEST].model_copy(update=own)},
            "ensembles": params.ensembles
            | {"other": ensemble.model_copy(update={"entry": "other"})},
        }
    )
    assert contrasts(params, Numbers([]), claim_of(over=["base"])) == [
        "layers 1 against 2",
        "window's D 3 against 7",
        "warmup steps none against 100",
        "average last none against 3",
        "numbers defaults against sigma 3 of local_p",
    ]
    two = contrasts(params, Numbers([]), claim_of(systems=["ensemble"], over=["other"]))
    assert two == ["average of logits against probabilities"]
    found = contrasts(params, Numbers([]), claim_of(over=[other]))
    assert found[0] == "family luong against course"
    assert not [one for one in found if one.startswith("window's D")]  # gru_additive has no window


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (("confirmed", "confirmed"), "confirmed"),
        (("refuted", "confirmed", "undecided"), DEPENDS),
        (("refuted", NOT_TESTED), "undecided"),
        (("refuted", "confirmed", NOT_TESTED), "undecided"),
        (("refuted", "undecided"), "undecided"),
        ((NOT_TESTED, NOT_TESTED), NOT_TESTED),
        (("described", NOT_TESTED), "described"),
    ],
)
def test_the_recipes_decide_together(words, verdict):
    assert together(words) == verdict


def test_a_claim_names_the_systems_that_still_learned_or_jumped(params):
    falls = {"base": (2.5, 0.5, 2.1), BEST: (1.5, 1.5, 9.0)}
    lines = [
        made_line(system, "late_fall", fall, set="dev", kind="training", model=name)
        for system in falls
        for name, fall in zip(params.seeds_of(system), falls[system], strict=True)
    ]
    lines.append(lines[0].model_copy(update={"metric": "jumps", "value": 2.0}))
    (line,) = judged(Study(params), {"gain": claim_of()}, lines)
    assert (line.still_learning, line.jumped) == ("base", "base 1 of 3")


def test_an_early_cost_needs_an_evaluation_near_the_end_of_the_quarter(params):
    for name in params.seeds_of(BEST):
        path = Layout("demo").model(name) / "history.csv"
        write_lines(path, ["step,x,test1_cost,test2_cost", "60,9,5,5", "400,9,1,1"])
    assert not is_testable(Study(params), claim_of(measure="early_cost", over=None))
    assert is_testable(Study(params), claim_of(measure="final_cost", over=None))


def test_missing_and_damaged_files_are_named(params):
    path = Layout("demo").model("base_2") / "history.csv"
    path.write_text("step,test1_cost\n100,x\n")
    with pytest.raises(InputError, match=r"base_2/history\.csv:2: not numbers"):
        found_of(params, claim_of(measure="final_cost"))
    scores = Layout("demo").scores("base_2")
    lines = read_scores(params, "base_2").lines
    other = {"set": "test2", "script": "tokenized"}
    write_numbers(scores, [one for one in lines if not other.items() <= dict(one).items()])
    with pytest.raises(InputError, match=r"base_2\.csv: no bleu of test2"):
        found_of(params, claim_of(test="last"))
    write_counts(Layout("demo").counts("base_3"), {})
    with pytest.raises(InputError, match=r"base_3\.npz: no counts of bleu test1 tokenized before"):
        found_of(params, claim_of())
