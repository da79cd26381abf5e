"""Write a file or a folder so that nobody ever sees half of it, even if a process dies.

Until the file is complete, it lies beside its place as ``<name>.<machine>.<process>.partial``. If a
process is killed, the next process that writes to the same place removes what the killed one left.
"""

import ctypes
import errno
import glob
import os
import platform
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from attnmt.errors import InputError

FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk is full, or the user's quota used up
SUFFIX = re.compile(r"\.(?P<machine>[^./]+)\.(?P<process>\d{1,9})(?P<old>\.old)?\.partial(?=/|$)")
SILENCE = 7 * 24 * 3600  # seconds; a living process writes something within this time
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # arguments of Linux's renameat2


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a path to write a file to. On success the file replaces ``path``; otherwise it is deleted.

    An old file at ``path`` stays until the new one is complete. Whenever the process dies, ``path`` is
    the old file or the new one. This holds for a power cut, too, because the new file is on the disk
    before it replaces the old one. If two processes write to one place, the last one wins.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path)
    with _placed(path) as partial:
        yield partial


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder. On success it replaces ``path``; otherwise it is deleted.

    It is as safe as a file of :func:`atomic_path`, with one exception. Where the file system cannot
    exchange two folders (NFS), the old one has another name for a moment. If the process dies then,
    the next process that writes there brings the old one back.

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
    because it would be unclear whether to replace the link or the folder.

    Raises:
        InputError: if something else is in its place, or the folder around it cannot be written to.
    """
    kind = "folder" if folder else "file"
    try:
        old_kind = "link" if folder and path.is_symlink() else _kind(path)
        parent = next((parent for parent in path.parents if os.path.lexists(parent)), path)
        unwritable = not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK))
    except OSError as error:
        raise _cannot(path, error) from None
    if old_kind not in (kind, ""):
        raise InputError(
            f"{shown(path)}: a {kind} is to be written here, and a {old_kind} is in its place; "
            f"name another place, or move the {old_kind} away"
        )
    if unwritable:
        why = "may not be written to" if parent.is_dir() else "is not a folder"
        raise InputError(
            f"{shown(path)}: cannot be written: {shown(parent)} {why}; change that, or name another "
            f"place"
        )


def _kind(path: Path) -> str:
    """Return what lies at a path, "" if nothing does.

    A single system call decides, because another process may replace the file between two calls.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "device"


def shown(path: Path) -> str:
    """Return a path as a person knows it, without the suffix of a folder that is being written."""
    return SUFFIX.sub("", str(path))


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """Yield a path to write to; on success, put what was written into its place."""
    stem = f"{path.name}.{_machine()}.{os.getpid()}"
    partial, old = (path.with_name(f"{stem}{end}") for end in (".partial", ".old.partial"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(path, error) from None
    _remove_leftovers(path)
    try:
        yield partial
        if partial.is_file():
            _sync(partial)
        _replace(partial, path, old)
        _sync(path.parent)
    except OSError as error:
        # An error about any other path comes from a file that was being read.
        culprit = str(error.filename)
        if (
            culprit.startswith((str(partial), str(old)))
            or path == Path(culprit)
            or error.errno in FULL
        ):
            raise _cannot(path, error) from error
        raise
    finally:
        _remove_leftovers(path)  # also those of this process


def _replace(partial: Path, path: Path, old: Path) -> None:
    """Put ``partial`` into the place of ``path``, whatever other processes put there meanwhile."""
    while True:
        try:
            partial.replace(path)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        # A rename cannot replace a folder that has files in it.
        if _exchange(partial, path):
            return
        _remove(old)
        with suppress(FileNotFoundError):  # another process has just moved it
            path.rename(old)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step; return False if the system or the file system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # Linux, glibc 2.28
    paths = AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other)
    return rename is not None and rename(*paths, RENAME_EXCHANGE) == 0


def _remove_leftovers(path: Path) -> None:
    """Remove what this process and dead ones left beside ``path``.

    An old folder that was moved out of the way goes back if the new one never took its place.
    """
    pattern = f"{glob.escape(path.name)}.*.partial"
    for leftover in sorted(path.parent.glob(pattern)):  # .old.partial comes first
        suffix = SUFFIX.fullmatch(leftover.name.removeprefix(path.name))
        if suffix is None or not _is_gone(suffix["machine"], int(suffix["process"]), leftover):
            continue
        if suffix["old"] and not os.path.lexists(path):
            with suppress(OSError):
                leftover.rename(path)
        else:
            _remove(leftover)


def _is_gone(machine: str, process: int, leftover: Path) -> bool:
    """Return whether ``leftover`` may be removed: this process wrote it, or a dead one did.

    A process of another machine cannot be asked. It counts as dead when ``leftover`` is old.
    """
    if machine == _machine():
        if process == os.getpid():
            return True
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # the process is alive and belongs to another user
            pass
    with suppress(OSError):  # it has just been moved into its place
        newest = max(path.lstat().st_mtime for path in (leftover, *leftover.rglob("*")))
        return time.time() - newest > SILENCE
    return False


@cache
def _machine() -> str:
    """Return a name for the machine or the container in which process numbers are unique."""
    namespace = Path("/proc/self/ns/pid")
    number = namespace.stat().st_ino if namespace.exists() else 0
    return f"{platform.node().replace('.', '-')}-{number}"


def _cannot(path: Path, error: OSError) -> InputError:
    advice = (
        "free some space there and start again"
        if error.errno in FULL
        else "change that, or name another place"
    )
    culprit = shown(Path(str(error.filename or path)))
    why = error.strerror if culprit == shown(path) else f"{culprit}: {error.strerror}"
    return InputError(f"{shown(path)}: cannot be written ({why}); {advice}")


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
