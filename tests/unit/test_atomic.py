"""Writing all or nothing: by processes that die, and by several at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.files import atomic
from attnmt.files.atomic import SILENCE, atomic_folder, atomic_path, check_place

Exchange = Callable[[Path, Path], bool]

# A writer of the folder "out" that dies, as by SIGKILL, before the n-th call that changes the disk.
WRITER = """
import os, shutil, signal, sys
from pathlib import Path
from attnmt.files import atomic

left, exchanges = int(sys.argv[1]), sys.argv[2] == "exchange"

def dying(function):
    def call(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return call

if not exchanges:
    atomic._exchange = lambda one, other: False
for owner, name in ((Path, "mkdir"), (Path, "replace"), (Path, "rename"), (Path, "unlink"),
                    (Path, "touch"), (shutil, "rmtree"), (atomic, "_exchange"), (os, "fsync")):
    setattr(owner, name, dying(getattr(owner, name)))
with atomic.atomic_folder(Path("out")) as folder:
    (folder / "new").touch()
    (folder / "whole").touch()
"""
POINTS = range(1, 14)  # more than the writer has


def kill_at(point: int, folder: Path, exchange: str) -> bool:
    """Have a writer die at a point; return whether it got that far."""
    command = [sys.executable, "-c", WRITER, str(point), exchange]
    status = subprocess.run(command, cwd=folder, check=False).returncode
    assert status in (0, -signal.SIGKILL)
    return status != 0


def old_folder(place: Path) -> None:
    place.mkdir()
    (place / "old").touch()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def write(place: Path, *files: str) -> None:
    with atomic_folder(place) as folder:
        for file in files:
            (folder / file).touch()


@pytest.mark.parametrize("exchange", ["exchange", "two renames"])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path, exchange: str) -> None:
    died = []
    for point in POINTS:
        folder = tmp_path / str(point)
        folder.mkdir()
        old_folder(folder / "out")
        died.append(kill_at(point, folder, exchange))
        present = names(folder / "out") if (folder / "out").exists() else None
        assert present in ({"old"}, {"new", "whole"}, *([None] if exchange != "exchange" else []))
        write(folder / "out", "next")
        assert names(folder) == {"out"}
        assert names(folder / "out") == {"next"}
    assert died[:6] == [True] * 6
    assert not died[-1]


def test_a_folder_that_was_moved_aside_comes_back(tmp_path: Path) -> None:
    """One process died between two renames, and then the next writer failed."""
    missing = False
    for point in POINTS:
        folder = tmp_path / str(point)
        folder.mkdir()
        old_folder(folder / "out")
        kill_at(point, folder, "two renames")
        missing = missing or not (folder / "out").exists()
        with pytest.raises(KeyboardInterrupt):
            fail_to_write(folder / "out")
        assert names(folder) == {"out"}
        assert names(folder / "out") in ({"old"}, {"new", "whole"})
    assert missing


def fail_to_write(place: Path) -> None:
    with atomic_folder(place):
        raise KeyboardInterrupt


def test_an_error_between_two_renames_brings_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_folder(tmp_path / "out")
    monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "rename", rename)
        rename(path, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out", "new")
    assert names(tmp_path) == {"out"}
    assert names(tmp_path / "out") == {"old"}


def partial(place: Path, machine: str, process: int, age: float = 0) -> Path:
    """Write the partial folder of a writer that has died or is still writing."""
    left = place.with_name(f"{place.name}.{machine}.{process}.partial")
    left.mkdir()
    (left / "half").touch()
    for path in (left / "half", left):
        os.utime(path, (time.time() - age,) * 2)
    return left


def test_what_other_processes_still_write_stays(tmp_path: Path) -> None:
    place, here = tmp_path / "out", atomic._machine()
    gone = subprocess.Popen(["true"])
    gone.wait()
    living = [
        partial(place, here, os.getppid()),
        partial(place, "elsewhere-1", gone.pid, SILENCE / 2),
        partial(tmp_path / "out.en", here, gone.pid),  # it belongs to another place
    ]
    left = [
        partial(place, here, gone.pid),
        partial(place, here, os.getpid()),
        partial(place, "elsewhere-1", 1, 2 * SILENCE),
    ]
    write(place, "new")
    assert [path.exists() for path in living] == [True] * 3
    assert [path.exists() for path in left] == [False] * 3


RACER = """
import sys
from pathlib import Path
from attnmt.files import atomic

if sys.argv[2] != "exchange":
    atomic._exchange = lambda one, other: False
for _ in range(150):
    with atomic.atomic_folder(Path("out")) as folder:
        for number in range(3):
            (folder / f"{sys.argv[1]}{number}").touch()
"""


@pytest.mark.parametrize("exchange", ["exchange", "two renames"])
def test_when_several_write_at_once_the_last_one_wins(tmp_path: Path, exchange: str) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, name, exchange], cwd=tmp_path)
        for name in "abc"
    ]
    assert [racer.wait() for racer in racers] == [0, 0, 0]
    assert names(tmp_path) == {"out"}
    assert names(tmp_path / "out") in [{f"{name}{number}" for number in range(3)} for name in "abc"]


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    old_folder(tmp_path / "out")
    with atomic_folder(tmp_path / "out") as folder:
        (folder / "new").touch()
        assert names(tmp_path / "out") == {"old"}
    assert names(tmp_path / "out") == {"new"}
    assert names(tmp_path) == {"out"}


def test_a_failed_write_keeps_what_was_there(tmp_path: Path) -> None:
    def write_half(path: Path) -> None:
        with atomic_path(path) as half:
            half.write_text("half")
            raise KeyboardInterrupt

    target = tmp_path / "out"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(target)
    assert names(tmp_path) == {"out"}
    assert target.read_text() == "old"


def test_a_link_to_a_file_is_replaced_and_its_file_stays(tmp_path: Path) -> None:
    """DVC leaves such links where its cache links files."""
    (tmp_path / "cache").write_text("cached")
    (tmp_path / "out").symlink_to("cache")
    with atomic_path(tmp_path / "out") as new:
        new.write_text("new")
    assert not (tmp_path / "out").is_symlink()
    assert (tmp_path / "cache").read_text() == "cached"


@pytest.mark.parametrize(
    ("place", "folder", "message"),
    [
        ("a_folder", False, "a_folder: a file is to be written here, and a folder is in its place"),
        (".", False, ": a file is to be written here, and a folder is in its place"),
        ("link", False, "link: a file is to be written here, and a folder is in its place"),
        ("pipe", False, "pipe: a file is to be written here, and a device is in its place"),
        ("a_file", True, "a_file: a folder is to be written here, and a file is in its place"),
        ("link", True, "link: a folder is to be written here, and a link is in its place"),
        ("lost", True, "lost: a folder is to be written here, and a link is in its place"),
        ("a_file/x/y", True, "a_file/x/y: cannot be written: .*a_file is not a folder"),
        ("lost/x", False, "lost/x: cannot be written: .*lost is not a folder"),
        ("ring/x", False, "ring/x: cannot be written"),
    ],
)
def test_a_place_that_is_taken_is_refused_early(
    tmp_path: Path, place: str, folder: bool, message: str
) -> None:
    (tmp_path / "a_folder").mkdir()
    (tmp_path / "a_file").touch()
    for name, target in {"link": "a_folder", "lost": "nowhere", "ring": "ring"}.items():
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    before = names(tmp_path)
    with pytest.raises(InputError, match=message):
        check_place(tmp_path / place, folder=folder)
    assert names(tmp_path) == before


def test_a_message_names_the_place_and_not_what_lies_beside_it(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError) as error,
        atomic_folder(tmp_path / "out") as folder,
        atomic_path(folder / "half"),
    ):
        raise OSError(28, "No space left on device")
    assert str(error.value) == (
        f"{tmp_path}/out/half: cannot be written (No space left on device); free some space there "
        f"and start again"
    )


def test_an_error_in_reading_is_not_taken_for_one_of_the_output(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "out"):
        (tmp_path / "out2").read_text()
