"""The claims judged from an experiment's files: which are tested, on which numbers, what readers see."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from made_scores import made_tests, with_seeds, write_data, write_outputs
from made_scores import write_scores as write
from papers import paper_params
from real_text import read_text, spoil

from attnmt.config import Params
from attnmt.config.claims import Claim, project_claims
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json, write_lines, write_text
from attnmt.layout import Layout
from attnmt.reporting.claims_table import NOT_TESTED, claims_table
from attnmt.reporting.headlines import Headline, make_headlines
from attnmt.reporting.render import markdown
from attnmt.reporting.tables_file import shown
from attnmt.scoring.claims import is_testable, judged_claims
from attnmt.scoring.lengths import by_length
from attnmt.scoring.scripts import References, score_alone
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.seed_statistics import contrast, difference
from attnmt.scoring.verdicts import ALPHA, verdicts

ROOT = Path(__file__).parents[2]
CLAIMED = project_claims(ROOT)
BEST, LOCAL_M = "local_p_general_feed", "local_m_general_feed"
LINES = 40
REFERENCES = read_text("demo", LINES)
GOLD = ["0-0 1-1 2?2"] * LINES
COUNTS = {"lines": LINES, "sure": 2 * LINES, "possible": 3 * LINES}


@pytest.fixture
def params(tmp_path, monkeypatch):
    """Return an experiment with three systems of three seeds; write what they translated."""
    monkeypatch.chdir(tmp_path)
    params = paper_params()
    models = {name: params.models[name] for name in ("base", "base_reverse", BEST, LOCAL_M)}
    evaluation = params.evaluation.model_copy(update={"length_group": 10})
    changes = {"models": models, "ensembles": {}, "evaluation": evaluation}
    params = params.model_copy(update=changes)
    for name in ("base", BEST, LOCAL_M):
        params = with_seeds(params, name, 2, 3)
    write_data(params, "luong", REFERENCES, GOLD)
    for at, name in enumerate(params.models):
        _write_run(params, name, at)
    return params


def _write_run(params: Params, name: str, at: int) -> None:
    """Write a training: the better system's translations have fewer wrong words."""
    share = 0.1 if name.startswith("local") else 0.5
    before = spoil(REFERENCES, seed=at, share=share)
    after = [line.replace("<unk>", "Haus") for line in before]
    links = [
        "0-0 1-1" if (line + at) % 5 or "local_p" in name else "0-1 1-0" for line in range(LINES)
    ]
    write_outputs(params, name, before, after=after, links=["0-1 1-0"] * LINES)
    write_lines(Layout("demo").translations(name) / "test1.forced.next.links", links)
    write(params, name, 20.0 + at, 0.1)
    path = Layout("demo").scores(name)
    scores = read_json(path)
    scores["alignments"] = [one | COUNTS for one in scores["alignments"]]
    if name.startswith(BEST):
        group = {"lines": 10, "before": 10.0, "after": 10.0}
        scores["sets"]["test1"]["lengths"] = [group | {"max_length": at} for at in (5, 9, 12, 20)]
    write_json(path, scores)
    steps = (100, 200, 300, 400, 500)[: 4 if name == BEST else 5]
    lines = [f"{step},9,{at + 1000 / step:.4f}" for step in steps]
    write_text(
        Layout("demo").model(name) / "history.csv", "\n".join(["step,x,test1_cost", *lines, ""])
    )


def claim_of(**changes) -> Claim:
    values = {"claim": "A is more.", "where": "Table 1", "measure": "bleu", "systems": [BEST]}
    return Claim(**values | {"over": ["base"], "sign": "greater", "differs": []} | changes)


def outcome_of(params: Params, claim: Claim):
    return judged_claims(Study(params), {"one": claim})["one"].outcome


def test_bleu_is_that_of_every_seeds_translations(params):
    study = Study(params)
    runs = study.translations(BEST, "tokenized", "test1", replaced=False)
    folder = Layout("demo").translations
    expected = [
        score_alone(
            "tokenized",
            (folder(name) / "test1.out").read_text().splitlines(),
            References(REFERENCES),
        )
        for name in params.seeds_of(BEST)
    ]
    assert runs.values == pytest.approx(expected, abs=1e-3)
    assert runs.influences.shape == (3, LINES)
    base = study.translations("base", "tokenized", "test1", replaced=False)
    found, tested = difference(runs, base), outcome_of(params, claim_of())
    assert (tested.value, tested.low) == pytest.approx((found.value, found.interval()[0]))
    assert judged_claims(study, {"one": claim_of()})["one"].seeds == [3]


