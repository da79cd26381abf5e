"""Writing all or nothing, also by processes that die."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.files.atomic import MACHINE, atomic_folder, atomic_path, check_place

# A writer that dies, as by SIGKILL, before the n-th call that changes the disk.
WRITER = """
import os, shutil, signal, sys
from pathlib import Path
from attnmt.files.atomic import atomic_folder, atomic_path

kind, left = sys.argv[1], int(sys.argv[2])

def dying(function):
    def call(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return call

for owner, name in ((Path, "mkdir"), (Path, "replace"), (Path, "rename"), (Path, "unlink"),
                    (Path, "write_text"), (shutil, "rmtree")):
    setattr(owner, name, dying(getattr(owner, name)))
if kind == "file":
    with atomic_path(Path("out")) as path:
        path.write_text("new")
else:
    with atomic_folder(Path("out")) as folder:
        (folder / "one").write_text("new")
        (folder / "two").write_text("new")
"""
OLD, NEW = {"one": "old"}, {"one": "new", "two": "new"}
Content = dict[str, str] | str | None


def make(place: Path, content: dict[str, str]) -> None:
    place.mkdir()
    for name, text in content.items():
        (place / name).write_text(text)


def content(place: Path) -> Content:
    """Return the text of a file, or of every file in a folder."""
    if place.is_dir():
        return {file.name: file.read_text() for file in place.iterdir()}
    return place.read_text() if place.exists() else None


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("kind", "old", "new", "between"), [("file", "old", "new", set()), ("folder", OLD, NEW, {None})]
)
def test_a_killed_writer_leaves_nothing_half_and_the_next_one_tidies_up(
    tmp_path, kind, old, new, between
):
    left, status = [], -signal.SIGKILL
    while status:
        folder = tmp_path / str(len(left))
        make(folder, {"out": "old"} if kind == "file" else {})
        if kind == "folder":
            make(folder / "out", OLD)
        command = [sys.executable, "-c", WRITER, kind, str(len(left) + 1)]
        status = subprocess.run(command, cwd=folder, check=False).returncode
        assert status in (0, -signal.SIGKILL)
        left.append(content(folder / "out"))
        subprocess.run([*command[:-1], "0"], cwd=folder, check=True)
        assert names(folder) == {"out"}
    assert (left[0], left[-1]) == (old, new)
    assert all(one in (old, new, *between) for one in left)


def test_what_a_living_process_or_another_machine_writes_stays(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    stay = [f"out.{MACHINE}.{os.getppid()}", f"out.elsewhere.{gone.pid}", f"out.en.{MACHINE}.1"]
    go = [f"out.{MACHINE}.{number}" for number in (gone.pid, os.getpid())]
    for name in (*stay, *go):
        make(tmp_path / f"{name}.partial", OLD)
    with atomic_folder(tmp_path / "out"):
        pass
    assert names(tmp_path) == {"out", *(f"{name}.partial" for name in stay)}


def test_a_link_to_a_file_is_replaced_and_its_file_stays(tmp_path):
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
        ("pipe", False, "pipe: a file is to be written"),
        ("a_file", True, "a_file: a folder is to be written"),
        ("a_file/x/y", True, "a_file/x/y: cannot be written: .*a_file "),
    ],
)
def test_a_place_that_is_taken_is_refused_early(tmp_path, place, folder, message):
    make(tmp_path / "a_folder", {})
    (tmp_path / "a_file").touch()
    os.mkfifo(tmp_path / "pipe")
    before = names(tmp_path)
    with pytest.raises(InputError, match=message):
        check_place(tmp_path / place, folder=folder)
    assert names(tmp_path) == before
