"""From raw lines to the tokens that every family of models starts from."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnmt.config import LINKS, Language, Languages, Sets, Tokenize
from attnmt.corpora.links import check_inside, parse_links
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, sha256, write_json
from attnmt.text.moses import escaped
from attnmt.text.tokenizer import tokenizer
from attnmt.text.workers import map_chunks

MOST_REFERENCES = 9  # a set has its own, and may have more with the suffixes .2 to .9


def tokenize_sets(
    raw: Path,
    folder: Path,
    languages: Languages,
    sets: Sets,
    settings: Tokenize,
    workers: int = 1,
) -> dict[str, Any]:
    """Write the tokens of all sets, their gold links and ``summary.json`` into ``folder``.

    Text is streamed. The training set may take hours, so it comes last, after the faults of the other
    sets are found. ``workers`` is the number of processes that share a long text; it does not change
    the output.

    Returns:
        The summary: for each set the number of pairs that are kept (``lines``), the numbers ``dropped``
        by reason and, by the suffix of the file of each language and each further reference, the
        number of ``tokens`` and the ``sha256`` of the file.

    Raises:
        InputError: if the sides of a set or its links do not fit each other (naming file and line),
            a pair of a held-out set has an empty side, or no training pair is left.
    """
    counts = {
        name: _tokenize(raw, folder, languages, name, sets, settings, workers)
        for name in reversed(sets.all())
    }
    summary = {"sets": {name: counts[name] for name in sets.all()}}
    write_json(folder / "summary.json", summary)
    return summary


def _tokenize(
    raw: Path,
    folder: Path,
    languages: Languages,
    name: str,
    sets: Sets,
    settings: Tokenize,
    workers: int,
) -> dict[str, Any]:
    """Write the pairs of one set that are kept; return what the summary says about the set."""
    suffixes = text_suffixes(raw, name, languages)
    sides = [languages.of(suffix.partition(".")[0]) for suffix in suffixes]
    if (raw / f"{name}.{LINKS}").is_file():
        suffixes.append(LINKS)
    files = [f"{name}.{suffix}" for suffix in suffixes]
    paths = [raw / file for file in files]
    work = _Pairs(paths, sides, settings, name in settings.tokenized, name == sets.train)
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
        raise InputError(
            f"{paths[0]}: no training pair is left; all were dropped, so many for each reason: {dropped}"
        )
    described = {
        suffix: {"tokens": counts[suffix], "sha256": sha256(folder / f"{name}.{suffix}")}
        for suffix in text_suffixes(raw, name, languages)
    }
    return {"lines": counts["lines"], "dropped": dropped, "text": described}


def text_suffixes(folder: Path, name: str, languages: Languages) -> list[str]:
    """Return the suffixes of a set's files of text: source and target, then further references."""
    others = (
        f"{code}.{number}" for code in languages.codes for number in range(2, MOST_REFERENCES + 1)
    )
    return [
        *languages.codes,
        *(suffix for suffix in others if (folder / f"{name}.{suffix}").is_file()),
    ]


@dataclass(frozen=True)
class _Pairs:
    """Tokenizes pairs of a set."""

    paths: list[Path]  # the files of text: source, target, others; then the file of links, if any
    sides: list[Language]  # the languages of the files of text
    settings: Tokenize
    tokenized: bool
    training: bool

    def __call__(self, first: int, rows: list[tuple[str, ...]]) -> tuple[list[str], Counter[str]]:
        """Return the kept lines of each file, and counts. ``first`` is the number of the first row.

        The counts are ``lines``, the pairs that are kept; the tokens of each file of text, by its
        suffix; and the pairs that are dropped, by reason.
        """
        split = [self._splitter(side) for side in self.sides]
        texts: list[list[str]] = [[] for _ in self.paths]
        counts: Counter[str] = Counter()
        suffixes = [path.name.partition(".")[2] for path in self.paths]
        for number, row in enumerate(rows, start=first):
            text = [tokens(line) for tokens, line in zip(split, row, strict=False)]
            links = row[len(text) :]
            if links:
                _check_links(links[0], f"{self.paths[-1]}:{number}", *text[:2])
            if not all(text):
                if not self.training:
                    path = self.paths[text.index([])]
                    raise InputError(f"{path}:{number}: no words in this line")
                counts["empty"] += 1
            elif self.training and max(map(len, text)) > self.settings.max_length:
                counts["long"] += 1
            else:
                kept = [*text, *(line.split() for line in links)]
                counts.update({"lines": 1} | dict(zip(suffixes, map(len, text), strict=False)))
                for lines, words in zip(texts, kept, strict=True):
                    lines.append(" ".join(words) + "\n")
        return ["".join(text) for text in texts], counts

    def _splitter(self, side: Language) -> Callable[[str], list[str]]:
        if self.tokenized:
            return str.split if side.tokenize == "characters" else _escaped_words
        return tokenizer(side, self.settings.split_hyphens).tokenize


def _escaped_words(line: str) -> list[str]:
    """Return the words of a line that is tokenized already, escaped as Moses escapes them."""
    return [escaped(word) for word in line.split()]


def _check_links(text: str, place: str, source: list[str], target: list[str]) -> None:
    cure = "links count tokens from 0 as the tokens stage makes them"
    check_inside(parse_links(text, place).possible, (len(source), len(target)), place, cure)
