"""What a report says beside a verdict: attention that was not learned, other settings."""

import pytest
from made_report import changed, made_numbers, made_params, of_own_text, own_numbers

from attnmt.config import DIAGONAL
from attnmt.reporting.caveats import poorly_aligned
from attnmt.reporting.comparisons import comparisons_table
from attnmt.reporting.tables import make_tables

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


@pytest.mark.parametrize(("size", "loser", "winner"), [(-5.0, LOCAL, GLOBAL), (5.0, GLOBAL, LOCAL)])
@pytest.mark.parametrize(
    ("diagonal", "winning", "losing", "is_marked"),
    [
        (0.02, 0.02, 0.03, False),  # almost word for word: both look where the words are
        (0.49, 0.2, 0.49, False),
        (0.49, 0.2, 0.5, True),
        (0.02, 0.9, 0.6, False),  # the winner links worse
    ],
)
def test_a_loser_that_links_no_better_than_the_diagonal_is_marked(
    size, loser, winner, diagonal, winning, losing, is_marked
):
    gain, numbers = with_gain(NUMBERS, value=size, low=size - 1, high=size + 1)
    numbers = changed(numbers, numbers.system(DIAGONAL, "aer", "test1"), value=diagonal)
    numbers = rated(rated(numbers, winner, winning), loser, losing)
    assert poorly_aligned(PARAMS, numbers, gain) == (loser if is_marked else None)
    table = comparisons_table(PARAMS, numbers)
    marked = [table.cell(ROW, heading).endswith("‡") for heading in ("system", "over")]
    assert marked == [is_marked and loser == name for name in (LOCAL, GLOBAL)]
    assert len(table.notes) == is_marked
    _, noise = with_gain(numbers, p=0.5)
    assert comparisons_table(PARAMS, noise).notes == []


def test_in_a_table_of_the_paper_the_mark_stands_on_the_row_that_loses():
    params = made_params(GLOBAL, LOCAL, seeds=3)
    numbers = made_numbers(params)
    for name, aer in ((DIAGONAL, 0.4), (LOCAL, 0.2), (GLOBAL, 0.6)):
        numbers = rated(numbers, name, aer)
    table = next(one for one in make_tables(params, numbers) if one.name == "ablations")
    cells = [("general", "system"), ("local_p", "system"), ("local_p", "gain over")]
    assert [table.cell(*cell).endswith("‡") for cell in cells] == [False, False, True]
