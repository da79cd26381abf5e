"""Files that parse but are not what they should be: each is refused with one clear message.

A case is a file, its damage, the stage or the command that reads it, and a part of the message. The
message names the file, and no file is written, changed or left behind.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from damage import (
    Damage,
    array,
    cell,
    content,
    cut,
    damaged,
    line,
    other,
    settings,
    tensors,
    value,
    without,
)
from faults_project import Tree, build, main_of, tree

from attnmt import cli
from attnmt.errors import InputError

WORDS, TOKENS, RAW = "data/demo/encoded/words", "data/demo/tokens", "data/demo/raw"
BASE, BEST = "models/demo/base", "local_p_general_feed"
SCORES, DICTIONARY, OUT = "scores/demo/base.csv", "data/demo/dictionary", "translations/demo"
FORCED = f"{OUT}/{BEST}/test.forced.attention.json"
LINKS = f"{OUT}/{BEST}/test.forced.links"
NUMBERS, CLAIMS = "reports/demo/scores.csv", "reports/demo/claims.csv"
TRAIN, IDS = ("train", "base"), f"{WORDS}/train.de.ids.npy"
OFFSETS, SUMMARY = f"{WORDS}/train.de.offsets.npy", f"{WORDS}/summary.json"
NAN = float("nan")


class Case(NamedTuple):
    """A damaged file, the command that reads it, and a pattern that the message matches."""

    path: str
    damage: Damage
    command: tuple[str, ...]  # a stage with its arguments, or attnmt with its own
    message: str


def text() -> Iterator[Case]:
    """Yield text, links and dictionaries that do not belong together."""
    encode, links = ("encode", "words"), ("evaluate", BEST)
    yield Case(f"{TOKENS}/train.de", line(1, None), ("dictionary",), "has 3")
    yield Case(f"{TOKENS}/test.de", lambda b: b + b"\xff\n", encode, "de:6: not UTF-8")
    yield Case(f"{TOKENS}/train.de", line(2, "  "), encode, "train.de:2: no words")
    yield Case(f"{RAW}/test.de", line(5, None), ("evaluate", "base"), "4 lines")
    for path in (LINKS, f"{TOKENS}/test.links"):
        yield Case(path, line(1, "0-0 0-99"), links, "links:1: .*0-99")
        yield Case(path, line(5, None), links, "4 lines")
    yield Case(f"{TOKENS}/test.links", line(1, "0-0 x"), links, "links:1: 'x'")
    silver, table = f"{DICTIONARY}/dev.links", f"{DICTIONARY}/en-de.tsv"
    yield Case(silver, content("0-0\n0-0\n"), ("translate", BEST), "2 lines")
    yield Case(table, line(1, "House\tHaus\tnan\t2"), ("translate", "base"), "tsv:1: ")
    words = ("attnmt", "translate", "A.", "--model", f"{BEST}_bpe")
    yield Case("data/demo/encoded/pieces/codes", line(3, "a b c"), words, "codes: ")


def ids() -> Iterator[Case]:
    """Yield ids and vocabularies that are not those of their summary."""
    for name, damage, message in (
        (IDS, array(lambda a: a.astype(np.int64)), "int64"),
        (IDS, array(lambda a: a[:-1]), "offsets"),
        (IDS, array(lambda a: a[::-1]), "vocab.* and .*npy are not those of summary.json"),
        (IDS, cut(8), "damaged"),
        (f"{WORDS}/vocab.de", line(4, "<s>"), "no vocabulary"),
        (f"{WORDS}/vocab.de", line(16, "anders"), "not those of summary.json"),
        (SUMMARY, without("digest"), "digest: .*missing"),
    ):
        yield Case(name, damage, TRAIN, message)
    for number, text, message in ((5, None, "4 lines"), (2, "", "no words in line 2")):
        yield Case(f"{WORDS}/test.en.tok", line(number, text), ("translate", "base"), message)


def models() -> Iterator[Case]:
    """Yield weights that are not the model's, and records of other trainings."""
    weights, best = f"{BASE}/weights.safetensors", f"models/demo/{BEST}_2/weights.safetensors"
    for damage, message in (
        (tensors(lambda t: t.popitem()), "damaged"),
        (cut(40), "damaged"),
        (settings("dataset_digest", "0" * 64), "changed after this training"),
        (settings("training.epochs", 9), "training: .*other settings"),
        (other("models/demo/base_reverse/weights.safetensors"), "system: .*other settings"),
    ):
        yield Case(weights, damage, ("translate", "base"), message)
    third = other(f"models/demo/{BEST}_3/weights.safetensors")
    yield Case(best, third, ("translate", "ensemble"), "seed: .*other settings")
    metrics = f"{BASE}/metrics.json"
    evaluate = ("evaluate", "base")
    for path, damage, reader, message in (
        (metrics, value("perplexity.test", NAN), evaluate, "perplexity.test: .* finite"),
        (metrics, cut(9), ("attnmt", "translate", "A."), "not JSON"),
        (metrics, without("steps"), ("gather",), "steps: .*missing"),
    ):
        yield Case(path, damage, reader, message)


