"""English-German text of any size that resembles WMT'14's: joined real sentences, and made-up words.

Real sentence pairs (Tatoeba, the training captions of Multi30k, newstest2013 and 2014) are joined into
lines of 24 English words on average; a tenth of the lines has more than 50. The 200,000 sentences have
few different words, so one English word in 110 and one German word in 50 is replaced by a compound of
two or three real words that consist of letters alone. Three compounds in four are new, the others have
come before. So new words keep coming, and 4.5 million pairs have about as many of them as WMT'14.
"""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

from attnmt.errors import InputError

SEED = 1
LANGUAGES = ("en", "de")
NEWSTEST = ("newstest2013", "newstest2014-filtered")
# Of the gamma distribution of a line's length in words, before its last sentence is completed.
SHAPE, SCALE = 2.0, 9.0
MADE_UP = {"en": 1 / 110, "de": 1 / 50}  # the share of made-up words
NEW = 0.75  # the share of new ones among them

Pair = tuple[str, str]


def real_pairs(folder: Path) -> list[Pair]:
    """Read the real sentence pairs, untokenized.

    Raises:
        InputError: if a file is missing below ``folder``.
    """
    pairs: list[Pair] = []
    for line in _lines(folder / "tatoeba/deu-eng.tsv.gz"):
        english, german = line.split("\t")[:2]
        pairs.append((english, german))
    for name in NEWSTEST:
        pairs += newstest_pairs(folder, name)
    captions = (_lines(folder / f"multi30k/train.{language}.gz") for language in LANGUAGES)
    return pairs + list(zip(*captions, strict=True))


def newstest_pairs(folder: Path, name: str) -> list[Pair]:
    """Read a test set of WMT."""
    sides = (_lines(folder / f"newstest/{name}.{language}") for language in LANGUAGES)
    return list(zip(*sides, strict=True))


def recombined(pairs: list[Pair], number: int) -> Iterator[Pair]:
    """Yield ``number`` lines made of ``pairs``; the same arguments give the same lines."""
    chance = random.Random(SEED)
    made_up = [_made_up(_words(pairs, side), chance) for side in range(len(LANGUAGES))]
    for _ in range(number):
        length = chance.gammavariate(SHAPE, SCALE)
        sides: tuple[list[str], ...] = ([], [])
        while len(sides[0]) <= length:
            for line, text in zip(sides, chance.choice(pairs), strict=True):
                line += text.split()
        for line, words, language in zip(sides, made_up, LANGUAGES, strict=True):
            if chance.random() < MADE_UP[language] * len(line):
                line[chance.randrange(len(line))] = next(words)
        yield " ".join(sides[0]), " ".join(sides[1])


def _words(pairs: list[Pair], side: int) -> list[str]:
    """Return the different words that consist of letters alone, in order of first occurrence."""
    unique = dict.fromkeys(word for pair in pairs for word in pair[side].split())
    return [word for word in unique if word.isalpha()]


def _made_up(words: list[str], chance: random.Random) -> Iterator[str]:
    """Yield compounds of two or three words, without end."""
    known: list[str] = []
    while True:
        if not known or chance.random() < NEW:
            parts = chance.choices(words, k=chance.choice((2, 2, 3)))
            known.append("".join(parts).capitalize())
            yield known[-1]
        else:
            yield chance.choice(known)


def _lines(path: Path) -> list[str]:
    if not path.exists():
        raise InputError(
            f"{path}: no such file; --text names the folder of tatoeba, newstest, multi30k"
        )
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return content.decode().removesuffix("\n").split("\n")
