"""What a report says beside a verdict: attention that was not learned, other settings."""

import pytest
from made_report import changed, made_params, of_own_text, own_numbers

from attnmt.config import DIAGONAL
from attnmt.reporting.caveats import poorly_aligned
from attnmt.reporting.comparisons import comparisons_table

GLOBAL, LOCAL = "global_general_feed", "local_p_general_feed"
PARAMS = of_own_text(made_params(GLOBAL, LOCAL, seeds=3))
NUMBERS = own_numbers(PARAMS)
ROW = f"{LOCAL} over {GLOBAL}"


def rated(numbers, name, aer):
    """Return numbers in which a system has an error rate."""
    line = numbers.system(name, "aer", "test1")
    return changed(numbers, line, value=aer, low=aer, high=aer)


def gain_of(numbers):
    """Return the gain after unknown words are replaced, on the first test set."""
    ours, other = (
        numbers.system(name, "bleu", "test1", "tokenized", "after") for name in (LOCAL, GLOBAL)
    )
    return numbers.gain(ours, other)


def with_gain(numbers, **fields):
    """Return the gain of the two systems with other fields, and the numbers that have it."""
    made = changed(numbers, gain_of(numbers), **fields)
    return gain_of(made), made


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
    table = comparisons_table(PARAMS, bad)
    names = [table.cell(ROW, heading) for heading in ("system", "over")]
    assert [name.endswith("‡") for name in names] == [name == loser for name in (LOCAL, GLOBAL)]
    assert [note[0] for note in table.notes] == ["‡"]
    _, noise = with_gain(bad, p=0.5)
    assert comparisons_table(PARAMS, noise).notes == []


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
