"""The report on one's own text: its own systems on every test set, and each comparison."""

import pytest
from made_report import (
    MODELS,
    changed,
    made_params,
    of_own_text,
    own_numbers,
)

from attnmt.reporting.comparisons import comparisons_table, headline
from attnmt.reporting.tables import make_tables
from attnmt.scoring.comparisons import comparisons

BASE = "base_reverse_dropout"
BEST, SECOND = "local_p_general_feed", "local_m_general_feed"
SUBWORDS = "local_p_general_feed_bpe"
PARAMS = of_own_text(made_params(*MODELS))
NUMBERS = own_numbers(PARAMS)


def test_every_comparison_has_its_gain_and_its_test():
    table = comparisons_table(PARAMS, NUMBERS)
    found = comparisons(PARAMS, NUMBERS)
    assert len(table.frame) == len(found) == 8
    for one in found:
        row = f"{one.gain.system} over {one.gain.over}"
        headings = ("gain, 95%", "p", "p after Holm", "verdict", "seeds", "set")
        interval = one.gain.low, one.gain.high
        expected = [interval, one.gain.p, one.p_holm, one.word, 1.0, "test1"]
        assert [table.cell(row, heading) for heading in headings] == expected
        assert table.cell(row, "gain") == one.gain.value


def test_the_table_of_systems_has_every_system_on_every_test_set():
    table = next(one for one in make_tables(PARAMS, NUMBERS) if one.name == "table_systems")
    for test, end in (("test1", ""), ("test2", "/test2")):
        for name in MODELS:
            kind = "after" if PARAMS.replaces_words(name) else "before"
            cells = [table.cell(name + end, heading) for heading in ("BLEU", "set")]
            assert cells == [NUMBERS.system(name, "bleu", test, "tokenized", kind).value, test]
    assert [table.text(name, "AER") for name in (BASE, BEST, "aligner", "diagonal")] == [
        *("", "0.20", "0.25", "0.56")
    ]


def test_the_headline_follows_the_development_set():
    assert headline(PARAMS, NUMBERS).startswith(f"{BEST} over {BASE}: +5.0 ")
    line = NUMBERS.system(SECOND, "ppl", PARAMS.sets.dev)
    assert headline(PARAMS, changed(NUMBERS, line, value=1.0)).startswith(f"{SECOND} over {BASE}")
    alone = of_own_text(made_params(BEST))
    assert headline(alone, own_numbers(alone)).startswith(BEST)
    both = of_own_text(made_params(BASE, BEST, SUBWORDS)).model_copy(update={"systems": [SUBWORDS]})
    assert headline(both, own_numbers(both)).startswith(f"{SUBWORDS} over {BEST}: ")
    back = of_own_text(made_params("back_base_reverse", "back_global_dot_feed"))
    said = headline(back, own_numbers(back))
    assert said.startswith("back_global_dot_feed over back_base_reverse: +3.0 ")


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"p": 0.2}, "within noise"),
        ({}, "better"),
        ({"value": -2.0}, "worse"),
        ({"p": None}, "not tested"),
    ],
)
def test_the_verdict_is_that_of_the_test(fields, word):
    params = of_own_text(made_params(SECOND, BEST, seeds=3))
    numbers = own_numbers(params)
    gains = [line for line in numbers.lines if line.kind == "gain" and line.set == "test1"]
    for gain in gains:  # before and after unknown words are replaced
        numbers = changed(numbers, gain, **fields)
    assert list(comparisons_table(params, numbers).frame["verdict"]) == [word]
    assert word in headline(params, numbers)
