"""Trainings that diverge and are refused, and checkpoints that other code wrote."""

from pathlib import Path

import pytest
from small_training import FEEDING, SETTINGS, StopAfter, held_by, reversal, small

from attnmt.errors import InputError
from attnmt.training.attempts import Origin, resume_or_reset
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import train
from attnmt.training.stop import Stop, TrainingStopped

DIVERGING = {"learning_rate": 1e38, "clip_norm": 1e38}
FIRST = Origin(code="code1", commits=["commit1"], devices=["A"], started="2026-01-01T00:00:00Z")
LATER = {"started": "2026-01-02T00:00:00Z", "devices": ["B"]}


def start(folder: Path, stop: Stop | None = None, minutes: float = 1.0, **settings: float) -> None:
    """Train from the last checkpoint as the stage does, unless the training is refused."""
    resume_or_reset(folder, FIRST, "refuse")
    text, settings = reversal(150, 1, reverse=True), SETTINGS.model_copy(update=settings)
    checkpoints = Checkpoints(folder, minutes)
    train(small(FEEDING), text, {"dev": text}, settings, 1, checkpoints, lambda row: None, stop)


def test_a_diverging_training_says_where_and_how_to_begin_again(tmp_path):
    with pytest.raises(InputError, match=r"not finite after batch 7; delete the folder"):
        start(tmp_path, **DIVERGING)


@pytest.mark.parametrize(
    ("stop_after", "rate", "saved"), [(None, 1e38, True), (4, 1e38, False), (None, 1e39, False)]
)
def test_no_checkpoint_has_weights_that_are_not_finite(tmp_path, stop_after, rate, saved):
    """Neither the clock, which asks after every batch, nor a stop saves such weights.

    At the lower rate, the next cost is the first number that is not finite; at the higher one, a weight.
    """
    with pytest.raises(TrainingStopped):
        start(tmp_path, StopAfter(2))
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.safetensors")}
    changes = DIVERGING | {"learning_rate": rate}
    with pytest.raises(InputError, match="not finite"):
        start(tmp_path, StopAfter(stop_after or 10**9), 1.0 if stop_after else 0.0, **changes)
    after = {path.name: path.read_bytes() for path in tmp_path.glob("*.safetensors")}
    model = small(FEEDING)
    assert held_by(Checkpoints(tmp_path, minutes=0), model).step >= 2
    assert all(bool(p.isfinite().all()) for p in model.parameters())
    assert (after != before) == saved


def begin(folder: Path) -> Path:
    resume_or_reset(folder, FIRST, "refuse")
    checkpoint = folder / "last.safetensors"
    checkpoint.write_bytes(b"weights")
    return checkpoint


def test_a_resumed_training_lists_every_commit_and_device_and_keeps_its_first_start(tmp_path):
    checkpoint = begin(tmp_path)
    for commit in ("commit2", "commit1", "commit2"):
        origin = resume_or_reset(
            tmp_path, Origin(code="code1", commits=[commit], **LATER), "refuse"
        )
    every = {"commits": ["commit1", "commit2"], "devices": ["A", "B"]}
    assert origin == FIRST.model_copy(update=every)
    assert checkpoint.exists()


@pytest.mark.parametrize("known", [True, False])
def test_checkpoints_of_other_code_are_refused_and_stay(tmp_path, known):
    checkpoint = begin(tmp_path)
    if not known:
        (tmp_path / "origin.json").unlink()
    commit = "commit1" if known else "unknown"
    with pytest.raises(InputError, match=rf"other code .*commit {commit}"):
        resume_or_reset(tmp_path, Origin(code="code2", commits=["commit2"], **LATER), "refuse")
    assert checkpoint.exists()


def test_if_the_parameters_say_so_training_starts_from_the_beginning(tmp_path, caplog):
    checkpoint, now = begin(tmp_path), Origin(code="code2", commits=["commit2"], **LATER)
    assert resume_or_reset(tmp_path, now, "restart") == now
    assert not checkpoint.exists()
    assert "training from the beginning" in caplog.text


@pytest.mark.parametrize("content", ["{", "[]", '{"code": "code1", "commits": "commit1"}'])
@pytest.mark.parametrize("other_code", ["refuse", "restart"])
def test_an_origin_that_is_damaged_is_named_and_loses_nothing(tmp_path, content, other_code):
    checkpoint = begin(tmp_path)
    (tmp_path / "origin.json").write_text(content)
    with pytest.raises(InputError, match=r"origin\.json.*delete"):
        resume_or_reset(tmp_path, FIRST, other_code)
    assert checkpoint.exists()
