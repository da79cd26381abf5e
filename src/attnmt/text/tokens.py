"""From raw lines to the tokens that every family of models starts from."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnmt.config import Sets, Tokenize
from attnmt.corpora.links import check_inside, parse_links
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, sha256, write_json
from attnmt.text.moses import escaped
from attnmt.text.tokenizer import MosesTokenizer
from attnmt.text.workers import map_chunks

LANGUAGES = ("en", "de")


def tokenize_sets(
    raw: Path, folder: Path, sets: Sets, settings: Tokenize, workers: int = 1
) -> dict[str, Any]:
    """Write the tokens of all sets, their gold links and ``summary.json`` into ``folder``.

    Text is streamed. The training set may take hours, so it comes last, after the faults of the other
    sets are found. ``workers`` is the number of processes that share a long text; it does not change
    the output.

    Returns:
        The summary: for each set the number of pairs that are kept (``lines``), the numbers ``dropped``
        by reason and, by language, the number of ``tokens`` and the ``sha256`` of their file.

    Raises:
        InputError: if the sides of a set or its links do not fit each other (naming file and line),
            a pair of a held-out set has an empty side, or no training pair is left.
    """
    counts = {
        name: _tokenize(raw, folder, name, sets, settings, workers) for name in reversed(sets.all())
    }
    summary = {"sets": {name: counts[name] for name in sets.all()}}
    write_json(folder / "summary.json", summary)
    return summary


def _tokenize(
    raw: Path, folder: Path, name: str, sets: Sets, settings: Tokenize, workers: int
) -> dict[str, Any]:
    """Write the pairs of one set that are kept; return what the summary says about the set."""
    files = [f"{name}.{language}" for language in LANGUAGES]
    if (raw / f"{name}.links").is_file():
        files.append(f"{name}.links")
    paths = [raw / file for file in files]
    work = _Pairs(paths, settings, name in settings.tokenized, name == sets.train)
    total = count_parallel_lines(paths)
    rows = tqdm(zip(*map(iter_lines, paths), strict=True), name, total, disable=None)
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        streams = [
            stack.enter_context((folder / file).open("w", encoding="utf-8", newline="\n"))
            for file in files
        ]
        for texts, chunk_counts in map_chunks(work, rows, workers):
            counts += chunk_counts
            for stream, text in zip(streams, texts, strict=True):
                stream.write(text)
    dropped = {why: counts[why] for why in ("empty", "long")}
    if not counts["lines"]:
        raise InputError(f"{paths[0]}: no training pair is left; these were dropped: {dropped}")
    sides = {k: {"tokens": counts[k], "sha256": sha256(folder / f"{name}.{k}")} for k in LANGUAGES}
    return {"lines": counts["lines"], "dropped": dropped} | sides


@dataclass(frozen=True)
class _Pairs:
    """Tokenizes pairs of a set."""

    paths: list[Path]  # the files of both languages and, if there are any, of the links
    settings: Tokenize
    tokenized: bool
    training: bool

    def __call__(self, first: int, rows: list[tuple[str, ...]]) -> tuple[list[str], Counter[str]]:
        """Return the lines of each file that are kept, and their number as ``lines``, the numbers of
        tokens by language and of dropped pairs by reason. ``first`` is the number of the first row.
        """
        split = [self._splitter(language) for language in LANGUAGES]
        texts: list[list[str]] = [[] for _ in self.paths]
        counts: Counter[str] = Counter()
        for number, (english, german, *links) in enumerate(rows, start=first):
            source, target = split[0](english), split[1](german)
            if links:
                _check_links(links[0], f"{self.paths[-1]}:{number}", source, target)
            if not (source and target):
                if not self.training:
                    raise InputError(f"{self.paths[bool(source)]}:{number}: no words in this line")
                counts["empty"] += 1
            elif self.training and max(len(source), len(target)) > self.settings.max_length:
                counts["long"] += 1
            else:
                counts.update(lines=1, en=len(source), de=len(target))
                kept = source, target, *(line.split() for line in links)
                for text, words in zip(texts, kept, strict=True):
                    text.append(" ".join(words) + "\n")
        return ["".join(text) for text in texts], counts

    def _splitter(self, language: str) -> Callable[[str], list[str]]:
        return _escaped_words if self.tokenized else splitter(language, self.settings)


def splitter(language: str, settings: Tokenize) -> Callable[[str], list[str]]:
    """Return the function that splits a raw line of a language into tokens."""
    return _moses(language, settings.split_hyphens).tokenize if settings.moses else str.split


def _escaped_words(line: str) -> list[str]:
    """Return the words of a line that is tokenized already, escaped as Moses escapes them."""
    return [escaped(word) for word in line.split()]


@cache  # so that the words remembered from one chunk serve the next
def _moses(language: str, split_hyphens: bool) -> MosesTokenizer:
    return MosesTokenizer(language, split_hyphens)


def _check_links(text: str, place: str, source: list[str], target: list[str]) -> None:
    cure = "links count tokens from 0 as the tokens stage makes them"
    check_inside(parse_links(text, place).possible, (len(source), len(target)), place, cure)
