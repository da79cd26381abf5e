"""From raw lines to the tokens that every family of models starts from."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnmt.config import Sets, Tokenise
from attnmt.data.links import parse_links
from attnmt.data.parallel import count_parallel_lines
from attnmt.data.tokenizer import MosesTokenizer
from attnmt.errors import InputError
from attnmt.files import iter_lines, sha256, write_json

LANGUAGES = ("en", "de")


def tokenise_sets(raw: Path, folder: Path, sets: Sets, settings: Tokenise) -> dict[str, Any]:
    """Write the tokens of all sets, their gold links and ``summary.json`` into ``folder``.

    Text is streamed. The training set comes last, so that the other sets' faults are found before
    its hours.

    Returns:
        the summary: per set the pairs kept (``lines``), those ``dropped`` by reason and, by
        language, ``tokens`` and their ``sha256``.

    Raises:
        InputError: if the sides of a set or its links do not fit each other (naming file and line),
            a pair of a held-out set has an empty side, or no training pair is left.
    """
    found = {name: _tokenise(raw, folder, name, sets, settings) for name in reversed(sets.all())}
    summary = {"sets": {name: found[name] for name in sets.all()}}
    write_json(folder / "summary.json", summary)
    return summary


def _tokenise(raw: Path, folder: Path, name: str, sets: Sets, settings: Tokenise) -> dict[str, Any]:
    """Write the pairs of one set that are kept; return what the summary says of it."""
    training = name == sets.train
    files = [f"{name}.{language}" for language in LANGUAGES]
    if (raw / f"{name}.links").is_file():
        files.append(f"{name}.links")
    paths = [raw / file for file in files]
    tokens, dropped = Counter[str](), Counter({"empty": 0, "long": 0})
    lines = 0
    with ExitStack() as stack:
        streams = [
            stack.enter_context((folder / file).open("w", encoding="utf-8", newline="\n"))
            for file in files
        ]
        for number, (source, target, *links) in enumerate(_pairs(paths, settings), start=1):
            if not (source and target):
                if not training:
                    raise InputError(f"{paths[bool(source)]}:{number}: no words in this line")
                dropped["empty"] += 1
            elif training and max(len(source), len(target)) > settings.max_length:
                dropped["long"] += 1
            else:
                lines += 1
                tokens.update(en=len(source), de=len(target))
                for stream, words in zip(streams, (source, target, *links), strict=True):
                    stream.write(" ".join(words) + "\n")
    if not lines:
        raise InputError(f"{paths[0]}: no training pair is left; dropped were {dict(dropped)}")
    sides = {k: {"tokens": tokens[k], "sha256": sha256(folder / f"{name}.{k}")} for k in LANGUAGES}
    return {"lines": lines, "dropped": dict(dropped)} | sides


def _pairs(paths: list[Path], settings: Tokenise) -> Iterator[list[list[str]]]:
    """Yield the tokens of each pair of a set and, if it has them, its links, which fit the tokens."""
    total = count_parallel_lines(paths)
    split = [*(splitter(language, settings) for language in LANGUAGES), str.split]
    rows = zip(*map(iter_lines, paths), strict=True)
    for number, row in enumerate(tqdm(rows, paths[0].stem, total, disable=None), start=1):
        pair = [words(line) for words, line in zip(split, row, strict=False)]
        if len(row) > len(LANGUAGES):
            _check_links(row[-1], f"{paths[-1]}:{number}", pair[0], pair[1])
        yield pair


def splitter(language: str, settings: Tokenise) -> Callable[[str], list[str]]:
    """Return what splits a raw line of a language into tokens."""
    if settings.moses:
        return MosesTokenizer(language, settings.split_hyphens).tokenize
    return str.split


def _check_links(text: str, place: str, source: list[str], target: list[str]) -> None:
    for i, j in parse_links(text, place).possible:
        if i >= len(source) or j >= len(target):
            raise InputError(
                f"{place}: link {i}-{j} lies outside the pair's {len(source)} and {len(target)} "
                f"tokens; links count tokens from 0 as the tokenise stage makes them"
            )
