"""Alignment error rate against its definition and on real gold links."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.errors import InputError
from attnmt.metrics.aer import aer

ROOT = Path(__file__).parents[2]
GOLD = Path(os.environ.get("ATTNMT_TEST_DATA", ROOT / "../shared/data")) / "alignment" / "de-en.wa"

LINKS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)
CORPUS = st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=6)


def test_a_case_worked_by_hand():
    # 2 of 3 links are sure, all 3 are possible: 1 - (2 + 3) / (3 + 4)
    links = [{(0, 0), (1, 1)}, {(0, 1)}]
    sure = [{(0, 0), (1, 1), (2, 2)}, {(0, 0)}]
    possible = [set(), {(0, 1)}]
    assert aer(links, sure, possible) == pytest.approx(1 - 5 / 7)


def test_it_sums_over_the_corpus_and_is_no_mean_of_sentences():
    links, sure = [{(0, 0)}, {(i, 0) for i in range(9)}], [{(0, 0)}, {(0, 1)}]
    assert aer(links, sure, sure) == pytest.approx(1 - 2 / 12)  # the mean would be 0.5


@given(CORPUS)
def test_it_is_the_definition_counted_link_by_link(corpus):
    links, sure, possible = zip(*corpus, strict=True)
    hits = judged = 0
    for a, s, p in corpus:
        for link in a:
            hits += (link in s) + (link in s or link in p)
        judged += sum(1 for _ in a) + sum(1 for _ in s)
    if judged == 0:
        with pytest.raises(InputError, match="no links"):
            aer(links, sure, possible)
        return
    value = aer(links, sure, possible)
    assert value == pytest.approx(1 - hits / judged)
    assert 0 <= value <= 1


@given(CORPUS)
def test_listing_the_sure_links_as_possible_changes_nothing(corpus):
    links, sure, possible = zip(*corpus, strict=True)
    if any(links) or any(sure):
        both = [s | p for s, p in zip(sure, possible, strict=True)]
        assert aer(links, sure, possible) == aer(links, sure, both)


def test_unequal_corpora_are_refused():
    with pytest.raises(InputError, match=r"2 sentence pairs .* 1 with sure"):
        aer([set(), set()], [{(0, 0)}], [set()])


@pytest.mark.skipif(not GOLD.exists(), reason=f"no gold alignments at {GOLD}")
def test_real_gold_links_judged_by_themselves():
    gold = []
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        gold.append({(int(i), int(j)) for i, j in (link.split("-") for link in line.split())})
    assert len(gold) == 100
    assert aer(gold, gold, gold) == 0
    reversed_links = [{(j, i) for i, j in pair} for pair in gold]
    assert 0 < aer(reversed_links, gold, gold) < 1
    half = [set(sorted(pair)[::2]) for pair in gold]
    found, all_links = sum(map(len, half)), sum(map(len, gold))
    assert aer(half, gold, gold) == pytest.approx(1 - 2 * found / (found + all_links))
