"""Checkpoints that are damaged, wanted by two, or find the disk full."""

import errno
import itertools
import multiprocessing
import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from small_training import FEEDING, small

from attnmt.errors import InputError
from attnmt.training.checkpoint import Checkpoints, Progress

LAST, PREVIOUS = "last.safetensors", "previous.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two checkpoints, after batches 3 and 5, each with best weights of its own."""
    checkpoints = Checkpoints(tmp_path, minutes=0)
    for seed, step in ((1, 3), (2, 5)):
        model, progress = small(FEEDING), Progress(step=step, best_step=step)
        model.initialise(seed)
        checkpoints.save_best(model, progress)
        checkpoints.save(model, progress)
    return tmp_path


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def test_the_last_and_the_one_before_are_kept(folder: Path) -> None:
    names = {LAST, PREVIOUS, "best-3.safetensors", "best-5.safetensors"}
    assert {path.name for path in folder.iterdir()} == names
    assert Checkpoints(folder, 0).load(small(FEEDING)).step == 5


@pytest.mark.parametrize("damage", [cut_short, flip_a_bit, Path.unlink])
@pytest.mark.parametrize("name", [LAST, "best-5.safetensors"])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(
    folder: Path, damage: Callable[[Path], None], name: str
) -> None:
    damage(folder / name)
    model, first = small(FEEDING), small(FEEDING)
    first.initialise(1)
    checkpoints = Checkpoints(folder, 0)
    progress = checkpoints.load(model)
    assert progress.step == 3
    assert all(
        torch.equal(a, b) for a, b in zip(model.parameters(), first.parameters(), strict=True)
    )
    progress.step = 4
    checkpoints.save(model, progress)  # which must not put the damaged one in place of the good one
    (folder / LAST).unlink()
    assert Checkpoints(folder, 0).load(model).step == 3


def test_two_damaged_checkpoints_are_named(folder: Path) -> None:
    cut_short(folder / LAST)
    flip_a_bit(folder / PREVIOUS)
    with pytest.raises(InputError, match=rf"{LAST}: damaged.*{PREVIOUS}: damaged.*delete {folder}"):
        Checkpoints(folder, 0).load(small(FEEDING))


def test_a_full_disk_leaves_the_last_checkpoint(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints, model = Checkpoints(folder, 0), small(FEEDING)
    progress = checkpoints.load(model)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as file:
            file.write(content[:1000])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    progress.step = 9
    with pytest.raises(InputError, match=r"No space left.*free.*takes 1 MB.*from batch 5$"):
        checkpoints.save(model, progress)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_kill_at_any_point_of_saving_leaves_a_whole_checkpoint(folder: Path) -> None:
    """Before and half-way into every write, before every rename, removal and wait for the disk."""
    seen, point, ended = set(), 0, False
    while not ended:
        copy = folder.with_name(f"{folder.name}-{point}")
        shutil.copytree(folder, copy)
        process = multiprocessing.get_context("fork").Process(
            target=save_and_die, args=(copy, point)
        )
        process.start()
        process.join()
        ended = process.exitcode == 0
        with Checkpoints(copy, 0).locked():
            progress = Checkpoints(copy, 0).load(small(FEEDING))
        assert progress.step == progress.best_step
        seen.add((progress.step, ended))
        point += 1
    assert seen == {(5, False), (9, False), (9, True)}
    assert point > 10


def save_and_die(folder: Path, point: int) -> None:
    """Save best weights and a checkpoint of batch 9, killed at the so many-th step of it."""
    checkpoints, model = Checkpoints(folder, 0), small(FEEDING)
    progress = checkpoints.load(model)
    progress.step = progress.best_step = 9
    calls = itertools.count()

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            if next(calls) == point:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **options)

        return called

    def write_in_halves(path: Path, content: bytes) -> None:
        with path.open("wb", buffering=0) as file:
            deadly(file.write)(content[: len(content) // 2])
            deadly(file.write)(content[len(content) // 2 :])

    Path.write_bytes = write_in_halves  # type: ignore[assignment, method-assign]
    for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink")):
        setattr(owner, name, deadly(getattr(owner, name)))
    checkpoints.save_best(model, progress)
    checkpoints.save(model, progress)


def test_two_trainings_in_one_folder_are_refused(tmp_path: Path) -> None:
    with (
        Checkpoints(tmp_path, 0).locked(),
        pytest.raises(InputError, match=rf"process {os.getpid()} on \S+ trains here"),
        Checkpoints(tmp_path, 0).locked(),
    ):
        pass
    with Checkpoints(tmp_path, 0).locked():
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_what_a_killed_process_was_writing_is_cleared(folder: Path) -> None:
    (folder / f"{LAST}.123.partial").write_bytes(b"half")
    with Checkpoints(folder, 0).locked():
        assert not [path for path in folder.iterdir() if re.search("partial", path.name)]
