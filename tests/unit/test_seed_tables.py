"""Tables of systems with several seeds: means, deviations, intervals, and which gains have a verdict."""

from math import sqrt

import numpy as np
import pytest
from made_scores import made_tests, with_seeds, write_aligner, write_all
from made_scores import write_scores as write
from papers import paper_params
from scipy import stats

from attnmt.config import Params
from attnmt.reporting.compare import make_tables
from attnmt.reporting.render import markdown
from attnmt.reporting.tables import Cell, Table
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.seed_statistics import Outcome, Runs

PAIR = ["base", "base_reverse"]
BEST = "local_p_general_feed"
NEW = ["trainings", "gain_low", "gain_high", "verdict"]


@pytest.fixture(autouse=True)
def tested(tmp_path, monkeypatch):
    """Have every test of one seed return p = 0.01; return the list of the pairs tested."""
    monkeypatch.chdir(tmp_path)
    write_aligner(paper_params())
    return made_tests(monkeypatch)


def some(models: list[str], *tests: str) -> Params:
    """Return the root's experiment with some models, no ensemble, and these test sets."""
    params = paper_params()
    sets = params.sets.model_copy(update={"tests": list(tests) or params.sets.tests})
    models_of = {name: params.models[name] for name in models}
    return params.model_copy(update={"models": models_of, "ensembles": {}, "sets": sets})


def table_of(params: Params, name: str = "table1") -> Table:
    return next(table for table in make_tables(Study(params)) if table.name == name)


def row_of(table: Table, key: str) -> dict[str, Cell]:
    return table.rows[table.keys.index(key)]


def pick(row, *columns):
    return [row[column] for column in columns]


def test_several_seeds_give_mean_deviation_interval_and_their_number():
    params = with_seeds(some(PAIR), "base", 2, 4)
    write(params, "base_reverse", 14.0)
    values = {"base": 10.25, "base_2": 10.5, "base_4": 11.0}
    for name, value in values.items():
        write(params, name, value)
    table = table_of(params)
    base, reverse = row_of(table, "base"), row_of(table, "reverse")
    # The sentences add nothing here, so the interval is Student's for a new training.
    mean, sd = np.mean([*values.values()]), np.std([*values.values()], ddof=1)
    half = stats.t.ppf(0.975, 2) * sd * sqrt(1 + 1 / 3)
    interval = [round(mean - half, 2), round(mean + half, 2)]
    assert pick(base, "bleu", "bleu_sd", "ppl", "ppl_sd") == [10.58, 0.38, 89.42, 0.38]
    assert pick(base, "bleu_low", "bleu_high") == interval
    assert pick(base, "model", "seeds", "trainings") == ["base base_2 base_4", "1 2 4", 3]
    assert base["files"].split() == [f"scores/demo/{n}.json" for n in base["model"].split()]
    assert pick(reverse, "bleu_low", "bleu_high", "bleu_sd", "trainings") == [13.0, 15.0, None, 1]
    shown = {column.heading: column.cells[table.keys.index("base")] for column in table.columns}
    assert (shown["seeds"], shown["BLEU"]) == ("3", "10.6 ± 0.4")
    caption = str(table.caption)
    assert "test1 (500 sentences, means over a model's seeds, beam 5)" in caption
    assert "a new training on a new sample of sentences" in caption
    alone = with_seeds(some(["base"]), "base", 2)
    assert "mean of seeds 1, 2," in str(table_of(alone).caption)


def test_the_sentences_widen_the_interval(monkeypatch):
    """Sentences that move both seeds alike are drawn again for a new training, too."""
    params = with_seeds(some(["base"]), "base", 2)
    write_all(params)
    narrow = row_of(table_of(params), "base")
    moved = np.tile(np.linspace(-200, 200, 500), (2, 1))
    monkeypatch.setattr(Study, "translations", lambda *_: Runs(np.array([10.0, 11.0]), moved))
    wide = row_of(table_of(params), "base")
    assert pick(wide, "bleu", "bleu_sd") == pick(narrow, "bleu", "bleu_sd")
    assert wide["bleu_high"] - wide["bleu_low"] > narrow["bleu_high"] - narrow["bleu_low"]


