"""Text files whose lines correspond."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines


def count_parallel_lines(paths: Iterable[Path]) -> int:
    """Return how many lines each of the files has.

    Raises:
        InputError: if one is missing, empty or not UTF-8, or if they differ in number.
    """
    counts = {path: sum(1 for _ in iter_lines(path)) for path in paths}
    if len(set(counts.values())) != 1:
        each = ", ".join(f"{path} has {count:,}" for path, count in counts.items())
        raise InputError(f"lines must correspond, but {each}; get a complete copy of each file")
    return next(iter(counts.values()))


def count_words(source: Path, target: Path) -> list[tuple[int, int]]:
    """Return how many tokens each sentence pair of two tokenized files has.

    Raises:
        InputError: if a file is missing or they differ in their lines.
    """
    count_parallel_lines((source, target))
    pairs = zip(iter_lines(source), iter_lines(target), strict=True)
    return [(len(one.split()), len(other.split())) for one, other in pairs]


def every_nth_pair(
    source: Path, target: Path, n: int = 1, first: int = 0
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the tokens of each nth sentence pair of two tokenized files, from pair ``first`` on.

    Raises:
        InputError: if a file is missing or they differ in their lines.
    """
    count_parallel_lines((source, target))
    pairs = zip(iter_lines(source), iter_lines(target), strict=True)
    for one, other in islice(pairs, first, None, n):
        yield one.split(), other.split()
