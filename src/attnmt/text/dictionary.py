"""A dictionary of single words, learned from aligned text, for words that a vocabulary lacks."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.files.progress import progress
from attnmt.files.text_file import iter_lines, write_lines


class Dictionary:
    """The best translation of each source word."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        """Keep one target word for each source word."""
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
            fields = _fields(line, f"{path}:{number}")
            source, target = (word.lower() if lowercase else word for word in fields[:2])
            counts.setdefault(source, Counter())[target] += int(fields[3])
        return cls({source: targets.most_common(1)[0][0] for source, targets in counts.items()})

    def __len__(self) -> int:
        """Return the number of source words."""
        return len(self._translations)

    def __iter__(self) -> Iterator[str]:
        """Yield the source words."""
        return iter(self._translations)

    def best(self, source_word: str) -> str | None:
        """Return the most probable translation, or None for a word that the dictionary lacks."""
        return self._translations.get(source_word)


def _fields(line: str, place: str) -> list[str]:
    """Return the four fields of a line of a dictionary."""
    fields = line.split("\t")
    if len(fields) != 4 or not fields[3].isdecimal():
        fault = f"{len(fields)} fields separated by tabs, not 4 with a count as the last"
    elif any(len(word.split()) != 1 for word in fields[:2]):
        fault = f"{fields[0]!r} and {fields[1]!r} are not two words"
    elif not re.fullmatch(r"0\.\d+|1\.0+", fields[2]) or int(fields[3]) < 1:
        fault = f"{fields[2]!r} is not a share between 0 and 1, or {fields[3]!r} is not a count"
    else:
        return fields
    raise InputError(f"{place}: {fault}; run the dictionary stage again")


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
