"""Text files whose lines correspond."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files import iter_lines


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


def spread_pairs(source: Path, target: Path, most: int) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the tokens of at most so many sentence pairs, evenly spread over two tokenised files.

    Raises:
        InputError: if a file is missing or they differ in their lines.
    """
    total = count_parallel_lines((source, target))
    kept = min(most, total)
    for number, pair in enumerate(zip(iter_lines(source), iter_lines(target), strict=True)):
        if (number + 1) * kept // total > number * kept // total:
            yield pair[0].split(), pair[1].split()
