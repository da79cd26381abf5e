"""BLEU by length: a case worked by hand, and the groups of the paper's own test set."""

from hypothesis import given
from hypothesis import strategies as st

from attnmt.scoring.lengths import by_length, length_groups
from attnmt.scoring.scripts import References, score_alone

# How many references of the paper's newstest2014 have 0, 1, 2, .. words.
NEWSTEST2014 = [
    *(0, 0, 2, 7, 14, 29, 51, 79, 63, 85, 110, 102, 105, 110, 115, 116, 97, 113, 86, 125),
    *(92, 95, 86, 96, 73, 57, 63, 63, 66, 56, 65, 50, 57, 38, 36, 31, 30, 31, 20, 23),
    *(26, 18, 23, 20, 11, 13, 14, 9, 12, 8, 7, 4, 5, 5, 2, 4, 5, 1, 2, 2),
    *(1, 0, 1, 2, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 0, 1),
]


def test_groups_are_those_of_a_case_worked_by_hand():
    references = ["a b c d e f g", "p q r s", "h i j k l", "t u v w", "m n o p q"]
    lines = ["a b c d e f x", "p q r s", "h i j k l", "x x x x", "m n o p x"]
    groups = by_length(lines, References(references), size=2)
    assert [group[:2] for group in groups] == [(4, 2), (5, 2), (7, 1)]
    for rows, group in zip([[1, 3], [2, 4], [0]], groups, strict=True):
        own = [lines[i] for i in rows]
        assert group.value == score_alone("tokenized", own, References(references).of(rows))


def test_sentences_of_the_same_length_stay_in_their_order():
    references = ["a b c d", "e f g h", "i j k l"]
    groups = by_length(["a b c d", "x", "x"], References(references), size=1)
    assert [group[:3] for group in groups] == [(4, 1, 100), (4, 1, 0), (4, 1, 0)]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 12))
def test_every_sentence_is_in_one_group_of_full_size_but_the_last(lengths, size):
    groups = length_groups([" ".join(["w"] * length) for length in lengths], size)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    assert [lengths[i] for group in groups for i in group] == sorted(lengths)
    assert all(len(group) == size for group in groups[:-1])
    assert 0 < len(groups[-1]) <= size


def test_the_groups_of_newstest2014_end_where_the_papers_do():
    """Figure 6's x-values, read off the paper."""
    references = [" ".join("w" * words) for words, n in enumerate(NEWSTEST2014) for _ in range(n)]
    groups = by_length(references, References(references), size=200)
    ends = [8, 10, 12, 14, 16, 18, 19, 22, 24, 27, 30, 34, 42, 75]
    assert [group[:2] for group in groups] == list(zip(ends, [200] * 13 + [137], strict=True))
