"""The tables of counts: unknown words, dictionaries, and what the trainings cost."""

from made_report import MACHINE, ROOT, changed, made_numbers, made_params

from attnmt.config import load_params
from attnmt.reporting.count_tables import cost_table, recipe_table, unknown_table
from attnmt.reporting.settings_table import settings_table
from attnmt.reporting.table import table_of
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.ranking import LEARNING

PARAMS = made_params("base", "local_p_general_feed", "local_p_general_feed_bpe", "gru_self")
NUMBERS = made_numbers(PARAMS)


def texts(table, row):
    return [table.text(row, heading) for heading in table.headings]


def test_every_attentive_system_on_words_has_its_unknown_words_counted():
    table = unknown_table(PARAMS, NUMBERS)
    assert list(table.frame.index) == ["local_p_general_feed", "gru_self"]
    expected = ["700", "600", "450", "75.0", "30", "5.0", "200", "180", "90.0"]
    assert texts(table, "gru_self") == ["gru_self", *expected]
    percent = [heading for heading in table.headings if heading.endswith("%")]
    assert percent == ["right, %", "repeats a neighbor, %", "copied, right, %"]
    assert "test1 (500 sentences)" in table.caption
    without = made_params("base", "local_p_general_feed_bpe")
    assert unknown_table(without, made_numbers(without)) is None
    numbers = NUMBERS  # a system that replaces nothing has no percentage
    for metric in ("replaced", "right", "repeated", "copied", "copied_right"):
        numbers = changed(numbers, numbers.system("gru_self", metric, "test1"), value=0)
    row = texts(unknown_table(PARAMS, numbers), "gru_self")
    assert row == ["gru_self", "700", "0", "0", "", "0", "", "0", "0", ""]


def test_unknown_words_of_several_seeds_are_means_with_their_deviation():
    params = made_params("base", "gru_self", seeds=2)
    table = unknown_table(params, made_numbers(params))
    assert table.headings[:3] == ["system", "seeds", "unknown words"]
    assert texts(table, "gru_self")[1:4] == ["2", "700 ± 0", "600 ± 0"]
    assert table.caption.endswith("Counts are means over seeds, ±.")
    assert "seeds" not in unknown_table(PARAMS, NUMBERS).headings


def test_only_a_recipe_beside_that_of_the_family_makes_a_table_of_recipes():
    """In captions the recipe "family" stands in place of the family's own, and "adam" beside it."""
    params = load_params(ROOT / "experiments/captions/params.yaml", ROOT)
    table = recipe_table(params, made_numbers(params))
    systems = {name.removesuffix(LEARNING) for name in table.frame["system"]}
    assert systems == {"gru_additive", "gru_multiplicative", "gru_self"}
    assert [*table.frame["recipe"]] == ["family", "adam"] * 3


def test_the_cost_table_has_a_row_for_each_system_with_means_over_its_seeds():
    params = made_params("base", "gru_self", seeds=2)
    numbers = made_numbers(params)
    mean = {"kind": "system", "model": None, "sd": 4.0}
    lines = [
        line.model_copy(update=mean) if (line.metric, line.model) == ("steps", None) else line
        for line in numbers.lines
    ]
    table = cost_table(params, Numbers(lines))
    assert list(table.frame["system"]) == ["base", "gru_self"]
    assert texts(table, "base")[1:] == ["2", "1,200", "20 ± 4", "1,500", "30.0", "17", "1,234"]
    assert table.caption.startswith(f"4 trainings ({MACHINE}) took 2.0 hours")
    assert "means over seeds" in table.caption
    single = made_params("base")
    one = cost_table(single, made_numbers(single))
    assert one.caption.startswith("One training (")
    assert "means" not in one.caption
    assert cost_table(params, Numbers([])) is None


def test_machines_that_differ_are_shown_row_by_row_and_an_empty_column_is_not():
    params = made_params("base", "gru_self")
    lines = [
        line.model_copy(update={"signature": "an accelerator"}) if line.model == "base" else line
        for line in made_numbers(params).lines
        if line.metric != "peak_memory_mb"
    ]
    table = cost_table(params, Numbers(lines))
    assert list(table.frame["machine"]) == ["an accelerator", MACHINE]
    assert table.caption.startswith("2 trainings took 60 minutes")
    assert "peak memory, MB" not in table.headings


def test_settings_that_differ_are_columns_and_those_that_all_share_stand_in_the_caption():
    params = made_params("base", "local_p_general_feed", "local_p_general_feed_bpe", seeds=2)
    table = settings_table(params, NUMBERS)
    encoding = ["vocabulary limit", "units", "merges", "threshold"]
    assert table.headings == [
        "system",
        "dropout",
        *encoding[:2],
        "window D",
        *encoding[2:],
        "seeds",
    ]
    assert texts(table, "base") == ["base", "0", "600", "words", "", "", "", "2"]
    bpe = params.families[params.model("local_p_general_feed_bpe").family].encoding
    name, pieces = "local_p_general_feed_bpe", bpe.pieces
    counts = [
        f"{bpe.vocabulary:,}",
        "parts of words",
        "3",
        f"{pieces.merges:,}",
        f"{pieces.threshold}",
    ]
    assert texts(table, name) == [name, "0.2", *counts, "2"]
    assert "optimizer sgd, rate 1, epochs 4, halved after 2, batch 24, cell lstm, " in table.caption
    assert "A local window" not in settings_table(made_params("base"), NUMBERS).caption


def test_whatever_setting_differs_is_a_column():
    params = made_params("base", "gru_self")
    name = params.model("gru_self").family
    family = params.families[name]
    changes = {
        "shape": {"location_slots": 7, "init": 0.2},
        "encoding": {"vocabulary": 1_000_000, "lowercase": True, "length": 20},
        "training": {"clip_embeddings": True, "optimizer": "adam"},
    }
    sections = {
        key: getattr(family, key).model_copy(update=change) for key, change in changes.items()
    }
    families = params.families | {name: family.model_copy(update=sections)}
    table = settings_table(params.model_copy(update={"families": families}), NUMBERS)
    headings = [
        "init",
        "location slots",
        "vocabulary limit",
        "lowercase",
        "length",
        "clip embeddings",
    ]
    headings += ["optimizer"]
    shown = [table.text("gru_self", heading) for heading in headings]
    assert shown == ["0.2", "7", "1,000,000", "yes", "20", "yes", "adam"]
    shown = [table.text("base", heading) for heading in headings]
    assert shown == ["0.1", "50", "600", "no", "", "no", "sgd"]


def test_a_row_with_nothing_but_a_name_is_left_out():
    rows = {"a": {"system": "a", "n": 1.0}, "b": {"system": "b", "n": None}}
    assert list(table_of("t", "T", "A.", rows, {}, {}).frame.index) == ["a"]
