"""Trainings that fail and are tried again or refused, and checkpoints that other code wrote."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from small_training import FEEDING, RECIPE, StopAfter, held_by, reversal, small
from torch import Tensor

from attnmt.errors import InputError
from attnmt.text.batches import Batch
from attnmt.training import loop
from attnmt.training.attempts import (
    NOTE,
    DivergedError,
    Origin,
    claim,
    noted_failures,
    refuse_failed,
)
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import train
from attnmt.training.progress import Progress
from attnmt.training.step import Step
from attnmt.training.stop import Stop, TrainingStopped

DIVERGING = {"learning_rate": 1e38, "clip_norm": 1e38}
CUDA = "CUDA error: device-side assert triggered\nCUDA kernel errors might be reported later"


def start(folder: Path, stop: Stop | None = None, minutes: float = 1.0, **recipe: float) -> None:
    """Train from the last checkpoint as the stage does, unless the training is refused."""
    refuse_failed(folder)
    text, settings = reversal(150, 1, reverse=True), RECIPE.model_copy(update=recipe)
    checkpoints = Checkpoints(folder, minutes)
    train(small(FEEDING), text, {"dev": text}, settings, 1, checkpoints, lambda row: None, stop)


def refused(folder: Path) -> str:
    """Return the message by which a training is refused before it starts."""
    with pytest.raises(InputError) as error:
        refuse_failed(folder)
    return str(error.value)


def failing_at(batch: int) -> Callable[[Step, Batch, float], Tensor]:
    """Return a step that fails each time a certain batch of the training comes, counted from 1."""
    text, trained = reversal(150, 1, reverse=True), Step.__call__
    rows = list(loop._batches(text, RECIPE, 1, Progress()))[batch - 1]
    faulty = text.batch(rows)

    def step(self: Step, given: Batch, rate: float) -> Tensor:
        if all(map(torch.equal, given, faulty)):
            raise RuntimeError(CUDA)
        return trained(self, given, rate)

    return step


def test_a_diverging_training_fails_once_and_is_refused_with_the_same_message(tmp_path):
    with pytest.raises(
        DivergedError, match=r"not finite after batch 7; delete the folder"
    ) as error:
        start(tmp_path, **DIVERGING)
    assert refused(tmp_path) == str(error.value)
    (tmp_path / NOTE).unlink()
    refuse_failed(tmp_path)


@pytest.mark.parametrize("stop_after", [None, 4])
def test_no_checkpoint_has_weights_that_are_not_finite(tmp_path, stop_after):
    """Neither the clock, which asks after every batch, nor a stop saves such weights."""
    with pytest.raises(TrainingStopped):
        start(tmp_path, StopAfter(2))
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.safetensors")}
    with pytest.raises(DivergedError):
        start(tmp_path, StopAfter(stop_after or 10**9), 1.0 if stop_after else 0.0, **DIVERGING)
    after = {path.name: path.read_bytes() for path in tmp_path.glob("*.safetensors")}
    model = small(FEEDING)
    assert held_by(Checkpoints(tmp_path, minutes=0), model).step >= 2
    assert all(bool(p.isfinite().all()) for p in model.parameters())
    assert (after == before) == (stop_after is not None)


def test_what_fails_once_is_tried_again_and_what_fails_twice_from_one_checkpoint_is_not(
    tmp_path, monkeypatch
):
    """The tenth batch fails; there is an evaluation, and so a checkpoint, after the seventh."""
    once, twice = tmp_path / "once", tmp_path / "twice"
    with monkeypatch.context() as failing:
        failing.setattr(Step, "__call__", failing_at(10))
        for folder in (once, twice, twice, twice):  # from the start, then from the checkpoint
            with pytest.raises(RuntimeError, match="CUDA error"):
                start(folder)
    start(once)
    refuse_failed(once)
    message = refused(twice)
    assert "failed twice after batch 7" in message
    assert "(RuntimeError: CUDA error: device-side assert triggered)" in message
    assert f"delete {twice / NOTE} to go on from there" in message


@pytest.mark.parametrize(
    "error", [TrainingStopped(), KeyboardInterrupt(), InputError("disk full")], ids=repr
)
def test_stops_and_faults_that_a_person_mends_are_not_noted(tmp_path, error):
    for _ in range(3):
        with pytest.raises(type(error)), noted_failures(tmp_path, 0):
            raise error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["null", '{"final": "perhaps"}', "\xff"])
def test_a_damaged_note_says_what_to_do(tmp_path, content):
    (tmp_path / NOTE).write_bytes(content.encode("latin-1"))
    assert f"{NOTE}: damaged" in refused(tmp_path)


FIRST = Origin("code1", ["commit1"], "2026-01-01T00:00:00Z")


def begin(folder: Path) -> Path:
    claim(folder, FIRST, "refuse")
    checkpoint = folder / "last.safetensors"
    checkpoint.write_bytes(b"weights")
    return checkpoint


def test_a_resumed_training_lists_every_commit_and_keeps_its_first_start(tmp_path):
    checkpoint = begin(tmp_path)
    for commit in ("commit2", "commit1", "commit2"):
        origin = claim(tmp_path, Origin("code1", [commit], "2026-01-02T00:00:00Z"), "refuse")
    assert origin == Origin("code1", ["commit1", "commit2"], FIRST.started)
    assert checkpoint.exists()


@pytest.mark.parametrize("known", [True, False])
def test_checkpoints_of_other_code_are_refused_and_stay(tmp_path, known):
    checkpoint = begin(tmp_path)
    if not known:
        (tmp_path / "origin.json").unlink()
    commit = "commit1" if known else "unknown"
    with pytest.raises(
        InputError, match=rf"other code wrote these checkpoints \(commit {commit}\)"
    ):
        claim(tmp_path, Origin("code2", ["commit2"], "2026-01-02T00:00:00Z"), "refuse")
    assert checkpoint.exists()


def test_if_the_parameters_say_so_training_starts_from_the_beginning(tmp_path, caplog):
    checkpoint, now = begin(tmp_path), Origin("code2", ["commit2"], "2026-01-02T00:00:00Z")
    assert claim(tmp_path, now, "restart") == now
    assert not checkpoint.exists()
    assert "training from the beginning" in caplog.text
