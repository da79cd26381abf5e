"""Text files whose lines correspond."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines


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


def count_words(source: Path, target: Path) -> list[tuple[int, int]]:
    """Return how many tokens each sentence pair of two tokenized files has.

    Raises:
        InputError: if a file is missing or their numbers of lines differ.
    """
    count_parallel_lines((source, target))
    pairs = zip(iter_lines(source), iter_lines(target), strict=True)
    return [
        (len(source_line.split()), len(target_line.split())) for source_line, target_line in pairs
    ]


def every_nth_pair(
    source: Path, target: Path, n: int = 1, first: int = 0
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the tokens of every nth sentence pair of two tokenized files, from pair ``first`` on.

    Raises:
        InputError: if a file is missing or their numbers of lines differ.
    """
    count_parallel_lines((source, target))
    pairs = zip(iter_lines(source), iter_lines(target), strict=True)
    for source_line, target_line in islice(pairs, first, None, n):
        yield source_line.split(), target_line.split()
