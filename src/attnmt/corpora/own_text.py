"""Text that a person brings: checked before it is used, then linked, copied or divided."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from attnmt.config import LINKS
from attnmt.corpora.links import parse_links
from attnmt.corpora.overlap import Files
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

SEED = 2015  # for drawing the pairs that are held out
MOST_REFERENCES = 9  # that a set may have, the one of --test included


def count_pairs(files: Files, scored: bool) -> int:
    """Return how many pairs a set has.

    Raises:
        InputError: if the files differ in their number of lines or are not UTF-8, or if a line is blank
            in a set that is ``scored``. The message names file and line.
    """
    lines = count_parallel_lines(files)
    for file in files if scored else ():
        for number, line in enumerate(iter_lines(file), start=1):
            if not line.strip():
                raise InputError(
                    f"{file}:{number}: blank line in a set that is scored; take the pair out of both "
                    f"files"
                )
    return lines


def more_of_test(
    test: Files | None, target: str, references: Sequence[Path], links: Path | None
) -> dict[str, Path]:
    """Check the further files of a test set. Return them by the suffixes that the corpus gives them.

    Args:
        target: the code of the language that is translated into.
        references: other translations of the source.
        links: gold links of the words of source and reference.

    Raises:
        InputError: if ``test`` is None and there is a file; if there are too many references; if a file
            does not have as many lines as the set; if a line of a reference is blank; or if a line of
            ``links`` holds anything but links.
    """
    if test is None and (references or links):
        raise InputError(
            "--reference, --links: they belong to --test, which is not given; give it, or leave them out"
        )
    if len(references) >= MOST_REFERENCES:
        raise InputError(
            f"--reference: give at most {MOST_REFERENCES - 1} in addition to the one of --test"
        )
    files = {f"{target}.{number}": file for number, file in enumerate(references, start=2)}
    if test is None:
        return {}
    for file in files.values():
        count_pairs((test[1], file), scored=True)
    if links is not None:
        lines = sum(1 for _ in iter_lines(test[0]))
        linked = 0
        for linked, line in enumerate(iter_lines(links, may_be_blank=True), start=1):
            parse_links(line, f"{links}:{linked}")
        if linked != lines:
            raise InputError(
                f"{links}: {linked:,} lines where {test[0]} has {lines:,}; give one line for each"
            )
        files[LINKS] = links
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
    with_words = (at for at in order if all(side.strip() for side in rows[at]))
    drawn: dict[str, int] = {}  # a line for each source
    for at in with_words:
        drawn.setdefault(rows[at][0].strip(), at)
        if len(drawn) == 2 * count:
            break
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
