"""Text that a person brings: checked before it is used, then linked, copied or divided."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from attnmt.config import LINKS
from attnmt.corpora.parallel import Files, parallel_rows
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

SEED = 2015  # for drawing the pairs that are held out
MOST_REFERENCES = 9  # that a set may have, the one of --test included


def count_pairs(files: Files, scored: bool) -> int:
    """Return how many pairs a set has.

    Raises:
        InputError: as :func:`attnmt.corpora.parallel.parallel_rows` does.
    """
    return sum(
        1 for _ in parallel_rows(dict(zip(("source", "target"), files, strict=True)), scored)
    )


def more_of_test(
    test: Files | None, target: str, references: Sequence[Path], links: Path | None
) -> dict[str, Path]:
    """Check the further files of a test set. Return them by the suffixes that the corpus gives them.

    Args:
        target: the code of the language that is translated into.
        references: other translations of the source.
        links: gold links of the words of source and reference.

    Raises:
        InputError: if ``test`` is None and there is a file; if there are too many references; or as
            :func:`attnmt.corpora.parallel.parallel_rows` does.
    """
    if len(references) >= MOST_REFERENCES:
        raise InputError(
            f"--reference: give at most {MOST_REFERENCES - 1} in addition to the one of --test"
        )
    files = {f"{target}.{number}": file for number, file in enumerate(references, start=2)}
    if links is not None:
        files[LINKS] = links
    if files and test is None:
        raise InputError(
            "--reference, --links: they belong to --test, which is not given; give it, or leave them out"
        )
    if files and test is not None:
        for _ in parallel_rows({"source": test[0], "target": test[1], **files}, scored=True):
            pass
    return files


def write_divided(
    train: Files, codes: tuple[str, str], count: int, pairs: int, folder: Path
) -> None:
    """Write ``count`` random pairs as dev, as many others as test, and the rest as train.

    Each source sentence is in only one of the three sets. So a pair that is not drawn is left out of all
    three if dev or test has its source. The same text always gives the same sets.

    Args:
        codes: the codes of the languages, which end the files' names.
        pairs: how many the training text has.

    Raises:
        InputError: if dev and test would take more than half of the pairs, or if too few pairs differ in
            their source.
    """
    if 4 * count > pairs:
        raise InputError(
            f"--hold-out: dev and test would take {2 * count:,} of only {pairs:,} pairs; hold out fewer"
        )
    rows = list(zip(*map(iter_lines, train), strict=True))
    order = np.random.default_rng(SEED).permutation(len(rows)).tolist()
    drawn: dict[str, int] = {}  # a line for each source
    for at in order:
        if len(drawn) < 2 * count and all(side.strip() for side in rows[at]):
            drawn.setdefault(rows[at][0].strip(), at)
    if len(drawn) < 2 * count:
        raise InputError(
            f"--hold-out: only {len(drawn):,} different source sentences; hold out fewer"
        )
    lines = list(drawn.values())
    rest = [at for at, row in enumerate(rows) if row[0].strip() not in drawn]
    for name, chosen in {"dev": lines[:count], "test": lines[count:], "train": rest}.items():
        for side, code in enumerate(codes):
            write_lines(folder / f"{name}.{code}", (rows[at][side] for at in sorted(chosen)))


def put_files(files: Mapping[str, Path], folder: Path, copy: bool) -> None:
    """Link or copy files into a folder, under the names that are the keys. A .gz keeps its ending."""
    for name, file in files.items():
        place = folder / (f"{name}.gz" if file.suffix == ".gz" else name)
        if copy:
            shutil.copyfile(file, place)
        else:
            place.symlink_to(file.resolve())
