"""A dictionary of single words, learned from aligned text, for words that a vocabulary lacks."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from attnmt.config import Params
from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.files.progress import progress
from attnmt.files.text_file import iter_lines, write_lines
from attnmt.layout import ALIGNER, Layout

AGAIN = "run the dictionary stage again"
_LINE = re.compile(r"(\S+)\t(\S+)\t[01]\.\d+\t([1-9]\d*)")


class Dictionary:
    """The best translation of each source word."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        self._translations = dict(translations)

    @classmethod
    def load(cls, path: Path, *, lowercase: bool = False) -> Self:
        """Read ``source<TAB>target<TAB>p(target | source)<TAB>count``, the best target first.

        With ``lowercase``, for text in lower case, words that differ only in case count as one.

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
        return cls({source: targets.most_common(1)[0][0] for source, targets in counts.items()})

    def __len__(self) -> int:
        return len(self._translations)

    def __iter__(self) -> Iterator[str]:
        return iter(self._translations)

    def best(self, source_word: str) -> str | None:
        """Return the most probable translation, or None for a word that the dictionary lacks."""
        return self._translations.get(source_word)


def count_links(
    pairs: Iterable[tuple[list[str], list[str]]], links: Iterable[Links]
) -> Counter[tuple[str, str]]:
    """Return how often each source word of tokenized pairs is linked to each target word."""
    return Counter(
        (source[i], target[j])
        for (source, target), line in zip(pairs, links, strict=True)
        for i, j in line
    )


_LINKS = """
create table links (source text, target text, count integer, primary key (source, target))
without rowid
"""
_ADD = "insert into links values (?, ?, ?) on conflict do update set count = count + excluded.count"
_ENTRIES = """
select {word}, {translation}, count, sum(count) over (partition by {word}) from links
order by {word}, count desc, {translation}
"""


def write_dictionaries(
    forward: Path, backward: Path, parts: Iterable[Mapping[tuple[str, str], int]], min_count: int
) -> tuple[int, int]:
    """Write the pairs of linked words that occur at least ``min_count`` times in all parts together.

    p(target | source) is the pair's share of all links of its source word, including those of rare
    pairs. The counts are added up in a database on the disk beside the dictionaries. So only one part is
    in memory, however many there are.

    Args:
        forward: the file that translates source words.
        backward: the file that translates target words.
        parts: how often each (source word, target word) is linked in a part of the text.

    Returns:
        The number of links, and the number of different pairs of words.
    """
    with (
        TemporaryDirectory(dir=forward.parent) as folder,
        closing(sqlite3.connect(Path(folder, "links"))) as database,
    ):
        database.execute(_LINKS)
        for part in parts:
            database.executemany(_ADD, ((*pair, part[pair]) for pair in sorted(part)))
            del part  # otherwise it would stay in memory while the next one is counted
        links, pairs = database.execute("select total(count), count(*) from links").fetchone()
        for path, word, translation in (
            (forward, "source", "target"),
            (backward, "target", "source"),
        ):
            found = database.execute(_ENTRIES.format(word=word, translation=translation))
            entries = progress(found, path.name, pairs, "pairs of words")
            lines = (
                f"{a}\t{b}\t{n / total:.6f}\t{n}" for a, b, n, total in entries if n >= min_count
            )
            write_lines(path, lines)
    return int(links), pairs


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
    """Read what the stage dictionary says about its aligner.

    Raises:
        InputError: if the file is missing or damaged.
    """
    path = Layout(params.experiment).dictionary / ALIGNER
    return read_model(path, AlignerResult, AGAIN)
