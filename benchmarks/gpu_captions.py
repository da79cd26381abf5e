"""A whole training of Multi30k on the device, translated, scored, and once more killed and resumed.

The stages run in a folder of their own. ``prepare`` makes it without a GPU: text, tokens, ids and the
dictionary.
"""

import gzip
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import yaml

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.text_file import read_json
from attnmt.layout import ORIGIN, Layout
from attnmt.scoring.numbers import Numbers, read_numbers, read_scores
from benchmarks.stages import ROOT, start

EXPERIMENT, MODEL, FAMILY = "captions", "global_general_feed", "luong"
TEXTS = {False: ROOT / "experiments/multi30k/params.yaml", True: ROOT / "params.yaml"}
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


def measured(folder: Path) -> dict[str, Any]:
    """Train, translate and score; return seconds, costs and BLEU, and those of Multi30k's report."""
    forget(folder)
    seconds = {stage: run(folder, stage, MODEL) for stage in ("train", "translate", "evaluate")}
    params = load_params(folder / "params.yaml", folder)
    provenance = read_json(Layout(EXPERIMENT, folder).model(MODEL) / "provenance.json")
    metrics = read_json(Layout(EXPERIMENT, folder).model(MODEL) / "metrics.json")
    test = params.sets.tests[0]
    here = _bleu(read_scores(params, MODEL, folder), test)
    results = {
        "model": MODEL,
        "set": test,
        "seconds": seconds,
        "words_per_second": provenance["target_words_per_second"],
        "dev_perplexity": metrics["dev_perplexity"],
        "bleu": here,
    }
    if params.sets.tests == load_params(TEXTS[False], ROOT).sets.tests:
        report = read_numbers("multi30k", ROOT)
        line = report.training(MODEL, "ppl", params.sets.dev)
        results["on_cpu"] = {
            "dev_perplexity": line.value if line else None,
            "bleu": _bleu(report, test),
        }
    return results


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
    with start(folder, "train", MODEL) as training:
        while training.poll() is None and not list(checkpoints.glob("*/last.safetensors")):
            time.sleep(0.01)
        training.kill()
    if training.returncode != -signal.SIGKILL:  # it failed, or was faster
        raise InputError(f"{folder}: the training ended before it could be killed")
    (origin,) = checkpoints.glob(f"*/{ORIGIN}")
    started = read_json(origin)["started"]
    run(folder, "train", MODEL)
    if read_json(model / "provenance.json")["started"] != started:
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
    if start(folder, stage, *key).wait():
        raise InputError(f"{folder}: the stage {stage} failed")
    return time.perf_counter() - started


def _bleu(numbers: Numbers, test: str) -> float | None:
    line = numbers.training(MODEL, "bleu", test, "tokenized", "after")
    return line.value if line else None
