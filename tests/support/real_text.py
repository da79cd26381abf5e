"""Text that people wrote, where this machine has it, and imperfect translations of references.

Some tests need text that the project may not hold; without it they are skipped. The references are
German captions from that text or sentences of the demo, which are always there.
"""

import os
import random
from pathlib import Path

import pytest
from demo_text import demo_lines

from attnmt.files.text_file import read_lines

SHARED = Path(__file__).parents[3] / "shared" / "data"
CONTENTS = {  # what the folder that a variable names holds
    "MULTI30K_DIR": "raw captions of Multi30k, task 1",
    "ALIGNMENT_DIR": "100 German-English pairs of Europarl with gold links, by Ergun Bicici",
    "FLORES_DIR": "the first 200 lines of FLORES-101's devtest, <code>.gz",
    "NEWSTEST_DIR": "WMT's raw test sets, newstest2014 cut to the 2,737 lines that the paper scored",
}


def written(variable: str, file: str) -> Path:
    """Return a file's path: in the folder that a variable names, or else beside the project."""
    beside = SHARED / variable.removesuffix("_DIR").lower()
    return Path(os.environ.get(variable, beside), file)


def needs(variable: str, *files: str) -> pytest.MarkDecorator:
    """Skip a test on machines that lack one of these files."""
    lacking = [file for file in files if not written(variable, file).is_file()]
    folder = written(variable, "")
    return pytest.mark.skipif(
        bool(lacking),
        reason=f"needs {', '.join(files)} ({CONTENTS[variable]}), which the project does not hold; "
        f"{variable} names the folder, now {folder}",
    )


CAPTIONS = written("MULTI30K_DIR", "test_2016_flickr.de.gz")
TEXTS = ["demo", pytest.param("captions", marks=needs("MULTI30K_DIR", CAPTIONS.name))]


def read_text(text: str, lines: int = 150) -> list[str]:
    """Return the first lines of one of the ``TEXTS``, untokenized."""
    if text == "captions":
        return read_lines(CAPTIONS)[:lines]
    return demo_lines("de", lines)


def spoil(references: list[str], seed: int, share: float = 0.2) -> list[str]:
    """Return each line with a share of its words lost, unknown or moved; the seed says which."""
    chance = random.Random(seed)
    return [_spoil(line.split(), chance, share) for line in references]


def _spoil(words: list[str], chance: random.Random, share: float) -> str:
    spoiled: list[str] = []
    for word in words:
        fate = chance.random() / share
        if fate < 0.3:
            continue
        spoiled.insert(len(spoiled) - (0.3 <= fate < 0.6), "<unk>" if 0.6 <= fate < 1 else word)
    return " ".join(spoiled)