def scored() -> Iterator[Case]:
    """Yield damage to translations, and to scores."""
    command, again = ("gather",), "evaluate of base"
    yield Case(f"{OUT}/base/test.out", line(5, None), ("evaluate", "base"), "4 lines")
    replaced = f"{OUT}/{BEST}/test.replaced"
    yield Case(replaced, line(3, ""), ("evaluate", BEST), "replaced:3: .*words")
    for damage, message in (
        (content(""), "csv:1: .*columns"),
        (line(3, "ours,training"), f"csv:3: 2 cells.*{again}"),
        (cell(3, "value", "high"), f"csv:3: value: .*{again}"),
        (lambda b: b.splitlines(keepends=True)[0], "no scores"),
        (cell(3, "reference", "0"), "bleu on test"),
    ):
        yield Case(SCORES, damage, command, message)
    aligner, counts = f"{DICTIONARY}/aligner.json", f"scores/demo/{BEST}.npz"
    yield Case(aligner, without("system"), ("evaluate", "aligner"), "system: .*missing")
    yield Case(counts, content(""), command, "npz: .*evaluate")


def reported() -> Iterator[Case]:
    """Yield damage to files that report reads."""
    command, history = ("report",), f"{BASE}/history.csv"
    yield Case(history, content(""), command, "csv:1: .*'step'")
    yield Case(history, line(3, "20,1,1.0,100,2.0,1.75"), command, "csv:3: ")
    yield Case(f"{OUT}/base/test.txt", line(5, None), command, "lines.*translate")
    yield Case(FORCED, value("0.weights.0.0", 1.5), command, "0.weights.0.0: .*less than")
    for path in (NUMBERS, CLAIMS):
        yield Case(path, content(""), command, "csv:1: .*gather")
    yield Case(NUMBERS, cell(9, "p", "2"), command, "csv:9: p: ")


FAMILIES = (text, ids, models, scored, reported)
CASES = [
    pytest.param(case, id=f"{family.__name__}-{number}-{Path(case.path).name}-{case.command[0]}")
    for family in FAMILIES
    for number, case in enumerate(family())
]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Iterator[tuple[Path, Tree]]:
    """Return the folder of the project, in which all cases run, and the content of its files."""
    folder = tmp_path_factory.mktemp("reading")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("ATTNMT_MIRROR", raising=False)
        # MLflow seems not to be installed, because its import takes seconds.
        patch.setitem(sys.modules, "mlflow", None)
        torch.set_num_threads(1)
        build(folder)
        yield folder, tree(folder)


@pytest.fixture
def clean(project) -> Iterator[tuple[Path, Tree]]:
    """Return the project, and afterwards restore the files that a failing case has changed."""
    folder, whole = project
    yield project
    after = tree(folder)
    for path in after.keys() - whole.keys():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path, before in whole.items():
        if isinstance(before, bytes) and after.get(path) != before:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(before)


def refusal(case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the stage or the command of a case, which must refuse its input; return the message."""
    if case.command[0] != "attnmt":
        with pytest.raises(InputError) as refused:
            main_of(*case.command)
        return str(refused.value)
    monkeypatch.setattr(sys, "argv", list(case.command))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr().err
    assert (ended.value.code, "Traceback" in shown) == (2, False), shown
    return shown.removeprefix("error: ")


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_file_is_refused_and_named(case, clean, monkeypatch, capsys):
    folder, whole = clean
    path = Path(case.path)
    with damaged(path, case.damage):
        spoiled = path.read_bytes()
        message = refusal(case, monkeypatch, capsys)
        assert tree(folder) == whole | {folder / path: spoiled}
    # Where two files of a folder disagree, the message may name the other one.
    named = path.parent / "vocab.* and *.npy" if "digest differs" in message else path
    assert str(named.parent) in message
    assert named.name in message
    assert re.search(case.message, message), message
    assert "\n" not in message.rstrip()
