"""Training text that is divided into training, development and test sets."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from attnmt.corpora.normal_form import normalized
from attnmt.corpora.parallel import Files
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

SEED = 2015  # for drawing the pairs that are held out, where none is given


def compared(line: str) -> str:
    """Return a line as it is compared: in the one form, with single spaces."""
    return " ".join(normalized(line).split())


def write_divided(
    train: Files,
    codes: tuple[str, str],
    size: int,
    folder: Path,
    names: Sequence[str] = ("train", "dev", "test"),
    share: float | None = None,
    seed: int = SEED,
    place: str = "--hold-out",
) -> int:
    """Write ``size`` random pairs to each held-out set, and the rest as the training set.

    Each source sentence is in only one of the sets. So a pair that is not drawn is left out of all of
    them if a held-out pair has its source. The same text always gives the same sets.

    Args:
        codes: the codes of the languages, which end the files' names.
        names: of the training set and the held-out sets.
        share: of the source sentences that are held out; what the sets do not take is in none.
        place: what an error names.

    Returns:
        The number of pairs that are left out.

    Raises:
        InputError: if less than half of the source sentences would be left, or a set would be empty.
    """
    numbers = {"": 0}  # of the different source sentences
    sources, drawable = list[int](), list[bool]()
    for source, target in zip(*map(iter_lines, train), strict=True):
        sources.append(numbers.setdefault(compared(source), len(numbers)))
        drawable.append(sources[-1] > 0 and bool(compared(target)))
    first: dict[int, int] = {}  # the line that is drawn first, for each source
    for at in np.random.default_rng(seed).permutation(len(sources)).tolist():
        if drawable[at]:
            first.setdefault(sources[at], at)
    held_out = names[1:]
    count = size * len(held_out) if share is None else int(share * len(first))
    size = min(size, count // len(held_out))
    if 2 * count > len(first) or not size:
        raise InputError(
            f"{place}: of {len(first):,} different source sentences, hold out at least 1 and at most "
            f"{len(first) // (2 * len(held_out)):,} for each of {' and '.join(held_out)}"
        )
    drawn = dict(islice(first.items(), count))
    lines = list(drawn.values())
    chosen = {name: {*lines[n * size :][:size]} for n, name in enumerate(held_out)}
    chosen[names[0]] = {at for at, source in enumerate(sources) if source not in drawn}
    for name, rows in chosen.items():
        for text, code in zip(train, codes, strict=True):
            kept = (line for at, line in enumerate(iter_lines(text)) if at in rows)
            write_lines(folder / f"{name}.{code}", kept)
    return len(sources) - sum(map(len, chosen.values()))
