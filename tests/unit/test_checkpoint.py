"""Checkpoints that are damaged, shared by two trainings, no longer needed, or meet a full disk."""

import itertools
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from made_records import config
from safetensors.torch import load, save
from small_training import FEEDING, held_by, small
from torch.optim import SGD, Adam

from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.training.checkpoint import Checkpoints, discard
from attnmt.training.state import TrainingState
from attnmt.training.tensor_file import METADATA, read_tensors, write_tensors

LAST = "last.safetensors"


@pytest.fixture
def folder(tmp_path) -> Path:
    """Return a folder with a checkpoint after batch 5, and its best weights; one was before it."""
    checkpoints = Checkpoints(tmp_path, minutes=0)
    for seed, step in ((1, 3), (2, 5)):
        model, progress = small(FEEDING), TrainingState(step=step, best_step=step)
        model.initialize(seed)
        checkpoints.save_best(model, progress)
        checkpoints.save(model, SGD(small(FEEDING).parameters()), progress)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best-5.safetensors", LAST]
    return tmp_path


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "damage"),
    [(LAST, cut_short), (LAST, flip_a_bit), ("best-5.safetensors", Path.unlink)],
)
def test_a_damaged_checkpoint_is_named(folder, name, damage):
    damage(folder / name)
    with pytest.raises(InputError, match=rf"{LAST}: damaged.*{name}: .*delete {folder} to"):
        held_by(Checkpoints(folder, 0))


def test_a_checkpoint_of_another_optimizer_is_refused(tmp_path):
    model = small(FEEDING)
    adam = Adam(model.parameters())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    adam.step()
    Checkpoints(tmp_path, 0).save(model, adam, TrainingState(step=4))
    with pytest.raises(InputError, match=rf"{LAST}: damaged, or of another program \(sgd rem"):
        held_by(Checkpoints(tmp_path, 0))


def test_a_full_disk_leaves_the_last_checkpoint(folder, monkeypatch):
    checkpoints, model = Checkpoints(folder, 0), small(FEEDING)
    progress = held_by(checkpoints)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    opened = Path.open

    def to_a_full_disk(path: Path, mode: str) -> Any:
        opened(path, mode).write(b"half")
        return opened(Path("/dev/full"), mode)

    progress.step = 9
    monkeypatch.setattr(Path, "open", to_a_full_disk)
    with pytest.raises(InputError, match=r"No space left.*from batch 5$"):
        checkpoints.save(model, SGD(small(FEEDING).parameters()), progress)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_kill_at_any_point_of_saving_leaves_a_whole_checkpoint(folder):
    """The kill comes before or halfway through a write, or before a rename, a removal or an fsync."""
    outcomes, point, ended = set(), 0, False
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
            progress = held_by(Checkpoints(copy, 0))
        assert progress.step == progress.best_step
        outcomes.add((progress.step, ended))
        point += 1
    assert outcomes == {(5, False), (9, False), (9, True)}
    assert point > 5


def save_and_die(folder: Path, point: int) -> None:
    """Save best weights and a checkpoint of batch 9; die after ``point`` calls that touch the disk."""
    checkpoints, model = Checkpoints(folder, 0), small(FEEDING)
    progress = held_by(checkpoints, model)
    progress.step = progress.best_step = 9
    calls = itertools.count()

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            if next(calls) == point:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **options)

        return called

    opened = Path.open

    @contextmanager
    def open_unbuffered(path: Path, mode: str) -> Iterator[Any]:
        with opened(path, mode, buffering=0) as file:
            yield SimpleNamespace(write=deadly(file.write))

    Path.open = open_unbuffered
    for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink")):
        setattr(owner, name, deadly(getattr(owner, name)))
    checkpoints.save_best(model, progress)
    checkpoints.save(model, SGD(small(FEEDING).parameters()), progress)


def test_a_file_of_tensors_is_safetensors_with_a_checksum_and_finite(tmp_path):
    tensors = {
        "a view": torch.rand(3, 4).T,
        "bytes": torch.arange(6).byte(),
        "none": torch.empty(0),
    }
    path = tmp_path / "file"
    write_tensors(path, tensors, {"config": '{"größe": "\\"3\\""}'})
    assert path.stat().st_mode & 0o044 == 0o044  # others may read it
    for name, tensor in load(path.read_bytes()).items():
        assert torch.equal(tensor, tensors[name])
    assert read_tensors(path)[1] == {"config": '{"größe": "\\"3\\""}'}
    for other in ({"config": "another program's"}, {METADATA: '{"config": "{}"}'}):
        path.write_bytes(save({"a": torch.ones(2)}, other))
        with pytest.raises(ValueError, match="checksum" if METADATA in other else METADATA):
            read_tensors(path)
    write_tensors(path, {"a": torch.tensor([1.0, torch.inf])}, {})
    with pytest.raises(ValueError, match="a has numbers that are not finite"):
        read_tensors(path)


def test_two_trainings_in_one_folder_are_refused(tmp_path):
    (tmp_path / f"{LAST}.123.partial").write_bytes(b"half")  # of a process that was killed
    with (
        Checkpoints(tmp_path, 0).locked(),
        pytest.raises(InputError, match=rf"process {os.getpid()} on \S+ trains here"),
        Checkpoints(tmp_path, 0).locked(),
    ):
        pass
    with pytest.raises(TimeoutError), Checkpoints(tmp_path, 0).locked():
        raise TimeoutError
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_the_checkpoints_of_a_model_are_discarded_and_no_others(tmp_path):
    checkpoints, model = tmp_path / "checkpoints/base", tmp_path / "models/demo/base"
    model.mkdir(parents=True)
    write_json(model / "config.json", config("base", fingerprint="this"))
    for fingerprint in ("this", "other"):
        with Checkpoints(checkpoints / fingerprint, 0).locked():
            (checkpoints / fingerprint / LAST).touch()
            discard(checkpoints, model)  # nothing is deleted while somebody trains there
            assert (checkpoints / "this" / LAST).exists() == (fingerprint == "this")
    discard(checkpoints, model)
    assert [path.name for path in checkpoints.iterdir()] == ["other"]
    write_json(model / "config.json", config("base", fingerprint="other"))
    discard(checkpoints, model)
    assert list(checkpoints.parent.iterdir()) == []
