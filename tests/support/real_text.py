"""Text that people wrote, where a machine has it; references and imperfect translations of them.

Some tests also look at text that the project does not hold, and are skipped without it. The
references are German captions of that text or, always there, sentences of the demo's grammar.
"""

import os
import random
from pathlib import Path

import pytest

from attnmt.files.text_file import read_lines
from attnmt.grammar import generate_splits

SHARED = Path(__file__).parents[3] / "shared" / "data"
WHAT = {  # is in the folder that the variable names
    "ALIGNMENT_DIR": "Biçici's 100 hand-aligned sentence pairs of Europarl",
    "MULTI30K_DIR": "raw captions of Multi30k, task 1",
    "NEWSTEST_DIR": "WMT's raw test sets; of newstest2014 the 2,737 lines that the paper scored",
    "TATOEBA_DIR": "Tatoeba's sentence pairs, English and German with a tab between",
}


def written(variable: str, file: str) -> Path:
    """Return where a file lies: in the folder that a variable names, else beside the project."""
    beside = SHARED / variable.removesuffix("_DIR").lower()
    return Path(os.environ.get(variable, beside), file)


def needs(variable: str, *files: str) -> pytest.MarkDecorator:
    """Skip a test where one of these files is not."""
    lacking = [file for file in files if not written(variable, file).is_file()]
    folder = written(variable, "")
    return pytest.mark.skipif(
        bool(lacking),
        reason=f"needs {', '.join(files)} ({WHAT[variable]}), which the project does not hold; "
        f"{variable} names the folder, now {folder}",
    )


CAPTIONS = written("MULTI30K_DIR", "test_2016_flickr.de.gz")
TEXTS = ["made", pytest.param("captions", marks=needs("MULTI30K_DIR", CAPTIONS.name))]


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
