"""The report on one's own text: its own systems on every test set, and each comparison."""

import shlex
from html import unescape

import pytest
from made_report import (
    MODELS,
    ROOT,
    changed,
    made_params,
    of_own_text,
    own_numbers,
    page_of,
    write_report,
)

from attnmt.config import load_params
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.comparisons import comparisons_table, headline
from attnmt.reporting.own_text import text_example, uses
from attnmt.reporting.report import make_report
from attnmt.reporting.tables import make_tables
from attnmt.scoring.comparisons import comparisons
from attnmt.scoring.score_table import write_score_table

BASE = "base_reverse_dropout"
BEST, SECOND = "local_p_general_feed", "local_m_general_feed"
PARAMS = of_own_text(made_params(*MODELS))
NUMBERS = own_numbers(PARAMS)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the report and the page of an experiment on one's own text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("report"))
        params = of_own_text(write_report())
        write_score_table(Layout(params.experiment).score_table, NUMBERS.lines)
        yield make_report(params), page_of(params)


def test_only_text_that_is_not_the_demos_is_ones_own(monkeypatch):
    monkeypatch.chdir(ROOT)
    for path in ("params.yaml", "experiments/captions/params.yaml"):
        assert comparisons_table(load_params(ROOT / path, ROOT), NUMBERS).frame.empty
    assert not comparisons_table(PARAMS, NUMBERS).frame.empty


def test_every_comparison_has_its_gain_and_its_test():
    table = comparisons_table(PARAMS, NUMBERS)
    found = comparisons(PARAMS, NUMBERS)
    assert len(table.frame) == len(found) == 7
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


def test_curves_samples_and_matrices_are_those_of_the_same_systems(made):
    report, _ = made
    luong = {n for n in MODELS if not n.startswith(("back", "gru"))}
    for figure in report.figures:
        (panel,) = figure.panels
        assert {series.model for series in panel.series} == luong
    table5 = next(table for table in report.tables if table.name == "table5")
    whose = table5.frame["text of"].unique()
    assert list(whose[:4]) == ["source", "reference", BEST, BASE]  # as in the headline
    assert [*report.attention.labels][:2] == [BEST, SECOND]


def test_the_page_ends_with_commands_that_the_command_line_knows(made, attnmt):
    _, page = made
    write_lines(Layout("demo").raw / "test1.en", ["It's a test."])
    example = text_example(PARAMS, "en")
    lines = [shlex.split(line, comments=True) for line in uses("demo", example)]
    steps = [words for words in lines if words]  # without comments
    shown = unescape(page.split('id="use"')[1].split("</code>")[0])
    assert [words[:2] for words in steps] == [
        ["attnmt", name] for name in ("translate", "explain", "pack", "translate")
    ]
    assert steps[0] == ["attnmt", "translate", "-e", "demo", "It's a test."]
    for words in steps:
        assert " ".join(words[:3]) in shown
        status, _, error = attnmt(*words[1:])
        assert (status, error[:7]) == (2, "error: ")  # about files, which this folder lacks
        assert "option" not in error.lower()
