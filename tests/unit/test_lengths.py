"""BLEU by length: a case worked by hand, and the groups of the paper's own test set."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from real_text import needs, written

from attnmt.files.text_file import read_lines
from attnmt.scoring.lengths import by_length
from attnmt.scoring.results import LengthGroup
from attnmt.scoring.scripts import References, score_alone
from attnmt.text.tokenizer import MosesTokenizer

# How many references of the paper's newstest2014 have 0, 1, 2, .. words.
NEWSTEST2014 = [
    *(0, 0, 2, 7, 14, 29, 51, 79, 63, 85, 110, 102, 105, 110, 115, 116, 97, 113, 86, 125),
    *(92, 95, 86, 96, 73, 57, 63, 63, 66, 56, 65, 50, 57, 38, 36, 31, 30, 31, 20, 23),
    *(26, 18, 23, 20, 11, 13, 14, 9, 12, 8, 7, 4, 5, 5, 2, 4, 5, 1, 2, 2),
    *(1, 0, 1, 2, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 0, 1),
]


def test_groups_are_those_of_a_case_worked_by_hand() -> None:
    references = ["a b c d e f g", "p q r s", "h i j k l", "t u v w", "m n o p q"]
    before = ["a b c d e f x", "p q r s", "h i j k l", "x x x x", "m n o p x"]
    after = ["a b c d e f g", "p q r s", "h i j k l", "t u v w", "m n o p x"]
    first = score_alone("tokenized", ["p q r s", "x x x x"], References(["p q r s", "t u v w"]))
    second = score_alone(
        "tokenized", ["h i j k l", "m n o p x"], References(["h i j k l", "m n o p q"])
    )
    third = score_alone("tokenized", ["a b c d e f x"], References(["a b c d e f g"]))
    assert 0 < first < second < 100
    assert by_length(before, after, References(references), size=2) == [
        LengthGroup(max_length=4, lines=2, before=first, after=100),
        LengthGroup(max_length=5, lines=2, before=second, after=second),
        LengthGroup(max_length=7, lines=1, before=third, after=100),
    ]


def test_sentences_of_the_same_length_stay_in_their_order() -> None:
    references = ["a b c d", "e f g h", "i j k l"]
    groups = by_length(["a b c d", "x", "x"], references, References(references), size=1)
    assert [group.before for group in groups] == [100, 0, 0]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 12))
def test_every_sentence_is_in_one_group_of_full_size_but_the_last(
    lengths: list[int], size: int
) -> None:
    lines = [" ".join(["w"] * length) for length in lengths]
    groups = by_length(lines, lines, References(lines), size)
    full, rest = divmod(len(lengths), size)
    assert [group.lines for group in groups] == [size] * full + [rest] * (rest > 0)
    ends = [min(end, len(lengths)) for end in range(size, len(lengths) + size, size)]
    assert [group.max_length for group in groups] == [sorted(lengths)[end - 1] for end in ends]


@needs("NEWSTEST_DIR", "newstest2014-filtered.de")
def test_newstest2014_has_the_lengths_above() -> None:
    moses = MosesTokenizer("de", split_hyphens=True)
    lines = read_lines(written("NEWSTEST_DIR", "newstest2014-filtered.de"))
    lengths = Counter(len(moses.joined(moses.tokenize(line))) for line in lines)
    assert [lengths[words] for words in range(max(lengths) + 1)] == NEWSTEST2014


def test_the_groups_of_newstest2014_end_where_the_papers_do() -> None:
    """Figure 6's x-values, read off the paper."""
    references = [" ".join("w" * words) for words, n in enumerate(NEWSTEST2014) for _ in range(n)]
    groups = by_length(references, references, References(references), size=200)
    expected = [8, 10, 12, 14, 16, 18, 19, 22, 24, 27, 30, 34, 42, 75]
    assert [group.max_length for group in groups] == expected
    assert [group.lines for group in groups] == [200] * 13 + [137]