def test_each_half_of_the_seeds_is_judged_alone(params):
    claims = {"gain": claim_of(), "loss": claim_of(sign="less")}
    claims["aer"] = claim_of(measure="aer", over=[LOCAL_M], sign="less")
    assert not judged_claims(Study(params), claims)["gain"].halves  # there are three seeds only
    for name in ("base", BEST, LOCAL_M):
        params = with_seeds(params, name, 4)
        _write_run(params, f"{name}_4", 20)
    study = Study(params)
    judged = judged_claims(study, claims)
    best, base = (study.translations(n, "tokenized", "test1", False) for n in (BEST, "base"))
    aers = [study.alignments(name, "test1", chosen=True) for name in (BEST, LOCAL_M)]
    for half, seeds in enumerate(([0, 2], [1, 3])):
        gain = difference(best.of(seeds), base.of(seeds))
        aer = difference(*(one.of(seeds) for one in aers))
        tests = {"gain": gain.test("greater"), "loss": gain.test("less"), "aer": aer.test("less")}
        words = {key: verdict.word for key, verdict in verdicts(tests).items()}
        assert {key: one.halves[half] for key, one in judged.items()} == words
    text = markdown(claims_table(study, claims))
    assert "half of the seeds, and with the other half" in text


def test_a_gain_by_replacement_takes_both_texts_of_one_training(params):
    study = Study(params)
    before, after = (study.translations(BEST, "tokenized", "test1", r) for r in (False, True))
    tested = outcome_of(params, claim_of(measure="gain_by_replacement", over=None))
    assert tested.value == pytest.approx(contrast([after.minus(before)], [1]).value)
    replaced = outcome_of(params, claim_of(measure="bleu_replaced", over=None))
    assert replaced.value == pytest.approx(after.mean)


def test_error_rates_are_those_of_the_chosen_step(params):
    """The links of the step that the authors' program reads are all wrong here."""
    assert Study(params).alignments(BEST, "test1").values == pytest.approx([1, 1, 1])
    tested = outcome_of(params, claim_of(measure="aer", over=[LOCAL_M], sign="less"))
    assert Study(params).alignments(BEST, "test1", chosen=True).values == pytest.approx([0, 0, 0])
    wrong = LINES / 5 / LINES  # one line in five of local-m has only wrong links
    assert tested.value == pytest.approx(-wrong)


def test_error_rates_against_silver_links_are_called_so(params):
    claims = {"aer": claim_of(measure="aer", over=[LOCAL_M], sign="less")}
    gold = claims_table(Study(params), claims)
    (Layout("demo").tokens / "test1.links").unlink()
    write_lines(Layout("demo").dictionary / "test1.links", ["0-0 1-1"] * LINES)
    for name in params.models:
        path = Layout("demo").scores(name)
        scores = read_json(path)
        scores["alignments"] = [one | {"kind": "silver"} for one in scores["alignments"]]
        write_json(path, scores)
    silver = claims_table(Study(params), claims)
    sentence = "No person linked the words of test1. So AER is measured against the links of the"
    assert sentence in silver.caption.rest
    assert sentence not in gold.caption.rest
    others = claims_table(Study(params), {"bleu": claim_of()})
    assert sentence not in others.caption.rest


def test_perplexity_and_costs_are_those_of_the_trainings(params):
    numbers = {name: at for at, name in enumerate(params.models)}
    mean = {name: sum(numbers[run] for run in params.seeds_of(name)) / 3 for name in (BEST, "base")}
    perplexity = outcome_of(params, claim_of(measure="perplexity"))
    assert perplexity.value == pytest.approx(mean["base"] - mean[BEST])
    early = outcome_of(params, claim_of(measure="early_cost", over=None))
    assert early.value == pytest.approx(mean[BEST] + 1000 / 100)  # the first of four evaluations
    # The shortest curve ends at step 400, so all costs are those at this step.
    final = outcome_of(params, claim_of(measure="final_cost", over=None))
    assert final.value == pytest.approx(mean[BEST] + 1000 / 400)
    assert perplexity.freedom is not None
    assert perplexity.freedom <= 4  # no sentences are drawn


def test_the_slope_is_that_of_groups_by_length(params):
    tested = outcome_of(params, claim_of(measure="length_slope", over=None, bound=-1.0))
    groups = []
    for name in params.seeds_of(BEST):
        lines = (Layout("demo").translations(name) / "test1.replaced").read_text().splitlines()
        groups.append(
            [group.after for group in by_length(lines, lines, References(REFERENCES), 10)]
        )
    lengths = sorted(len(line.split()) for line in REFERENCES)
    means = np.array(lengths).reshape(4, 10).mean(1)
    assert tested.value == pytest.approx(np.polyfit(means, np.mean(groups, 0), 1)[0], abs=1e-3)
    one_length = claim_of(measure="length_slope")  # base has no groups
    assert not is_testable(Study(params), one_length)


def test_a_rank_correlation_may_be_with_another_measure(params):
    claim = claim_of(
        measure="bleu", compare="rank", rank_with="bleu_replaced", over=None, sign="greater",
        systems=[BEST, "base", LOCAL_M],
    )  # fmt: skip
    assert outcome_of(params, claim).value == 1