def test_a_gain_of_several_seeds_is_welchs_where_sentences_add_nothing(tested):
    params = with_seeds(with_seeds(some(PAIR), "base", 2, 3), "base_reverse", 2)
    base, reverse = [10.0, 10.4, 10.1], [14.0, 13.5]
    for name, value in zip(params.seeds_of("base"), base, strict=True):
        write(params, name, value)
    for name, value in zip(params.seeds_of("base_reverse"), reverse, strict=True):
        write(params, name, value)
    table = table_of(params)
    row, welch = row_of(table, "reverse"), stats.ttest_ind(reverse, base, equal_var=False)
    interval = welch.confidence_interval()
    assert row["p"] == pytest.approx(welch.pvalue, abs=1e-6)
    assert pick(row, "gain_low", "gain_high") == [round(interval.low, 2), round(interval.high, 2)]
    assert row["verdict"] == "same order"
    assert tested == []
    line = next(
        line for line in markdown(table).splitlines() if line.startswith("| Base + reverse |")
    )
    assert f"+{interval.low:.1f} to +{interval.high:.1f}" in line
    assert "hold for other seeds and other sentences" in str(table.caption)


def test_before_and_after_replacement_share_trainings():
    """So the gain varies less than the scores do."""
    params = with_seeds(some([BEST]), BEST, 2, 3)
    for name, value in zip(params.models, (10.0, 20.0, 30.0), strict=True):
        write(params, name, value)
    row = row_of(table_of(params), "local_p_unk")
    assert pick(row, "gain", "gain_low", "gain_high") == [2.0, 2.0, 2.0]
    assert row["p"] == 1  # gains that do not vary at all are no evidence
    assert row["verdict"] == "within noise"


def with_ensembles(params: Params, *members: list[str]) -> Params:
    """Return parameters with an ensemble of these members for each seed."""
    first = paper_params().ensembles["ensemble"]
    names = ["ensemble", *(f"ensemble_{seed}" for seed in range(2, len(members) + 1))]
    ensembles = {
        name: first.model_copy(update={"members": each})
        for name, each in zip(names, members, strict=True)
    }
    return params.model_copy(update={"ensembles": ensembles})


@pytest.fixture
def seeds_of_ensembles(monkeypatch):
    """Let ensembles have seeds, named ensemble, ensemble_2 and so on."""
    runs_of = Params.runs_of

    def with_ensemble_seeds(self, name):
        return list(self.ensembles) if name == "ensemble" else runs_of(self, name)

    monkeypatch.setattr(Params, "runs_of", with_ensemble_seeds)


def test_an_ensemble_and_its_member_are_compared_seed_by_seed(seeds_of_ensembles):
    params = with_seeds(with_seeds(some([BEST, "base"]), BEST, 2, 3), "base", 2, 3)
    pairs = [[BEST, "base"], [f"{BEST}_2", "base_2"]]
    study = Study(with_ensembles(params, *pairs))
    assert study.pairs("ensemble", BEST) == ([0, 1], [0, 1])  # the third seed has no partner
    ensemble, member = Runs.of_values([12.0, 22.5]), Runs.of_values([10.0, 20.0, 30.0])
    found = study.gain("ensemble", ensemble, BEST, member)
    assert found is not None
    assert (found.value, found.freedom) == (2.25, 1)
    crossed = Study(with_ensembles(params, [BEST, f"{BEST}_2"], [f"{BEST}_2", f"{BEST}_3"]))
    assert crossed.pairs("ensemble", BEST) is None
    assert crossed.gain("ensemble", ensemble, BEST, member) is None
    apart = Study(with_ensembles(params, ["base"], ["base_2"]))
    independent = apart.gain("ensemble", ensemble, BEST, member)
    assert independent is not None
    assert independent.value == pytest.approx(17.25 - 20)


def test_one_seed_against_several_has_neither_p_nor_verdict(tested):
    params = with_seeds(some(PAIR), "base", 2)
    write_all(params)
    write(params, "base_reverse", 60.0)
    table = table_of(params)
    row = row_of(table, "reverse")
    assert pick(row, "gain", "p", "gain_low", "verdict") == [49.0, None, None, None]
    assert tested == []
    assert "Where only one of them has several seeds, the gain has no p." in str(table.caption)


