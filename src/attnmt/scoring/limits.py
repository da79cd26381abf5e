"""What a score or its interval says by its definition alone, in sentences for the note of a line.

A BLEU of 0 may mean that nothing is right, or only that no translation is long enough. Whoever reads
the number must know which. The tests compare each case with sacrebleu's own numbers.
"""

from collections.abc import Sequence

EMPTY = "all translations are empty"
SHORT = "no translation has four tokens, so BLEU is 0 by definition, even of right ones, but chrF is not"
NOTHING = "no token is right"
UNSMOOTHED = "no four tokens in a row are right, so BLEU without smoothing is 0"
SMOOTHED = "no four tokens in a row are right, so this BLEU depends on how it is smoothed"
ONE = "the interval has no width, because the set has one line"
ALIKE = "the interval has no width, because all samples of the set have the same score"
BEYOND = (
    "the interval reaches beyond what the score can be, because it is the mean of the samples' scores "
    "minus and plus half of their spread"
)
SAME = "the interval has no width, because all trainings have the same score"
WIDE = "the interval reaches beyond what the score can be, because it is as wide on both sides"
NO_SURE = "without a sure link, this is the share of links that are not possible ones"
NO_LINKS = "there is no link to measure against, so the rate is 1"
# Of a reading that older code wrote
NOT_COMPARED = (
    "the step of AER is the one that replaces unknown words, because the development set's links were "
    "not compared with the aligner's"
)
SENTENCES = (
    *(EMPTY, SHORT, NOTHING, UNSMOOTHED, SMOOTHED),
    *(ONE, ALIKE, BEYOND, SAME, WIDE, NO_SURE, NO_LINKS, NOT_COMPARED),
)


def of_interval(low: float, high: float, lines: int, most: float | None) -> list[str]:
    """Return what an interval says by its definition; ``most`` is the highest score, if there is one."""
    if low == high:
        return [ONE if lines == 1 else ALIKE]
    return [BEYOND] if low < 0 or (most is not None and high > most) else []


def of_mean(low: float, high: float, most: float | None) -> list[str]:
    """Return what the interval of a mean over trainings says by its definition."""
    if low == high:
        return [SAME]
    return [WIDE] if low < 0 or (most is not None and high > most) else []


def note_of(*parts: str | None) -> str | None:
    """Return a note of several parts; None if there is none."""
    return "; ".join(filter(None, parts)) or None


def common_note(notes: Sequence[str | None]) -> str | None:
    """Return those parts of notes that all of them have, but for those about their own intervals."""
    first, *others = (note.split("; ") if note else [] for note in notes)
    parts = (part for part in first if part not in (ONE, ALIKE, BEYOND))
    return note_of(*(part for part in parts if all(part in other for other in others)))


def limits_in(note: str | None) -> list[str]:
    """Return those parts of a note that are sentences of this module."""
    return [part for part in (note or "").split("; ") if part in SENTENCES]
