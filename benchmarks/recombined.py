"""English-German text of any size that is like WMT'14's: real sentences put together, words made up.

Real sentence pairs (Tatoeba, the training captions of Multi30k, newstest2013 and 2014) are joined to
lines of 24 English words in the mean, a tenth of which has more than 50. Since 200,000 sentences have
few different words, one English word in 110 and one German in 50 is put together from two or more of
those that are letters alone, three times in four anew, else one met before is taken again. So new
words keep coming, and 4.5 million pairs have about as many different ones as WMT'14.
"""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

from attnmt.errors import InputError

SEED = 1
LANGUAGES = ("en", "de")
NEWSTEST = ("newstest2013", "newstest2014-filtered")
SHAPE, SCALE = (
    2.0,
    9.0,
)  # of the gamma law of lines' lengths in words, before a last sentence is whole
MADE_UP = {"en": 1 / 110, "de": 1 / 50}  # of the words
NEW = 0.75  # of those

Pair = tuple[str, str]


def real_pairs(folder: Path) -> list[Pair]:
    """Read the real sentence pairs, each as it was written.

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
    """Yield so many lines made of ``pairs``; the same ones for the same arguments."""
    chance = random.Random(SEED)
    made_up = [_made_up(_words(pairs, side), chance) for side in range(len(LANGUAGES))]
    for _ in range(number):
        wanted = chance.gammavariate(SHAPE, SCALE)
        sides: tuple[list[str], ...] = ([], [])
        while len(sides[0]) <= wanted:
            for found, text in zip(sides, chance.choice(pairs), strict=True):
                found += text.split()
        for found, words, language in zip(sides, made_up, LANGUAGES, strict=True):
            if chance.random() < MADE_UP[language] * len(found):
                found[chance.randrange(len(found))] = next(words)
        yield " ".join(sides[0]), " ".join(sides[1])


def _words(pairs: list[Pair], side: int) -> list[str]:
    """Return the different words of letters alone, in order of first occurrence."""
    found = dict.fromkeys(word for pair in pairs for word in pair[side].split())
    return [word for word in found if word.isalpha()]


def _made_up(words: list[str], chance: random.Random) -> Iterator[str]:
    """Yield words put together from two or three others, without end."""
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