def test_only_rows_with_seeds_on_both_sides_have_a_verdict():
    models = [*PAIR, "base_reverse_dropout", "global_location"]
    params = with_seeds(with_seeds(some(models), "base", 2), "base_reverse", 2)
    write_all(params)
    for name, value in {
        "base": 10.0,
        "base_2": 10.1,
        "base_reverse": 20,
        "base_reverse_2": 20.1,
    }.items():
        write(params, name, value)
    table = table_of(params)
    found = {row["model"]: (row["verdict"], row["p"]) for row in table.rows if row["p"]}
    assert found["base_reverse base_reverse_2"][0] == "same order"
    assert found["global_location"] == (None, 0.01)  # about the sentences
    assert "base_reverse_dropout" not in found
    assert "p is about the sentences" in str(table.caption)


def test_tables_of_one_seed_have_no_verdict_and_say_so():
    params = paper_params()
    write_all(params)
    for name, value in {"base": 10.0, "base_reverse": 60.0}.items():
        write(params, name, value)
    for table in make_tables(Study(params)):
        assert not any(column in row for row in table.rows for column in NEW)
        assert {"verdict", "trainings", "gain_interval"}.isdisjoint(c.key for c in table.columns)
        assert "95% intervals" in table.caption.lead
        assert "for the sentences, by the bootstrap" in table.caption.lead
        if any(row.get("p") for row in table.rows):
            assert "This table has no verdict" in table.caption.rest
        assert "The verdict says" not in str(table.caption)
        assert "within noise" not in str(table.caption)


@pytest.mark.parametrize(
    ("bleu", "verdict"),  # the paper has 11.3
    [(9.0, "lower"), (11.0, "agrees"), (11.6, "agrees"), (13.0, "higher")],
)
def test_on_the_papers_own_set_a_verdict_is_about_its_bleu(bleu, verdict):
    params = with_seeds(some(["base"], "newstest2014", "newstest2015"), "base", 2)
    write(params, "base", bleu)
    write(params, "base_2", bleu + 0.1)
    table = table_of(params)
    assert row_of(table, "base")["verdict"] == verdict  # the interval is 1.1 to either side
    assert "lies in our interval" in str(table.caption)
    alone = some(["base"], "newstest2014", "newstest2015")
    assert "verdict" not in row_of(table_of(alone), "base")


class Fixed:
    """An estimate whose p is known."""

    def __init__(self, value: float, p: float) -> None:
        self.value, self.p = value, p

    def test(self, sign: str) -> Outcome:
        return Outcome(self.value, self.value - 1, self.value + 1, self.p / 2, 1)


@pytest.mark.parametrize(
    ("bleu", "p", "verdict"),  # the row above has 10, and the paper a gain
    [
        (9.9, 0.0499, "other order"),
        (9.9, 0.05, "within noise"),
        (10.0, 0.01, "within noise"),
        (10.1, 0.05, "within noise"),
        (10.1, 0.0499, "same order"),
    ],
)
def test_on_other_sets_an_order_needs_a_significant_gain(monkeypatch, bleu, p, verdict):
    monkeypatch.setattr(
        Study, "gain", lambda self, a, ours, b, other: Fixed(ours.mean - other.mean, p)
    )
    params = with_seeds(with_seeds(some(PAIR), "base", 2), "base_reverse", 2)
    for name in params.models:
        write(params, name, bleu if "reverse" in name else 10.0)
    table = table_of(params)
    assert pick(row_of(table, "base"), "p", "verdict") == [None, None]
    assert pick(row_of(table, "reverse"), "p", "verdict") == [p, verdict]
    assert row_of(table, "reverse")["gain"] == round(bleu - 10, 2)


@pytest.mark.parametrize(("bleu", "verdict"), [(22.5, "higher"), (18.5, "lower")])
def test_our_own_tables_have_verdicts_from_seeds(bleu, verdict):
    other = f"{BEST}_bpe"
    params = with_seeds(with_seeds(some([BEST, other]), BEST, 2), other, 2)
    for name in params.models:
        write(params, name, (bleu if "bpe" in name else 20.0) + 0.01 * name.endswith("2"))
    table = table_of(params, "table_bpe")
    assert [row["verdict"] for row in table.rows] == [None, verdict]
    assert "higher or lower than with words" in str(table.caption)


def test_aer_is_a_mean_over_seeds_too():
    params = with_seeds(some(["local_m_general_feed"]), "local_m_general_feed", 2)
    write(params, "local_m_general_feed", 10.0, 0.25)
    write(params, "local_m_general_feed_2", 10.0, 0.5)
    write_aligner(params)
    row = row_of(table_of(params, "table6"), "local_m_general")
    assert pick(row, "aer", "aer_sd", "aer_same", "aer_next") == [0.375, 0.1768, 0.375, 0.75]
