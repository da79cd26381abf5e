"""The benchmarks: ours and OpenNMT-py do the same work, and the GPU's runs on a processor, too."""

import json
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attnmt.config import ModelShape, System
from attnmt.model.luong import ModelConfig
from attnmt.text.batches import make_batch
from attnmt.training import cuda_graphs
from benchmarks import gpu, workload
from benchmarks.workload import Pairs, Size

PAD = Size(layers=2, cells=8, words=30, batch=4, round=1, warm_up=1).pad


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
    monkeypatch.setattr(gpu, "LENGTHS", (2, 1))
    shape = ModelShape(layers=1, size=10, window_D=10, location_slots=50, init=0.1)
    recurrent, output = 2 * 2 * 4 * 10 * 10, 2 * 10 * 30  # a cell reads 10 inputs and 10 states
    expected = 3 * (3 * recurrent + output)  # two source words, a target word; forward and backward
    assert gpu.flop_a_word(ModelConfig(System(), shape, 30, 30)) == expected


@pytest.mark.parametrize("part", ["ceilings", "training", "search", "memory"])
def test_each_part_runs_on_a_processor_and_its_figures_are_shown(part, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu, "SECONDS", 0.001)
    monkeypatch.setattr(gpu, "TINY_BATCHES", 1)
    monkeypatch.setattr(cuda_graphs, "WATCHED", 50)  # which the command changes
    systems = ["base_reverse_dropout", "--seconds", "0"] if part == "training" else []
    command = [f"part-{part}", str(tmp_path), "--device", "cpu", "--tiny", *systems]
    assert CliRunner().invoke(gpu.app, command, catch_exceptions=False).exit_code == 0
    results: dict[str, Any] = json.loads((tmp_path / "results.json").read_text())
    assert results[part]
    assert len(gpu.render(results).splitlines()) > 2
