"""References and imperfect translations of them, for tests of the scores.

The references are the German captions of Multi30k (MULTI30K_DIR names the folder of its files) or,
always there, sentences of the demo's grammar.
"""

import os
import random
from pathlib import Path

import pytest

from attnmt.data.grammar import generate_splits
from attnmt.files import read_lines

SHARED = Path(__file__).parents[3] / "shared" / "data" / "multi30k"
CAPTIONS = Path(os.environ.get("MULTI30K_DIR", SHARED)) / "test_2016_flickr.de.gz"
TEXTS = [
    "made",
    pytest.param(
        "captions",
        marks=pytest.mark.skipif(not CAPTIONS.exists(), reason=f"no {CAPTIONS} (set MULTI30K_DIR)"),
    ),
]


def read_text(text: str, lines: int = 150) -> list[str]:
    """Return some lines of one of the ``TEXTS``, as they were written."""
    if text == "captions":
        return read_lines(CAPTIONS)[:lines]
    return [pair.target for pair in generate_splits({"train": lines}, seed=7)["train"]]


def spoil(references: list[str], seed: int, share: float = 0.2) -> list[str]:
    """Return each line with a share of its words lost, unknown or moved: never the same by seed."""
    chance = random.Random(seed)
    return [_spoil(line.split(), chance, share) for line in references]


def _spoil(words: list[str], chance: random.Random, share: float) -> str:
    found: list[str] = []
    for word in words:
        fate = chance.random() / share
        if fate < 0.3:
            continue
        found.insert(len(found) - (0.3 <= fate < 0.6), "<unk>" if 0.6 <= fate < 1 else word)
    return " ".join(found)
