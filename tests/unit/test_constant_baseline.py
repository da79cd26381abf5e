"""The BLEU of one sentence for all lines, and the verdicts that it takes away in each table."""

import pytest
from made_report import changed, made_line, made_numbers, made_params, of_own_text, own_numbers
from sacrebleu.metrics.bleu import BLEU

from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.comparisons import comparisons_table, headline
from attnmt.reporting.tables import make_tables
from attnmt.scoring.constant_baseline import best_sentence
from attnmt.scoring.evaluate import evaluate
from attnmt.scoring.score_table import ScoreTable

GLOBAL, LOCAL = "global_general_feed", "local_p_general_feed"
PARAMS = of_own_text(made_params(GLOBAL, LOCAL, seeds=3))
ROW = f"{LOCAL} over {GLOBAL}"


def with_constant(numbers, value):
    fields = {"direction": "forward", "set": "test1", "script": "tokenized"}
    return ScoreTable([*numbers.lines, made_line("constant", "bleu", value, **fields)])


@pytest.mark.parametrize(("baseline", "word"), [(11.0, "below baseline"), (10.9, "better")])
def test_one_s_own_text_has_no_verdict_on_a_bleu_that_needs_no_source(baseline, word):
    """The systems have 12 and 13, with 1 to either side."""
    numbers = with_constant(own_numbers(PARAMS), baseline)
    assert comparisons_table(PARAMS, numbers).cell(ROW, "verdict") == word
    assert headline(PARAMS, numbers).endswith(f"{word}.")


@pytest.mark.parametrize(("baseline", "word"), [(11.0, "below baseline"), (10.9, "same order")])
def test_nor_has_a_table_of_the_paper(baseline, word):
    params = made_params("base", "base_reverse", seeds=3)
    numbers = with_constant(made_numbers(params), baseline)
    for name in params.systems_and_ensembles:
        line = numbers.system(name, "bleu", "test1", "tokenized", "before")
        numbers = changed(numbers, line, value=12.0, low=11.0, high=13.0)
    table = next(one for one in make_tables(params, numbers) if one.name == "table1")
    assert table.cell("reverse", "verdict") == word


def test_it_is_the_bleu_of_one_reference_for_every_line(tmp_path, monkeypatch):
    """The development set chooses the sentence."""
    monkeypatch.chdir(tmp_path)
    folder = Layout(PARAMS.experiment).tokens
    best, (test, other) = "a b c d e", PARAMS.sets.tests
    files = {
        f"{PARAMS.sets.dev}.de": [best, "x y z", best],
        f"{test}.de": ["a b c d y", "u v w x y"],
        f"{test}.en": [best, best],
        f"{other}.de": [best],
    }
    folder.mkdir(parents=True)
    for name, lines in files.items():
        write_lines(folder / name, lines)
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    expected = bleu.corpus_score([best] * 2, [files[f"{test}.de"]]).score
    assert 0 < expected < 100
    numbers = ScoreTable(evaluate(PARAMS, "constant").lines)
    assert numbers.constant("forward", test).value == pytest.approx(expected, abs=1e-4)
    assert numbers.constant("forward", other).value == 100


def test_the_one_sentence_is_that_of_a_search_through_all():
    lines = ["a b c d e", "a b c d", "a b c d f g", "x y", "b c d e f", "a b c d e f g h i j k"]
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    scores = {one: bleu.corpus_score([one] * len(lines), [lines]).score for one in lines}
    assert best_sentence(lines) == max(scores, key=scores.__getitem__)
    assert sorted(scores.values())[-2] < max(scores.values())
