"""From raw lines to what a training reads: tokens, filtered pairs, vocabularies and ids."""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnmt.config import Preprocess, Sets
from attnmt.data.encoded import EncodedText, write_encoded
from attnmt.data.links import parse_links
from attnmt.data.parallel import count_parallel_lines
from attnmt.data.tokenizer import MosesTokenizer
from attnmt.data.vocabulary import UNK, Vocabulary, build_vocabulary
from attnmt.errors import InputError
from attnmt.files import iter_lines, sha256, write_json

LANGUAGES = ("en", "de")


def prepare(raw: Path, folder: Path, sets: Sets, settings: Preprocess) -> dict[str, Any]:
    """Write tokens, vocabularies, ids and ``summary.json`` of all sets into ``folder``.

    Text is streamed; of the training side, only word counts and ids are held. The training set
    comes last, so that the other sets' faults are found before its hours.

    Returns:
        the summary: per set the pairs kept (``lines``), those ``dropped`` by reason and, by
        language, ``tokens``, the share of ``unknown`` ones and the tokens' ``sha256``; the sizes of
        the vocabularies; ``digest``, over every byte that a training reads.

    Raises:
        InputError: if the sides of a set or its links do not fit each other (naming file and line),
            a pair of a held-out set has an empty side, or no training pair is left.
    """
    dropped = {name: _tokenise(raw, folder, name, sets, settings) for name in reversed(sets.all())}
    summary: dict[str, Any] = {
        "sets": {name: {"lines": 0, "dropped": dropped[name]} for name in sets.all()},
        "vocabulary": {},
    }
    for language in LANGUAGES:
        training_text = iter_lines(folder / f"{sets.train}.{language}.tok")
        vocabulary = build_vocabulary(training_text, settings.vocabulary)
        vocabulary.save(folder / f"vocab.{language}")
        summary["vocabulary"][language] = len(vocabulary)
        for name in sets.all():
            summary["sets"][name] |= _encode(folder, name, language, vocabulary)
    summary["digest"] = _digest(folder)
    write_json(folder / "summary.json", summary)
    return summary


def _tokenise(
    raw: Path, folder: Path, name: str, sets: Sets, settings: Preprocess
) -> dict[str, int]:
    """Write the tokens of the pairs of one set that are kept; return how many are not, and why."""
    training = name == sets.train
    paths = [raw / f"{name}.{language}" for language in LANGUAGES]
    links_path = raw / f"{name}.links"
    if links_path.is_file():
        paths.append(links_path)
    total = count_parallel_lines(paths)
    tokenise = [_splitter(language, settings) for language in LANGUAGES]
    dropped = Counter({"empty": 0, "long": 0})

    with (
        (folder / f"{name}.en.tok").open("w", encoding="utf-8", newline="\n") as en,
        (folder / f"{name}.de.tok").open("w", encoding="utf-8", newline="\n") as de,
    ):
        rows = zip(*map(iter_lines, paths), strict=True)
        for number, row in enumerate(tqdm(rows, name, total, disable=None), start=1):
            source, target = (split(line) for split, line in zip(tokenise, row, strict=False))
            if len(row) > len(LANGUAGES):
                _check_links(row[-1], f"{links_path}:{number}", source, target)
            if not (source and target):
                if not training:
                    raise InputError(f"{paths[bool(source)]}:{number}: no words in this line")
                dropped["empty"] += 1
            elif training and max(len(source), len(target)) > settings.max_length:
                dropped["long"] += 1
            else:
                en.write(" ".join(source) + "\n")
                de.write(" ".join(target) + "\n")
    if dropped.total() == total:
        raise InputError(f"{paths[0]}: no training pair is left; dropped were {dict(dropped)}")
    return dict(dropped)


def _splitter(language: str, settings: Preprocess) -> Any:
    if settings.tokenise:
        return MosesTokenizer(language, settings.split_hyphens).tokenize
    return str.split


def _check_links(text: str, place: str, source: list[str], target: list[str]) -> None:
    for i, j in parse_links(text, place).possible:
        if i >= len(source) or j >= len(target):
            raise InputError(
                f"{place}: link {i}-{j} lies outside the pair's {len(source)} and {len(target)} "
                f"tokens; links count tokens from 0 as preprocess makes them"
            )


def _encode(folder: Path, name: str, language: str, vocabulary: Vocabulary) -> dict[str, Any]:
    """Write the ids of one side of a set and return what the summary says of it."""
    path = folder / f"{name}.{language}.tok"
    lines = (vocabulary.encode(line.split()) for line in iter_lines(path))
    write_encoded(folder, name, language, lines)
    text = EncodedText.open(folder, name, language)
    unknown = int((text.ids == UNK).sum()) / len(text.ids)
    side = {"tokens": len(text.ids), "unknown": unknown, "sha256": sha256(path)}
    return {"lines": len(text), language: side}


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("vocab.*"), *folder.glob("*.npy")]):
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()
