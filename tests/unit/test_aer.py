"""Alignment error rate against its definition and on gold links."""

from collections.abc import Iterable

import numpy as np
import pytest
from demo_text import demo_links
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from real_text import needs, written

from attnmt.corpora.links import read_links
from attnmt.errors import InputError
from attnmt.scoring.aer import Link, aer, link_counts, rates

Corpus = list[tuple[set[Link], set[Link], set[Link]]]

LINKS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)
CORPUS = st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=6)


def test_a_case_worked_by_hand() -> None:
    # 2 of 3 links are sure, all 3 are possible: 1 - (2 + 3) / (3 + 4)
    links = [{(0, 0), (1, 1)}, {(0, 1)}]
    sure = [{(0, 0), (1, 1), (2, 2)}, {(0, 0)}]
    possible = [set(), {(0, 1)}]
    assert aer(links, sure, possible) == pytest.approx(1 - 5 / 7)


def test_it_sums_over_the_corpus_and_does_not_average_sentences() -> None:
    links, sure = [{(0, 0)}, {(i, 0) for i in range(9)}], [{(0, 0)}, {(0, 1)}]
    assert aer(links, sure, sure) == pytest.approx(1 - 2 / 12)  # the mean would be 0.5


def grid(corpus: Iterable[set[Link]]) -> NDArray[np.bool_]:
    """Return an array (lines, 5, 5) that is true where there is a link."""
    return np.array([[[(i, j) in links for j in range(5)] for i in range(5)] for links in corpus])


@given(CORPUS)
def test_it_equals_the_definition_on_grids(corpus: Corpus) -> None:
    links, sure, possible = zip(*corpus, strict=True)
    A, S, P = grid(links), grid(sure), grid(sure) | grid(possible)
    judged = A.sum() + S.sum()
    if judged == 0:
        with pytest.raises(InputError, match="no links"):
            aer(links, sure, possible)
        return
    value = aer(links, sure, possible)
    assert value == pytest.approx(((A & ~S).sum() + S.sum() - (A & P).sum()) / judged)
    assert 0 <= value <= 1


@given(CORPUS)
def test_sure_links_may_also_be_listed_as_possible(corpus: Corpus) -> None:
    links, sure, possible = zip(*corpus, strict=True)
    if any(links) or any(sure):
        both = [s | p for s, p in zip(sure, possible, strict=True)]
        assert aer(links, sure, possible) == aer(links, sure, both)


@given(CORPUS)
def test_it_follows_from_the_counts_of_the_pairs(corpus: Corpus) -> None:
    links, sure, possible = zip(*corpus, strict=True)
    counts = link_counts(links, sure, possible)
    assert counts.shape == (len(corpus), 2)
    for line, (a, s, p) in enumerate(corpus):
        if a or s:
            assert rates(counts)[line] == pytest.approx(aer([a], [s], [p]))
        else:
            assert rates(counts)[line] == 0
    if counts[:, 1].any():
        assert rates(counts.sum(0)) == aer(links, sure, possible)


def test_unequal_corpora_are_refused() -> None:
    with pytest.raises(InputError, match=r"2 sentence pairs .* 1 with sure"):
        aer([set(), set()], [{(0, 0)}], [set()])


def check_gold(gold: list[list[Link]]) -> None:
    """Judge gold links, and every other one of them, against all the gold links."""
    assert len(gold) == 100
    assert aer(gold, gold, gold) == 0
    half = [links[::2] for links in gold]
    kept, all_links = sum(map(len, half)), sum(map(len, gold))
    assert aer(half, gold, gold) == pytest.approx(1 - 2 * kept / (kept + all_links))


def test_the_demos_links_have_no_error_against_themselves() -> None:
    check_gold([links.sure for links in demo_links(100)])


@needs("ALIGNMENT_DIR", "de-en.wa")
def test_hand_made_links_have_no_error_against_themselves() -> None:
    check_gold([line.sure for line in read_links(written("ALIGNMENT_DIR", "de-en.wa"))])
