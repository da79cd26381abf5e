"""The tables of counts: unknown words, dictionaries, and what the trainings cost."""

from made_report import changed, made_numbers, made_params

from attnmt.reporting.count_tables import cost_table, unknown_table
from attnmt.scoring.score_table import ScoreTable

PARAMS = made_params("base", "local_p_general_feed", "local_p_general_feed_bpe", "gru_self")
NUMBERS = made_numbers(PARAMS)


def texts(table, row):
    return [table.text(row, heading) for heading in table.headings]


def test_every_attentive_system_on_words_has_its_unknown_words_counted():
    table = unknown_table(PARAMS, NUMBERS)
    assert list(table.frame.index) == ["local_p_general_feed", "gru_self"]
    expected = ["700", "600", "450", "75.0", "30", "5.0", "200", "180", "90.0", "test1", "500"]
    assert texts(table, "gru_self") == ["gru_self", *expected]
    without = made_params("base", "local_p_general_feed_bpe")
    assert unknown_table(without, made_numbers(without)).frame.empty
    numbers = NUMBERS  # a system that replaces nothing has no percentage
    for metric in ("replaced", "right", "repeated", "copied", "copied_right"):
        numbers = changed(numbers, numbers.system("gru_self", metric, "test1"), value=0)
    row = texts(unknown_table(PARAMS, numbers), "gru_self")
    assert row[1:-2] == ["700", "0", "0", "", "0", "", "0", "0", ""]


def test_counts_of_several_seeds_are_means_with_their_deviation():
    params = made_params("base", "gru_self", seeds=2)
    numbers = made_numbers(params)
    table = unknown_table(params, numbers)
    assert texts(table, "gru_self")[1:4] == ["2", "700 ± 0", "600 ± 0"]
    mean = {"kind": "system", "model": None, "sd": 4.0}
    lines = [
        line.model_copy(update=mean) if (line.metric, line.model) == ("steps", None) else line
        for line in numbers.lines
    ]
    costs = texts(cost_table(params, ScoreTable(lines)), "base")
    assert costs[1:] == ["2", "1,200", "20 ± 4", "1,500", "2"]
    assert cost_table(params, ScoreTable([])).frame.empty
