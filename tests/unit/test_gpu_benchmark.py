"""The GPU benchmark, with a processor in the GPU's place."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attnmt.config import ModelShape, System
from attnmt.model.translator import ModelConfig
from attnmt.planning.cost import work
from attnmt.planning.text_size import Lengths
from benchmarks import gpu, gpu_limit, page
from benchmarks.gpu_limit import words_limit
from benchmarks.gpu_page import SYSTEMS, render
from benchmarks.gpu_workload import drawn

SHAPE = ModelShape(layers=2, size=10, window_D=10, location_slots=50, init=0.1)


def result(measured: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a machine with one system and one precision."""
    return {
        "machine": {"device": "K1", "torch": "2", "started": "2026-11-21T", "git_commit": "0" * 40},
        "text": "drawn",
        "batches": 12,
        "pairs": 128,
        "lengths": {"source": 26.0, "target": 25.0},
        "padding": 0.1,
        "products": {"fp32": {"step": 3e13}},
        "systems": {"base": {"fp32": {"limit": 8000, **measured}}},
    }


def test_a_small_run_writes_every_system_in_every_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_row_compares_the_speed_with_the_limit() -> None:
    measured = {"words_per_second": [3900.0, 4000.0, 4200.0], "kernels_per_step": 5400}
    measured |= {"ms_per_step": 20.0, "host_ms_per_step": 2.5, "memory_mb": 7000}
    (row,) = render(result(measured)).splitlines()[4:5]
    cells = ["Base", "fp32", "4,000", "3,900 to 4,200", "50%", "20.0", "2.5", "5,400", "7,000"]
    assert row == f"| {' | '.join(cells)} |"


def test_products_that_wait_for_the_step_before_count_at_its_speed() -> None:
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


def test_drawn_sentences_are_as_long_as_wmts() -> None:
    text = drawn(20_000, (50_000, 50_000))
    assert text.source.lengths.mean() == pytest.approx(25.8, abs=0.5)
    assert text.target.lengths.mean() + 1 == pytest.approx(25.4, abs=0.5)
    assert (text.target.lengths.min(), text.target.lengths.max()) == (1, 50)
    assert text.target.ids.min() == 3
    assert 49_000 < text.target.ids.max() < 50_000
    counts = np.bincount(text.target.ids)
    assert counts[4] / counts[3] == pytest.approx(np.log2(3 / 2), rel=0.05)
