"""Training text that a person brings, divided into training, development and test set."""

from itertools import islice
from pathlib import Path

import numpy as np

from attnmt.corpora.normal_form import normalized
from attnmt.corpora.parallel import Files
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

SEED = 2015  # for drawing the pairs that are held out


def _compared(line: str) -> str:
    """Return a line as it is compared: in the one form, with single spaces."""
    return " ".join(normalized(line).split())


def write_divided(train: Files, codes: tuple[str, str], count: int, folder: Path) -> int:
    """Write ``count`` random pairs as dev, as many others as test, and the rest as train.

    Each source sentence is in only one of the three sets. So a pair that is not drawn is left out of all
    three if dev or test has its source. The same text always gives the same sets.

    Args:
        codes: the codes of the languages, which end the files' names.

    Returns:
        The number of pairs that are left out.

    Raises:
        InputError: if less than half of the source sentences would be left.
    """
    rows = list(zip(*map(iter_lines, train), strict=True))
    order = np.random.default_rng(SEED).permutation(len(rows)).tolist()
    first: dict[str, int] = {}  # the line that is drawn first, for each source
    for at in order:
        if all(map(_compared, rows[at])):
            first.setdefault(_compared(rows[at][0]), at)
    if 4 * count > len(first):
        raise InputError(
            f"--hold-out: of {len(first):,} different source sentences, hold out at most "
            f"{len(first) // 4:,} for each of dev and test"
        )
    drawn = dict(islice(first.items(), 2 * count))
    lines = list(drawn.values())
    rest = [at for at, row in enumerate(rows) if _compared(row[0]) not in drawn]
    for name, chosen in {"dev": lines[:count], "test": lines[count:], "train": rest}.items():
        for side, code in enumerate(codes):
            write_lines(folder / f"{name}.{code}", (rows[at][side] for at in sorted(chosen)))
    return len(rows) - len(lines) - len(rest)