def test_claims_need_two_seeds_of_every_system(params):
    study = Study(params)
    assert is_testable(study, claim_of())
    assert not is_testable(study, claim_of(over=["base_reverse"]))  # one seed
    assert not is_testable(study, claim_of(over=["global_location"]))  # not trained
    assert not is_testable(study, claim_of(compare="paired", over=["base"]))  # no shared training
    assert not is_testable(study, claim_of(measure="aer"))  # base has no links
    assert is_testable(study, claim_of(measure="aer", over=[LOCAL_M]))


def test_the_last_test_set_is_the_other_directions(params):
    with pytest.raises(InputError, match=r"test2\.out|encoded"):
        outcome_of(params, claim_of(test="last"))


@pytest.fixture
def table(params):
    """Return the table of four claims: right, wrong, unclear and untestable."""
    claims = {
        "right": claim_of(size=2.8, differs=["Much else.", "More."]),
        "wrong": claim_of(claim="A is less.", sign="less", size=-0.5),
        "unclear": claim_of(claim="B is more.", over=[LOCAL_M], measure="bleu_replaced"),
        "untested": claim_of(claim="C is more.", over=["base_reverse"], size=1.3),
    }
    return claims_table(Study(params), claims)


def test_the_table_has_claim_size_interval_seeds_and_verdict(table, params):
    assert table.keys == ["right", "wrong", "unclear", "untested"]
    right, wrong, unclear, untested = table.rows
    words = [row["verdict"] for row in table.rows]
    assert words == ["confirmed", "refuted", "undecided", NOT_TESTED]
    assert right["ours"] == wrong["ours"] > 0
    assert right["low"] < right["ours"] < right["high"]
    assert (right["trainings"], right["paper"]) == ("3", 2.8)
    study = Study(params)
    claims = {"right": claim_of(), "wrong": claim_of(sign="less")}
    claims["unclear"] = claim_of(over=[LOCAL_M], measure="bleu_replaced")
    # All claims are judged together.
    expected = verdicts({key: one.outcome for key, one in judged_claims(study, claims).items()})
    assert [row["p_holm"] for row in table.rows[:3]] == [
        pytest.approx(one.adjusted, abs=1e-6) for one in expected.values()
    ]
    assert untested["ours"] is untested["p_holm"] is untested["stage"] is None
    assert unclear["p_holm"] > ALPHA
    text = markdown(table)
    lines = {line.split(" | ")[0]: line for line in text.splitlines() if line.startswith("|")}
    assert "| confirmed | BLEU | +2.80 | +" in lines["| A is more."]
    assert "| Much else. More. | Table 1 |" in lines["| A is more."]
    assert "| not tested | BLEU | +1.30 |  |  |  |  |" in lines["| C is more."]
    effect = f"{unclear['detectable']:.2f}"
    assert f"| {effect} |" in lines["| B is more."]
    assert f"| {right['detectable']:.2f} |" not in lines["| A is more."]
    assert "3 of 4 claims are tested here." in text


def test_a_headline_counts_the_verdicts(table, params):
    assert make_headlines(params, {"claims": shown(table)}, papers_text=False)[-1] == Headline(
        "Claims confirmed", "1 of 3", "1 refuted, 1 undecided", "1 not tested"
    )


def test_one_seed_judges_no_claim(params):
    first = {name: model for name, model in params.models.items() if model.seed == 1}
    alone = params.model_copy(update={"models": first})
    assert claims_table(Study(alone), CLAIMED) is None
    assert make_headlines(alone, {}, papers_text=False) == []


def test_every_claim_of_the_file_has_a_row(params, monkeypatch):
    made_tests(monkeypatch)
    table = claims_table(Study(params), CLAIMED)
    assert table is not None
    assert table.keys == list(CLAIMED)
    tested = {row["key"] for row in table.rows if row["verdict"] != NOT_TESTED}
    assert tested == {"figure6_no_loss"}


def test_damaged_files_are_named(params):
    path = Layout("demo").model("base_2") / "history.csv"
    path.write_text("step,test1_cost\n100,x\n")
    with pytest.raises(InputError, match=r"base_2/history\.csv:2: test1_cost: 'x' is not"):
        outcome_of(params, claim_of(measure="final_cost"))
    Path("translations/demo/base_3/test1.out").unlink()
    with pytest.raises(InputError, match=r"base_3/test1\.out: no such file"):
        outcome_of(params, claim_of())


def test_claims_are_read_beside_the_systems(tmp_path):
    for name in ("claims.yaml", "systems.yaml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    assert project_claims(tmp_path) == CLAIMED
    systems = yaml.safe_load((ROOT / "systems.yaml").read_text())
    del systems["systems"]["base"]
    del systems["tables"]
    (tmp_path / "systems.yaml").write_text(yaml.safe_dump(systems))
    with pytest.raises(InputError, match="no system or ensemble 'base'"):
        project_claims(tmp_path)
