"""From raw lines to the tokens that every family of models starts from."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, get_args

from attnmt.config import LINKS, Language, Languages, Sets, Tokenize
from attnmt.corpora.links import check_inside, parse_links
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.errors import InputError
from attnmt.files.progress import progress
from attnmt.files.text_file import iter_lines, sha256, write_json
from attnmt.layout import SUMMARY
from attnmt.text.tokenizer import tokenizer

Reason = Literal["empty", "long"]  # why a training pair is dropped
COUNTED = "links count tokens from 0 as the tokens stage makes them; correct it, or drop the pair"


def tokenize_sets(
    raw: Path, folder: Path, languages: Languages, sets: Sets, settings: Tokenize
) -> dict[str, Any]:
    """Write the tokens of all sets, their gold links and ``summary.json`` into ``folder``.

    Text is streamed. The training set is the longest, so it comes last, after the faults of the other
    sets are found.

    Returns:
        The summary: for each set the number of pairs that are kept (``lines``), the numbers ``dropped``
        by reason and, by language, the number of ``tokens`` and the ``sha256`` of the file.

    Raises:
        InputError: if the sides of a set or its links do not fit each other (naming file and line),
            a pair of a held-out set has an empty side, or no training pair is left.
    """
    counts = {
        name: _tokenize(raw, folder, languages, name, sets, settings)
        for name in reversed(sets.all())
    }
    summary = {"sets": {name: counts[name] for name in sets.all()}}
    write_json(folder / SUMMARY, summary)
    return summary


def _tokenize(
    raw: Path, folder: Path, languages: Languages, name: str, sets: Sets, settings: Tokenize
) -> dict[str, Any]:
    """Write the pairs of one set that are kept; return what the summary says about the set."""
    codes = languages.codes
    linked = (raw / f"{name}.{LINKS}").is_file()
    files = [f"{name}.{suffix}" for suffix in (*codes, *[LINKS] * linked)]
    paths = [raw / file for file in files]
    splitters = [
        splitter(languages.of(code), name in settings.tokenized, settings) for code in codes
    ]
    total = count_parallel_lines(paths)
    rows = progress(zip(*map(iter_lines, paths), strict=True), name, total, "pairs")
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        streams = [
            stack.enter_context((folder / file).open("w", encoding="utf-8", newline="\n"))
            for file in files
        ]
        for number, row in enumerate(rows, start=1):
            text = [tokens(line) for tokens, line in zip(splitters, row, strict=False)]
            links = row[len(text) :]
            if links:
                place, words = f"{paths[-1]}:{number}", (len(text[0]), len(text[1]))
                check_inside(parse_links(links[0], place).possible, words, place, COUNTED)
            why = why_dropped(text, settings)
            if why == "empty" and name != sets.train:
                raise InputError(f"{paths[text.index([])]}:{number}: no words in this line")
            if why and name == sets.train:
                counts[why] += 1
            else:
                counts.update({"lines": 1} | dict(zip(codes, map(len, text), strict=True)))
                kept = (*text, *(line.split() for line in links))
                for stream, words in zip(streams, kept, strict=True):
                    stream.write(" ".join(words) + "\n")
    dropped = {why: counts[why] for why in get_args(Reason)}
    if not counts["lines"]:
        raise InputError(
            f"{paths[0]}: no training pair is left; all were dropped, so many for each reason: {dropped}"
        )
    described = {
        code: {"tokens": counts[code], "sha256": sha256(folder / f"{name}.{code}")}
        for code in codes
    }
    return {"lines": counts["lines"], "dropped": dropped, "text": described}


def why_dropped(sides: Sequence[list[str]], settings: Tokenize) -> Reason | None:
    """Return why a training pair of these tokens is dropped, or None if it is kept."""
    if [] in sides:
        return "empty"
    return "long" if max(map(len, sides)) > settings.max_length else None


def splitter(side: Language, tokenized: bool, settings: Tokenize) -> Callable[[str], list[str]]:
    """Return what turns a line into tokens; ``tokenized`` says whether it is one of tokens already."""
    rule = tokenizer(side, settings.split_hyphens)
    return (lambda line: rule.tokens_of(line.split())) if tokenized else rule.tokenize
