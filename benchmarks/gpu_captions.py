"""A whole training of captions on the device, translated, scored, and once more killed and resumed.

The stages run in a folder of their own. ``prepare`` makes it without a GPU: text, tokens, ids and the
dictionary.
"""

import csv
import gzip
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from attnmt.errors import InputError
from attnmt.files.text_file import read_json
from attnmt.layout import ORIGIN, Layout

ROOT = Path(__file__).parents[1]
EXPERIMENT, MODEL, FAMILY, TEST = "captions", "global_general_feed", "luong", "test_2016_flickr"
TEXTS = {False: ROOT / "experiments/captions/params.yaml", True: ROOT / "params.yaml"}
TINY_PAIRS = 400


def prepare(folder: Path, tiny: bool) -> None:
    """Write parameters into a folder, and run the stages there that come before a training."""
    values = yaml.safe_load(TEXTS[tiny].read_text()) | {"experiment": EXPERIMENT}
    folder.mkdir(parents=True, exist_ok=True)
    if tiny:
        _shorten(values, folder)
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    shutil.copy(ROOT / "systems.yaml", folder)
    for stage, *key in (["corpus"], ["tokens"], ["encode", FAMILY], ["dictionary"]):
        run(folder, stage, *key)


def _shorten(values: dict[str, Any], folder: Path) -> None:
    """Take the beginning of the demo's text, and a training of seconds."""
    text = folder / "text"
    text.mkdir(exist_ok=True)
    for path in (ROOT / values["corpus"]["text"]).glob("*.gz"):
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        (text / path.stem).write_bytes(b"".join(lines[:TINY_PAIRS]))
    values["corpus"] = {"kind": "local", "text": "text"}
    family = values["families"][FAMILY]
    family["shape"]["size"] = 16
    family["training"] |= {"epochs": 2, "halve_after": 1, "evaluate_every": 8}


def measured(folder: Path) -> dict[str, float]:
    """Train, translate and score; return seconds, perplexity and BLEU, and those of the report."""
    forget(folder)
    found = {
        f"{stage}, seconds": run(folder, stage, MODEL)
        for stage in ("train", "translate", "evaluate")
    }
    layout = Layout(EXPERIMENT, folder)
    found["dev perplexity"] = read_json(layout.model(MODEL) / "metrics.json")["dev_perplexity"]
    found["BLEU"] = _value(layout.scores(MODEL), "bleu", TEST)
    numbers = Layout(EXPERIMENT, ROOT).score_table
    found["dev perplexity on a processor"] = _value(numbers, "ppl", "val")
    found["BLEU on a processor"] = _value(numbers, "bleu", TEST)
    return found


def _value(path: Path, metric: str, test: str) -> float:
    """Return what a table says of the model with seed 1; not a number if it says nothing."""
    asked = {"model": MODEL, "metric": metric, "set": test, "max_words": ""}
    if metric == "bleu":
        asked |= {"script": "tokenized", "replacement": "after"}
    with path.open(encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            if line["kind"] == "training" and asked.items() <= line.items():
                return float(line["value"])
    return math.nan


def resumed(folder: Path) -> bool:
    """Train again, kill the training after its first checkpoint, resume; say if the bytes are the same.

    Raises:
        InputError: if the training ended before it could be killed, or began again instead of going on.
    """
    model = Layout(EXPERIMENT, folder).model(MODEL)
    weights = model / "weights.safetensors"
    expected = weights.read_bytes()
    forget(folder)
    checkpoints = Layout(EXPERIMENT, folder).checkpoints(MODEL)
    with _started(folder, "train", MODEL) as training:
        while training.poll() is None and not list(checkpoints.glob("*/last.safetensors")):
            time.sleep(0.01)
        training.kill()
    if training.returncode != -signal.SIGKILL:  # it failed, or was faster
        raise InputError(f"{folder}: the training ended before it could be killed")
    (origin,) = checkpoints.glob(f"*/{ORIGIN}")
    started = read_json(origin)["started"]
    run(folder, "train", MODEL)
    if read_json(Layout(EXPERIMENT, folder).provenance(MODEL))["started"] != started:
        raise InputError(f"{folder}: the training began again, in place of going on")
    return weights.read_bytes() == expected


def forget(folder: Path) -> None:
    """Delete the model and its checkpoints."""
    layout = Layout(EXPERIMENT, folder)
    for path in (layout.model(MODEL), layout.checkpoints(MODEL)):
        shutil.rmtree(path, ignore_errors=True)


def run(folder: Path, stage: str, *key: str) -> float:
    """Run a stage in the folder; return its seconds.

    Raises:
        InputError: if it fails; it has said why.
    """
    started = time.perf_counter()
    if _started(folder, stage, *key).wait():
        raise InputError(f"{folder}: the stage {stage} failed")
    return time.perf_counter() - started


def _started(folder: Path, stage: str, *key: str) -> "subprocess.Popen[bytes]":
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(ROOT / f"stages/{stage}.py"), "params.yaml", *key]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": path})
