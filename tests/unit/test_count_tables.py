"""The tables of counts: unknown words, dictionaries, and what the trainings cost."""

from pathlib import Path

from made_report import MACHINE, changed, made_numbers, made_params
from small_experiment import make_experiment

from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.reporting import gather
from attnmt.reporting.count_tables import cost_table, dictionary_table, unknown_table
from attnmt.scoring.numbers import Numbers
from attnmt.text.dictionary import write_dictionaries

PARAMS = made_params("base", "local_p_general_feed", "local_p_general_feed_bpe", "gru_self")
NUMBERS = made_numbers(PARAMS)


def texts(table, row):
    return [table.text(row, heading) for heading in table.headings]


def test_every_attentive_system_on_words_has_its_unknown_words_counted():
    table = unknown_table(PARAMS, NUMBERS)
    assert list(table.frame.index) == ["local_p_general_feed", "gru_self"]
    expected = ["700", "600", "450", "75.0", "30", "5.0", "200", "180", "90.0"]
    assert texts(table, "gru_self") == ["gru_self", *expected]
    assert table.headings[3:7] == [
        "right",
        "right, %",
        "repeats a neighbor",
        "repeats a neighbor, %",
    ]
    assert "test1 (500 sentences)" in table.caption
    without = made_params("base", "local_p_general_feed_bpe")
    assert unknown_table(without, made_numbers(without)) is None


def test_a_system_that_replaces_nothing_has_no_percentage():
    numbers = NUMBERS
    for metric in ("replaced", "right", "repeated", "copied", "copied_right"):
        numbers = changed(numbers, numbers.system("gru_self", metric, "test1"), value=0)
    row = texts(unknown_table(PARAMS, numbers), "gru_self")
    assert row == ["gru_self", "700", "0", "0", "", "0", "", "0", "0", ""]


def test_the_cost_table_has_a_row_for_each_training():
    params = made_params("base", "gru_self", seeds=2)
    numbers = made_numbers(params)
    table = cost_table(params, numbers)
    assert list(table.frame["model"]) == ["base", "base_2", "gru_self", "gru_self_2"]
    assert texts(table, "base_2")[1:] == ["1,200", "20", "1,500", "30.0", "17", "1,234"]
    assert table.caption.startswith(f"4 trainings ({MACHINE}) took 2.0 hours")
    assert table.facts["base_2"]["seed"] == "2"
    one = cost_table(params, Numbers([line for line in numbers.lines if line.model == "base"]))
    assert one.caption.startswith("One training (")
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
    assert table.caption.startswith("2 trainings took 1.0 hours")
    assert "peak memory, MB" not in table.headings


LINKS = {
    ("house", "Haus"): 5,  # both are frequent enough for every vocabulary
    ("house", "Garten"): 2,
    ("garden", "Garten"): 3,
    ("unseen", "ungesehen"): 4,
    ("Unseen", "Ungesehen"): 4,
    ("old", "nirgends"): 2,
    ("rare", "selten"): 1,
}


def brute_force(params, family, direction):
    """Count from the lines: entries, words outside the vocabulary, and best translations outside it."""
    layout, (source, target) = Layout(params.experiment), direction.split("-")
    folder, lower = layout.encoded(family), params.families[family].encoding.lowercase
    known, known_targets = (
        set((folder / f"vocab.{k}").read_text().splitlines()[3:]) for k in (source, target)
    )
    counts: dict[str, dict[str, int]] = {}
    for line in (layout.dictionary / f"{direction}.tsv").read_text().splitlines():
        one, other, _, count = (line.lower() if lower else line).split("\t")
        counts.setdefault(one, {}).setdefault(other, 0)
        counts[one][other] += int(count)
    best = {word: max(found, key=lambda w: found[w]) for word, found in counts.items()}
    outside = [word for word in best if word not in known]
    return len(best), len(outside), sum(word not in known_targets for word in best.values())


def test_dictionaries_are_counted_as_by_brute_force(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    params = make_experiment(Path())
    folder, families = Layout(params.experiment).dictionary, ["words", "short"]  # pieces have none
    write_dictionaries(folder / "en-de.tsv", folder / "de-en.tsv", [LINKS], 2)
    aligner = {"system": "aligner 1.0", "aer": {"test": None}, "pairs": 4000, "parts": 9}
    write_json(folder / "aligner.json", aligner | {"min_count": 2})
    table = dictionary_table(params, Numbers(gather._dictionary_lines(params)))
    found = [tuple(row) for row in table.frame.iloc[:, 2:].itertuples(index=False)]
    directions = ("en-de", "de-en")
    assert found == [
        brute_force(params, f, direction) for direction in directions for f in families
    ]
    assert list(table.frame["family"]) == families * 2
    assert list(table.frame["dictionary"])[1:3] == ["English-German", "German-English"]
    entries, outside, _ = found[0]
    assert 0 < outside < entries
    assert found[1][0] == entries - 1  # two entries become one in lower case
    assert "(aligner 1.0, 4,000 pairs, in 9 parts, words linked 2 times or more)" in table.caption
