"""Checkpoints of other code are refused or deleted; every commit that took part is listed."""

from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.training.attempts import Origin, claim

FIRST = Origin("code1", ["commit1"], "2026-01-01T00:00:00Z")


def begin(folder: Path) -> Path:
    claim(folder, FIRST, "refuse")
    checkpoint = folder / "last.safetensors"
    checkpoint.write_bytes(b"weights")
    return checkpoint


def test_a_resumed_training_lists_every_commit_and_keeps_its_first_start(tmp_path: Path) -> None:
    checkpoint = begin(tmp_path)
    for commit in ("commit2", "commit1", "commit2"):
        origin = claim(tmp_path, Origin("code1", [commit], "2026-01-02T00:00:00Z"), "refuse")
    assert origin == Origin("code1", ["commit1", "commit2"], FIRST.started)
    assert checkpoint.exists()


@pytest.mark.parametrize("known", [True, False])
def test_checkpoints_of_other_code_are_refused_and_stay(tmp_path: Path, known: bool) -> None:
    checkpoint = begin(tmp_path)
    if not known:
        (tmp_path / "origin.json").unlink()
    commit = "commit1" if known else "unknown"
    with pytest.raises(
        InputError, match=rf"other code wrote these checkpoints \(commit {commit}\)"
    ):
        claim(tmp_path, Origin("code2", ["commit2"], "2026-01-02T00:00:00Z"), "refuse")
    assert checkpoint.exists()


def test_if_the_parameters_say_so_training_starts_from_the_beginning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint, now = begin(tmp_path), Origin("code2", ["commit2"], "2026-01-02T00:00:00Z")
    assert claim(tmp_path, now, "restart") == now
    assert not checkpoint.exists()
    assert "training from the beginning" in caplog.text
