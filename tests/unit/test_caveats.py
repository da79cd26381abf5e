"""What a report says beside a verdict: attention that was not learned, too low a BLEU."""

import pytest
from made_report import changed, made_params, of_own_text, own_numbers
from sacrebleu.metrics.bleu import BLEU

from attnmt.config import DIAGONAL
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.caveats import AER, best_sentence, constant_baseline, poorly_aligned
from attnmt.reporting.comparisons import comparisons_table, headline

GLOBAL, LOCAL = "global_general_feed", "local_p_general_feed"
PARAMS = of_own_text(made_params(GLOBAL, LOCAL, seeds=3))
NUMBERS = own_numbers(PARAMS)
ROW = f"{LOCAL} over {GLOBAL} in bleu"


def rated(numbers, name, aer):
    """Return numbers in which a system has an error rate at the chosen step."""
    line = numbers.system(name, AER, "test1")
    return changed(numbers, line, value=aer, low=aer, high=aer)


def with_gain(numbers, **fields):
    """Return the gain of the two systems with other fields, and the numbers that have it."""
    (gain,) = (line for line in numbers.lines if line.kind == "gain" and line.set == "test1")
    made = changed(numbers, gain, **fields)
    return next(line for line in made.lines if line.kind == "gain" and line.set == "test1"), made


@pytest.mark.parametrize(
    ("value", "loser", "winner"), [(-5.0, LOCAL, GLOBAL), (5.0, GLOBAL, LOCAL)]
)
def test_a_loser_that_links_no_better_than_the_diagonal_is_marked(value, loser, winner):
    gain, numbers = with_gain(NUMBERS, value=value, low=value - 1, high=value + 1)
    assert poorly_aligned(PARAMS, numbers, [gain]) == set()  # 0.25 and 0.24
    diagonal = numbers.system(DIAGONAL, "aer", "test1").value
    assert poorly_aligned(PARAMS, rated(numbers, loser, diagonal - 0.01), [gain]) == set()
    assert poorly_aligned(PARAMS, rated(numbers, winner, diagonal), [gain]) == set()
    bad = rated(numbers, loser, diagonal)
    assert poorly_aligned(PARAMS, rated(bad, winner, diagonal), [gain]) == set()
    assert poorly_aligned(PARAMS, bad, [gain]) == {loser}
    table = comparisons_table(PARAMS, bad, {})
    names = [table.cell(ROW, heading) for heading in ("system", "over")]
    assert [name.endswith("‡") for name in names] == [name == loser for name in (LOCAL, GLOBAL)]
    assert [note[0] for note in table.notes] == ["‡"]
    _, noise = with_gain(bad, p=0.5)
    assert comparisons_table(PARAMS, noise, {}).notes == []


@pytest.mark.parametrize(
    ("diagonal", "winner", "loser", "is_marked"),
    [
        (0.02, 0.02, 0.03, False),  # almost word for word: both look where the words are
        (0.49, 0.2, 0.49, False),
        (0.49, 0.2, 0.5, True),
        (0.02, 0.9, 0.6, False),
        (0.84, 0.81, 0.9, True),
        (0.84, 0.87, 0.95, True),
    ],
)
def test_a_loser_that_looks_where_the_words_are_or_links_no_worse_than_the_winner_is_not_marked(
    diagonal, winner, loser, is_marked
):
    gain, numbers = with_gain(NUMBERS, value=-5.0, low=-6.0, high=-4.0)
    line = numbers.system(DIAGONAL, "aer", "test1")
    numbers = rated(changed(numbers, line, value=diagonal), GLOBAL, winner)
    marked = poorly_aligned(PARAMS, rated(numbers, LOCAL, loser), [gain])
    assert marked == ({LOCAL} if is_marked else set())


@pytest.mark.parametrize(("baseline", "word"), [(11.0, "no verdict"), (10.9, "better")])
def test_there_is_no_verdict_on_a_bleu_that_needs_no_source(baseline, word):
    """The systems have 12 and 13, with 1 to either side."""
    table = comparisons_table(PARAMS, NUMBERS, {"forward": baseline})
    assert table.cell(ROW, "verdict") == word
    assert bool(table.notes) == (word == "no verdict")
    assert headline(PARAMS, NUMBERS, {"forward": baseline}).endswith(f"{word}.")


def test_the_bleu_that_needs_no_source_is_that_of_one_reference_for_every_line(
    tmp_path, monkeypatch
):
    """The development set chooses the sentence. All references of a line count, and no other text."""
    monkeypatch.chdir(tmp_path)
    folder = Layout(PARAMS.experiment).tokens
    best, test = "a b c d e", PARAMS.sets.tests[0]
    files = {
        f"{PARAMS.sets.dev}.de": [best, "x y z", best],
        f"{test}.de": ["a b c x y", "u v w x y"],
        f"{test}.de.2": ["p q r s t", "b c d e f"],
        f"{test}.en": [best, best],
        f"{test}.en.2": [best, best],
    }
    folder.mkdir(parents=True)
    for name, lines in files.items():
        write_lines(folder / name, lines)
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    expected = bleu.corpus_score([best] * 2, [files[f"{test}.de"], files[f"{test}.de.2"]]).score
    assert 0 < expected < 100
    assert constant_baseline(PARAMS) == {"forward": pytest.approx(expected)}


def test_the_one_sentence_is_that_of_a_search_through_all():
    lines = ["a b c d e", "a b c d", "a b c d f g", "x y", "b c d e f", "a b c d e f g h i j k"]
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    scores = {one: bleu.corpus_score([one] * len(lines), [lines]).score for one in lines}
    assert best_sentence(lines) == max(scores, key=scores.__getitem__)
    assert sorted(scores.values())[-2] < max(scores.values())
