"""Counts of replaced words: a case worked by hand, and a slow count by another definition."""

from hypothesis import given
from hypothesis import strategies as st

from attnmt.scoring.replacements import count_replacements

COUNTS = ("unknown", "replaced", "right", "repeated", "copied", "copied_right")
KNOWN = ["a", "b", "c"]
NAMES = ["X", "Y", "Z"]
word = st.sampled_from([*KNOWN, *NAMES])
words = st.lists(word, max_size=7)
# A word of a translation before and after replacement. An unknown word without a link stays.
pair = word.map(lambda w: (w, w)) | word.map(lambda w: ("<unk>", w)) | st.just(("<unk>", "<unk>"))
sentence = st.tuples(st.lists(pair, max_size=7), words, words)


def counted(*sentences):
    """Count in sentences, each as the text before and after replacement, source and reference."""
    sides = [[text.split() for text in side] for side in zip(*sentences, strict=True)]
    counts = count_replacements(*sides, KNOWN)
    return tuple(counts[key] for key in COUNTS)


def test_a_case_worked_by_hand():
    """X and Y are right, and X is copied. Z repeats the b before it; the reference does not have it."""
    first = ("<unk> a <unk> b", "X a Y b", "X c W", "Y a X b Z")
    second = ("a b <unk> c", "a b b c", "b", "a b Z c")
    assert counted(first) == (3, 2, 2, 0, 1, 1)
    assert counted(second) == (1, 1, 0, 1, 1, 0)
    assert counted(first, second) == (4, 3, 2, 1, 2, 1)
    # A word is right as often as the reference of its own sentence has it.
    assert counted(("<unk> a <unk> <unk>", "X a X X", "X", "X a X")) == (2, 3, 2, 2, 3, 2)
    assert counted(("<unk>", "X", "c", "Y"), ("<unk>", "Y", "c", "X")) == (2, 2, 0, 0, 0, 0)


def slow(pairs, source, reference):
    """Count one sentence. A right word is crossed out of the reference's unknown words."""
    open_words = [w for w in reference if w not in KNOWN]
    counts = dict.fromkeys(COUNTS, 0) | {"unknown": len(open_words)}
    for at, (old, new) in enumerate(pairs):
        if old != "<unk>" or new == "<unk>":
            continue
        counts["replaced"] += 1
        around = [pairs[j][1] for j in range(len(pairs)) if abs(j - at) == 1]
        counts["repeated"] += new in around
        counts["copied"] += new in source
        if new in open_words:
            open_words.remove(new)
            counts["right"] += 1
            counts["copied_right"] += new in source
    return list(counts.values())


@given(st.lists(sentence, min_size=1, max_size=5))
def test_the_counts_are_those_of_a_slow_definition(sentences):
    before, after = ([[pair[k] for pair in line] for line, _, _ in sentences] for k in (0, 1))
    sources, references = ([line[k] for line in sentences] for k in (1, 2))
    counts = count_replacements(before, after, sources, references, KNOWN)
    expected = [sum(column) for column in zip(*(slow(*line) for line in sentences), strict=True)]
    assert counts == dict(zip(COUNTS, expected, strict=True))
