"""The GPU benchmark, with a processor in the GPU's place."""

import json

import pytest
from typer.testing import CliRunner

from attnmt.config import ModelShape, System
from attnmt.model.translator import ModelConfig
from attnmt.planning.cost import work
from attnmt.planning.text_size import Lengths
from benchmarks import gpu, gpu_limit, page
from benchmarks.gpu_limit import words_limit
from benchmarks.gpu_page import SYSTEMS, render

SHAPE = ModelShape(layers=2, size=10, window_D=10, location_slots=50, init=0.1)


def test_a_small_run_writes_every_system_in_every_precision(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    monkeypatch.setattr(gpu_limit, "SECONDS", 0.001)
    monkeypatch.setattr(gpu, "PASSES", 1)
    command = ["training", "--device", "cpu", "--tiny", "--batches", "2", "--seconds", "0"]
    run = CliRunner().invoke(gpu.app, [*command, "--name", "A B"], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    results = json.loads((tmp_path / "gpu-a-b.json").read_text())
    assert list(results["systems"]) == list(SYSTEMS)
    for system in results["systems"].values():
        assert set(results["products"]) <= set(system)
        for precision in results["products"]:
            assert min(system[precision]["words_per_second"]) > 0
            assert system[precision]["limit"] > 0
    rows = [line for line in render(results).splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(results["systems"]) * len(results["products"])
    assert render(results) in run.output


def test_products_that_wait_for_the_step_before_count_at_its_speed():
    lengths = Lengths(20, 10)
    speeds = {"step": 1e3, "all steps": 1e9, "logits": 1e9}
    for feeding in (False, True):
        system = System(attention="global", score="dot", input_feeding=feeding)
        config = ModelConfig(system, SHAPE, 100, 100)
        recurrent = 2 * 4 * 10 * 10  # two layers of 10 cells: layers x gates x cells x cells
        encoder, output = 2 * 2 * recurrent, 10 * 100  # of a target word
        decoder = work(config).training(lengths) / 6 - encoder - output if feeding else recurrent
        seconds = 4 * (2 * recurrent + decoder) / 1e3  # two source words a target word
        assert words_limit(config, lengths, speeds) == pytest.approx(1 / seconds, rel=1e-3)
