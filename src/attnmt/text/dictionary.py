"""A dictionary of single words, learned from aligned text, for words that a vocabulary lacks."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.files.text_file import iter_lines, write_lines
from attnmt.layout import ALIGNER, Layout

AGAIN = "run the dictionary stage again"
_LINE = re.compile(r"(\S+)\t(\S+)\t[01]\.\d+\t([1-9]\d*)")


def read_dictionary(path: Path, *, lowercase: bool = False) -> dict[str, str]:
    """Return the best translation of each source word.

    The file has ``source<TAB>target<TAB>p(target | source)<TAB>count``, the best target first. With
    ``lowercase``, for text in lower case, words that differ only in case count as one.

    Raises:
        InputError: if the file is missing or a line is not two words, a share and a count.
    """
    counts: dict[str, Counter[str]] = {}
    for number, line in enumerate(iter_lines(path, may_be_blank=True), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise InputError(
                f"{path}:{number}: {line[:60]!r} is not two words, a share and a count, with tabs "
                f"between; {AGAIN}"
            )
        source, target = (word.lower() if lowercase else word for word in match.groups()[:2])
        counts.setdefault(source, Counter())[target] += int(match[3])
    return {source: targets.most_common(1)[0][0] for source, targets in counts.items()}


def write_dictionary(
    path: Path, counts: Mapping[tuple[str, str], int], min_count: int, side: Literal[0, 1]
) -> None:
    """Write the pairs of linked words that occur at least ``min_count`` times.

    p(target | source) is the pair's share of all links of its source word, including those of rare
    pairs.
    """
    totals: Counter[str] = Counter()
    for pair, count in counts.items():
        totals[pair[side]] += count
    frequent = sorted(
        (pair[side], -count, pair[1 - side]) for pair, count in counts.items() if count >= min_count
    )
    lines = (f"{a}\t{b}\t{-n / totals[a]:.6f}\t{-n}" for a, n, b in frequent)
    write_lines(path, lines)


class AlignerResult(Record):
    """The aligner, and what the dictionaries were counted on: ``aligner.json``."""

    system: Text
    pairs: Positive  # in the training text
    parts: Positive  # that this text was aligned in
    min_count: Positive

    def __str__(self) -> str:
        """Say how the dictionaries were made."""
        in_parts = f", in {self.parts} parts" if self.parts > 1 else ""
        linked = f"words linked {self.min_count} times or more"
        return f"{self.system}, {self.pairs:,} pairs{in_parts}, {linked}"


def read_aligner(params: Params) -> AlignerResult:
    """Read what the stage dictionary says about its aligner."""
    path = Layout(params.experiment).dictionary / ALIGNER
    return read_model(path, AlignerResult, AGAIN)
