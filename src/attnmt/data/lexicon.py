"""A dictionary of single words, learned from aligned text, for what a vocabulary lacks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

from attnmt.data.links import Links
from attnmt.errors import InputError
from attnmt.files import iter_lines, write_lines


class Lexicon:
    """The best translation of each source word."""

    def __init__(self, translations: Mapping[str, str]) -> None:
        """Keep one target word for each source word."""
        self._translations = dict(translations)

    @classmethod
    def load(cls, path: Path, *, lowercase: bool = False) -> Self:
        """Read ``source<TAB>target<TAB>p(target | source)<TAB>count``, the best target first.

        ``lowercase`` counts words together that differ in case alone, for text in lower case.

        Raises:
            InputError: if the file is missing or a line has not four fields.
        """
        counts: dict[str, Counter[str]] = {}
        for number, line in enumerate(iter_lines(path, may_be_blank=True), start=1):
            fields = line.split("\t")
            if len(fields) != 4 or not fields[3].isdecimal():
                raise InputError(
                    f"{path}:{number}: {len(fields)} fields separated by tabs, not 4 with a count "
                    f"as the last; run the lexicon stage again"
                )
            source, target = (word.lower() if lowercase else word for word in fields[:2])
            counts.setdefault(source, Counter())[target] += int(fields[3])
        return cls({source: found.most_common(1)[0][0] for source, found in counts.items()})

    def __len__(self) -> int:
        """Return the number of source words."""
        return len(self._translations)

    def best(self, source_word: str) -> str | None:
        """Return the most probable translation, None for a word that the dictionary lacks."""
        return self._translations.get(source_word)


def count_links(
    pairs: Iterable[tuple[list[str], list[str]]], links: Iterable[Links]
) -> Counter[tuple[str, str]]:
    """Return how often each source word is linked to each target word.

    Args:
        pairs: tokenised sentences.
        links: of each pair.
    """
    return Counter(
        (source[i], target[j])
        for (source, target), line in zip(pairs, links, strict=True)
        for i, j in line
    )


def write_lexicon(path: Path, links: Mapping[tuple[str, str], int], min_count: int) -> None:
    """Write the pairs of linked words that occur at least ``min_count`` times.

    p(target | source) is the pair's share of all links of its source word, rare pairs counted.

    Args:
        links: how often each (source word, target word) is linked.
    """
    write_lines(path, _entries(links, min_count))


def _entries(links: Mapping[tuple[str, str], int], min_count: int) -> Iterator[str]:
    totals: Counter[str] = Counter()
    for (source, _), count in links.items():
        totals[source] += count
    kept = [
        (source, -count, target) for (source, target), count in links.items() if count >= min_count
    ]
    for source, negative, target in sorted(kept):
        yield f"{source}\t{target}\t{-negative / totals[source]:.6f}\t{-negative}"
