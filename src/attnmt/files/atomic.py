"""Write a file or a folder so that nobody ever sees half of it, even if a process dies.

What is not yet complete lies beside its place as ``<name>.<machine>.<process>.partial``. The next
process that writes to the same place removes what a dead process of this machine left there.
"""

import errno
import glob
import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attnmt.errors import InputError

FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk is full, or the user's quota used up
MACHINE = platform.node().replace(".", "-")
SUFFIX = re.compile(r"\.(?P<machine>[^./]+)\.(?P<process>\d{1,9})(\.old)?\.partial(?=/|$)")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a path to write a file to. On success the file replaces ``path``; otherwise it is deleted.

    Whenever the process dies, ``path`` is the old file or the new one. This holds for a power cut, too,
    because the new file is on the disk before it replaces the old one.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path)
    with _placed(path) as partial:
        yield partial


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder. On success it replaces ``path``; otherwise it is deleted.

    An old folder is moved out of the way first. A process that dies in this moment leaves no folder.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path, folder=True)
    with _placed(path) as partial:
        partial.mkdir()
        yield partial


def check_place(path: Path, *, folder: bool = False) -> None:
    """Check early that a file, or a folder, can be written to ``path``. Nothing is changed.

    A link to a file is replaced, because DVC may have put it there. A link to a folder is refused,
    because it would be unclear whether to replace the link or the folder. Neither is a stream replaced,
    such as /dev/stdout, which is a link to a file while the shell redirects it.

    Raises:
        InputError: if something else is in its place, or the folder around it cannot be written to.
    """
    kind = "folder" if folder else "file"
    try:
        is_file = path.is_file() and not _is_stream(path)
        there = "folder" if path.is_dir() else "file" if is_file else "device"
        there = "link" if folder and path.is_symlink() else there if path.exists() else ""
        parent = next((parent for parent in path.parents if os.path.lexists(parent)), path)
        unwritable = not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK))
    except OSError as error:
        raise _cannot(path, error) from None
    if there not in (kind, ""):
        raise InputError(
            f"{shown(path)}: a {kind} is to be written here, and a {there} is in its place; "
            f"name another place, or move the {there} away"
        )
    if unwritable:
        why = "may not be written to" if parent.is_dir() else "is not a folder"
        raise InputError(
            f"{shown(path)}: cannot be written: {shown(parent)} {why}; change that, or name another "
            f"place"
        )


def _is_stream(path: Path) -> bool:
    """Return whether a path stands for an open file: in /dev or /proc, or as a link into /proc."""
    folder = os.path.realpath(path.parent)
    into = path.is_symlink() and os.readlink(path).startswith("/proc/")  # noqa: PTH115
    return folder == "/dev" or f"{folder}/".startswith("/proc/") or into


def shown(path: Path) -> str:
    """Return a path as a person knows it, without the suffix of what is not yet complete."""
    return SUFFIX.sub("", str(path))


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """Yield a path to write to; on success, put what was written into its place."""
    partial = path.with_name(f"{path.name}.{MACHINE}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
    except OSError as error:
        raise _cannot(path, error) from None
    try:
        yield partial
        if partial.is_file():
            _sync(partial)
        if (
            partial.is_dir() and path.is_dir()
        ):  # a rename does not replace a folder with files in it
            path.rename(partial.with_suffix(".old.partial"))
        partial.replace(path)
        _sync(path.parent)
    except OSError as error:
        # An error about any other path comes from a file that was being read.
        ours = error.filename and Path(shown(Path(error.filename))).is_relative_to(shown(path))
        if ours or error.errno in FULL:
            raise _cannot(path, error) from error
        raise
    finally:
        _remove_leftovers(path)  # also those of this process


def _remove_leftovers(path: Path) -> None:
    """Remove what this process and dead ones of this machine left beside ``path``."""
    for leftover in path.parent.glob(f"{glob.escape(path.name)}.*.partial"):
        suffix = SUFFIX.fullmatch(leftover.name.removeprefix(path.name))
        if suffix and suffix["machine"] == MACHINE and not _is_another(int(suffix["process"])):
            _remove(leftover)


def _is_another(process: int) -> bool:
    """Return whether a process lives and is not this one."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user
        return True
    return process != os.getpid()


def _cannot(path: Path, error: OSError) -> InputError:
    advice = "change that, or name another place"
    if error.errno in FULL:
        advice = "free some space there and start again"
    return InputError(f"{shown(path)}: cannot be written ({error.strerror}); {advice}")


def _sync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    """Delete a file or a folder as far as that is possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
