"""Alignment error rate against its definition and on gold links."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.errors import InputError
from attnmt.text.aer import aer

LINKS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)
CORPUS = st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=6)


def test_a_case_worked_by_hand():
    # 2 of 3 links are sure, all 3 are possible: 1 - (2 + 3) / (3 + 4)
    links = [{(0, 0), (1, 1)}, {(0, 1)}]
    sure = [{(0, 0), (1, 1), (2, 2)}, {(0, 0)}]
    possible = [set(), {(0, 1)}]
    assert aer(links, sure, possible) == pytest.approx(1 - 5 / 7)


def grid(corpus):
    """Return an array (lines, 5, 5) that is true where there is a link."""
    return np.array([[[(i, j) in links for j in range(5)] for i in range(5)] for links in corpus])


@given(CORPUS)
def test_it_equals_the_definition_on_grids(corpus):
    links, sure, possible = zip(*corpus, strict=True)
    A, S, P = grid(links), grid(sure), grid(sure) | grid(possible)
    judged = A.sum() + S.sum()
    if judged == 0:
        with pytest.raises(InputError, match="no links"):
            aer(links, sure, possible)
        return
    value = aer(links, sure, possible)
    assert value == pytest.approx(((A & ~S).sum() + S.sum() - (A & P).sum()) / judged)
    # Sure links may also be listed as possible.
    assert value == aer(links, sure, [s | p for s, p in zip(sure, possible, strict=True)])
