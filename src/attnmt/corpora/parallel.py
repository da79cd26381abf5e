"""Text files whose lines correspond."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from attnmt.config import LINKS
from attnmt.corpora.links import format_links, parse_links
from attnmt.corpora.normal_form import normalized
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines

Files = tuple[Path, Path]  # the source file and the target file of a set


def count_parallel_lines(paths: Iterable[Path]) -> int:
    """Return how many lines each of the files has.

    Raises:
        InputError: if a file is missing, empty or not UTF-8, or if their numbers of lines differ.
    """
    counts = {path: sum(1 for _ in iter_lines(path)) for path in paths}
    if len(set(counts.values())) != 1:
        each = ", ".join(f"{path} has {count:,}" for path, count in counts.items())
        raise InputError(f"lines must correspond, but {each}; get a complete copy of each file")
    return next(iter(counts.values()))


def parallel_rows(
    paths: Mapping[str, Path], scored: bool, changed: Counter[str] | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield the corresponding lines of a set's files, which are plain, with links in Pharaoh's format.

    Every line of text is brought into the one form (:func:`normalized`). A row that is blank in all
    files, links included, is left out.

    Args:
        paths: the files by suffix; see ``SetFiles``.
        scored: whether blank lines of source and target are refused, because scores would then count
            fewer sentences than they claim.
        changed: counts by suffix the lines whose words the one form changes, and as links the rows that
            are left out.

    Raises:
        InputError: as :func:`count_parallel_lines` does; if a line is blank where none may be; or
            if a line of links holds anything but links (naming file and line).
    """
    count_parallel_lines(paths.values())
    changed = Counter() if changed is None else changed
    for number, lines in enumerate(zip(*map(iter_lines, paths.values()), strict=True), start=1):
        if LINKS in paths and not "".join(lines).strip():
            changed[LINKS] += 1  # RWTH's files have such a line; it is not a pair
            continue
        row = dict(zip(paths, lines, strict=True))
        for suffix, line in row.items():
            place = f"{paths[suffix]}:{number}"
            if suffix == LINKS:
                row[suffix] = format_links(*parse_links(line, place))
                continue
            row[suffix] = normalized(line)
            changed[suffix] += row[suffix] != line and row[suffix].split() != line.split()
            if scored and not row[suffix].strip():
                why = (
                    "blank line in a set that is scored; take the pair out of all files of the set"
                )
                raise InputError(f"{place}: {why}")
        yield tuple(row.values())


def every_nth_pair(
    source: Path, target: Path, n: int = 1, first: int = 0
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the tokens of every nth sentence pair of two tokenized files, from pair ``first`` on.

    The files have equally many lines, as :func:`count_parallel_lines` checks.
    """
    pairs = zip(iter_lines(source), iter_lines(target), strict=True)
    for source_line, target_line in islice(pairs, first, None, n):
        yield source_line.split(), target_line.split()
