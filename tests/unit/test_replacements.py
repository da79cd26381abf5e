"""Counts of replaced words: a case worked by hand, and a slow count by another definition."""

from attnmt.scoring.replacements import count_replacements

COUNTS = ("unknown", "replaced", "right", "repeated", "copied", "copied_right")
KNOWN = ["a", "b", "c"]


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
