"""Write a file or a folder so that nobody ever sees half of it, even if a process dies.

What is not yet complete lies beside its place as ``<name>.<machine>.<process>.partial``. The next
process that writes to the same place removes what a dead process of this machine left there.
"""

import glob
import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attnmt.errors import FULL, InputError

MACHINE = platform.node().replace(".", "-")
_SUFFIX = re.compile(rf"\.{re.escape(MACHINE)}\.(\d+)\.partial(?=/|$)")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a path to write a file to. On success the file replaces ``path``; otherwise it is deleted.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path)
    with _placed(path) as partial:
        yield partial


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder. On success it replaces ``path``; otherwise it is deleted.

    An old folder is deleted first. A process that dies in this moment leaves no folder.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path, folder=True)
    with _placed(path) as partial:
        partial.mkdir()
        yield partial
        if path.exists():  # a rename does not replace a folder with files in it
            shutil.rmtree(path)


def check_place(path: Path, *, folder: bool = False) -> None:
    """Check early that a file, or a folder, can be written to ``path``. Nothing is changed.

    A link to a file is replaced, because DVC may have put it there. A link to a folder is refused, and
    so is a stream such as /dev/stdout.

    Raises:
        InputError: if something else is in its place, or the folder around it cannot be written to.
    """
    kind = "folder" if folder else "file"
    try:
        is_kind = path.is_dir() and not path.is_symlink() if folder else path.is_file()
        stream = str(path).startswith(("/dev/", "/proc/"))
        if (path.exists() and not is_kind) or stream:
            raise InputError(
                f"{path}: a {kind} is to be written here, and something else is in its place; name "
                f"another place, or move it away"
            )
        parent = next((parent for parent in path.parents if os.path.lexists(parent)), path)
        if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            raise InputError(
                f"{path}: cannot be written: {parent} is no folder that may be written to; change "
                f"that, or name another place"
            )
    except OSError as error:
        raise _cannot(path, error) from None


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """Yield a path to write to; on success, put what was written into its place."""
    partial = path.with_name(f"{path.name}.{MACHINE}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
        yield partial
        partial.replace(path)
    except OSError as error:
        # An error about any other path comes from a file that was being read.
        place = Path(error.filename or "")
        if error.errno in FULL or place.is_relative_to(partial) or place.is_relative_to(path):
            raise _cannot(path, error) from error
        raise
    finally:
        _remove_leftovers(path)  # also those of this process


def _remove_leftovers(path: Path) -> None:
    """Remove what this process and dead ones of this machine left beside ``path``."""
    for leftover in path.parent.glob(f"{glob.escape(path.name)}.*.partial"):
        suffix = _SUFFIX.fullmatch(leftover.name.removeprefix(path.name))
        if suffix and not _is_another(int(suffix[1])):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


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
    full = error.errno in FULL
    cure = "free some space there, or allow more, and start again" if full else "name another place"
    place = _SUFFIX.sub("", str(path))  # as a person knows it
    return InputError(f"{place}: cannot be written ({error.strerror}); {cure}")
