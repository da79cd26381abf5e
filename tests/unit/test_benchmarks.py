"""The benchmarks: ours and OpenNMT-py do the same work, and the GPU's runs on a processor, too."""

import json
import math
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from attnmt.config import ModelShape, System
from attnmt.errors import InputError
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.model.luong import ModelConfig
from attnmt.text.batches import make_batch
from benchmarks import gpu, gpu_captions, gpu_workload, workload
from benchmarks.workload import Pairs, Size

PAD = Size(layers=2, cells=8, words=30, batch=4, round=1, warm_up=1).pad
WHEELS = (gpu.ROOT / "benchmarks/gpu_wheels.txt").read_text().splitlines()
MODEL = gpu_captions.MODEL


def pairs(*lengths: tuple[int, int]) -> Pairs:
    """Return sentence pairs of these lengths; their words are neither special nor padding."""
    rng = np.random.default_rng(0)
    sides = zip(*lengths, strict=True)
    return Pairs(*([rng.integers(3, 29, n, dtype=np.int32) for n in side] for side in sides))


def test_ours_and_opennmt_read_the_same_padded_batch():
    batch = pairs((5, 2), (3, 4))
    ours, theirs = make_batch(*batch, reverse=False), workload.padded(batch, PAD)
    assert ours.source.shape == theirs.source.shape == (2, 5)
    assert ours.words.shape[1] == theirs.target.shape[1] - 1 == 5
    for row, length in enumerate(theirs.source_lengths.tolist()):
        assert ours.source[row, -length:].tolist() == theirs.source[row, :length].tolist()
        predicted = int(ours.lengths[row])
        assert ours.words[row, :predicted].tolist() == theirs.target[row, :predicted].tolist()
        following = theirs.target[row, 1 : predicted + 1]
        assert ours.next_words[row, :predicted].tolist() == following.tolist()
        assert set(theirs.target[row, predicted + 1 :].tolist()) <= {PAD}
    assert workload.target_words(batch) == int(ours.lengths.sum()) == 8


def test_the_operations_of_a_word_are_those_of_the_models_products(monkeypatch):
    monkeypatch.setattr(gpu_workload, "LENGTHS", (2, 1))
    shape = ModelShape(layers=1, size=10, window_D=10, location_slots=50, init=0.1)
    recurrent, output = 2 * 2 * 4 * 10 * 10, 2 * 10 * 30  # a cell reads 10 inputs and 10 states
    expected = 3 * (3 * recurrent + output)  # two source words, a target word; forward and backward
    assert gpu_workload.flop_a_word(ModelConfig(System(), shape, 30, 30)) == expected


@pytest.mark.parametrize("part", ["part-ceilings", "part-training", "part-search"])
def test_each_part_runs_on_a_processor_and_its_figures_are_shown(part, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_workload, "SECONDS", 0.001)
    monkeypatch.setattr(gpu, "TINY_BATCHES", 1)
    systems = ["base_reverse_dropout", "--seconds", "0"] if part == "part-training" else []
    command = [part, str(tmp_path), "--device", "cpu", "--tiny", *systems]
    assert CliRunner().invoke(gpu.app, command, catch_exceptions=False).exit_code == 0
    results: dict[str, Any] = json.loads((tmp_path / "results.json").read_text())
    (found,) = [results[key] for key in ("ceilings", "training", "search") if key in results]
    assert found
    assert len(gpu.render(results).splitlines()) > 2


def test_a_part_that_fails_does_not_stop_the_others(tmp_path, capfd):
    parts = {"one": (9, [sys.executable, "-c", "raise SystemExit(3)"]), "two": (9, ["no-program"])}
    gpu._call(tmp_path, {**parts, "three": (9, [sys.executable, "-c", ""])})
    rows = [line.split(" | ")[:2] for line in capfd.readouterr().out.splitlines()[-3:]]
    assert rows == [["| one", "failed (3)"], ["| two", "no such program"], ["| three", "ok"]]


def test_the_report_of_captions_has_the_figures_that_a_gpu_is_compared_with():
    numbers = Layout(gpu_captions.EXPERIMENT, gpu_captions.ROOT).score_table
    assert not math.isnan(gpu_captions._value(numbers, "bleu", gpu_captions.TEST))
    assert not math.isnan(gpu_captions._value(numbers, "ppl", "val"))


@pytest.mark.parametrize("began_again", [False, True])
def test_a_training_that_began_again_was_not_resumed(began_again, monkeypatch, tmp_path):
    layout = Layout(gpu_captions.EXPERIMENT, tmp_path)
    model, checkpoints = layout.model(MODEL), layout.checkpoints(MODEL) / "code"

    def started(*_: Any) -> "subprocess.Popen[bytes]":
        write_text(checkpoints / "origin.json", '{"started": "first"}')
        write_text(checkpoints / "last.safetensors", "")
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    def run(*_: str) -> None:
        write_text(model / "weights.safetensors", "weights")
        about = f'{{"started": "{["first", "again"][began_again]}"}}'
        write_text(layout.provenance(MODEL), about)

    monkeypatch.setattr(gpu_captions, "_started", started)
    monkeypatch.setattr(gpu_captions, "run", run)
    run()
    if began_again:
        with pytest.raises(InputError, match="began again"):
            gpu_captions.resumed(tmp_path)
    else:
        assert gpu_captions.resumed(tmp_path)


@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_the_stages_have_the_gpu_before_the_command_takes_it(options, tmp_path, monkeypatch):
    """One process holds a GPU until it ends, and its stages would have to share it or take another."""
    order = []
    for name in ("measured", "resumed"):
        monkeypatch.setattr(gpu_captions, name, lambda folder: order.append("stages") or {})
    monkeypatch.setattr(gpu, "best_device", lambda: order.append("command"))
    monkeypatch.setattr(gpu, "_keep", lambda *_: None)
    command = ["captions", str(tmp_path), str(tmp_path), *options]
    CliRunner().invoke(gpu.app, command, catch_exceptions=False)
    assert order == ["stages", "command"]


def test_the_wheels_are_all_that_the_machine_lacks():
    """The machine has torch with all that it requires, and the packages of the lines ``# has``."""
    project = tomllib.loads((gpu.ROOT / "pyproject.toml").read_text())["project"]
    needed = closure(Requirement(line).name for line in project["dependencies"])
    lists = [line.removeprefix("# has ") for line in WHEELS if line.startswith("# has ")]
    brought = {canonicalize_name(line) for line in WHEELS if line[0] != "#"}
    assert needed - closure(["torch"]) - {*" ".join(lists).split()} <= brought


def closure(names: Iterable[str]) -> set[str]:
    """Return packages and all that they require, by their canonical names."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            asked = map(Requirement, requires(name) or [])
            given = {"extra": "", "python_version": "3.12"}
            waiting += [one.name for one in asked if not one.marker or one.marker.evaluate(given)]
    return found
