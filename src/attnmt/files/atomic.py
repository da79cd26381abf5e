"""Writing a file or a folder so that nobody ever sees half of it, whoever dies and whenever.

Until it is whole it lies beside its place, as ``<name>.<machine>.<process>.partial``. What a killed
process left there is removed by the next one that writes to the same place.
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

FULL = (errno.ENOSPC, errno.EDQUOT)  # a disk; a person's share of it
SUFFIX = re.compile(r"\.(?P<machine>[^./]+)\.(?P<process>\d{1,9})(?P<old>\.old)?\.partial(?=/|$)")
SILENCE = 7 * 24 * 3600  # seconds; no writer goes so long without a byte
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # of Linux' renameat2


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a path for a file, which takes the place of ``path`` on success and else is deleted.

    The file that stood there before stays until the new one is complete. Whenever the process dies,
    ``path`` is the old one or the new one. The file is on the disk before it takes the place, so that
    this holds for a power cut, too. Of two processes that write to one place, the last one wins.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path)
    with _placed(path) as partial:
        yield partial


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of ``path`` on success and else is deleted.

    The same holds as for a file of :func:`atomic_path`. Where the file system cannot exchange two
    folders (NFS), the old one has another name for a moment; if the process dies then, the next writer
    brings the old one back.

    Raises:
        InputError: if the place cannot be written to, or the disk is full.
    """
    check_place(path, folder=True)
    with _placed(path) as partial:
        partial.mkdir()
        yield partial


def check_place(path: Path, *, folder: bool = False) -> None:
    """Check early that a file, or a folder, can be written to ``path``. Nothing is changed.

    A link to a file is replaced, as DVC may have put it there. A link to a folder is refused, because
    it would be unclear which of the two is to be replaced.

    Raises:
        InputError: if something else is in its place, or the folder around it cannot be written to.
    """
    wanted = "folder" if folder else "file"
    try:
        found = "link" if folder and path.is_symlink() else _kind(path)
        above = next((each for each in path.parents if os.path.lexists(each)), path)
        unwritable = not (above.is_dir() and os.access(above, os.W_OK | os.X_OK))
    except OSError as error:
        raise _cannot(path, error) from None
    if found not in (wanted, ""):
        raise InputError(
            f"{shown(path)}: a {wanted} is to be written here, and a {found} is in its place; "
            f"name another place, or move that away"
        )
    if unwritable:
        why = "may not be written to" if above.is_dir() else "is not a folder"
        raise InputError(
            f"{shown(path)}: cannot be written: {shown(above)} {why}; change that, or name another "
            f"place"
        )


def _kind(path: Path) -> str:
    """Return what lies at a path, "" if nothing does, by one look: others may replace it meanwhile."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "device"


def shown(path: Path) -> str:
    """Return a path as a person knows it: without what marks a folder as being written."""
    return SUFFIX.sub("", str(path))


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """Yield the path of what is being written; put it into its place on success."""
    own = f"{path.name}.{_machine()}.{os.getpid()}"
    partial, old = (path.with_name(f"{own}{end}") for end in (".partial", ".old.partial"))
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
        _remove_leftovers(path)  # this process's own among them


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
    """Swap two folders in one step; return whether the system and the file system can, and did."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # Linux, glibc 2.28
    paths = AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other)
    return rename is not None and rename(*paths, RENAME_EXCHANGE) == 0


def _remove_leftovers(path: Path) -> None:
    """Remove what this process and those that are gone left beside ``path``.

    A folder that was moved out of the way of a new one, which then never came, goes back.
    """
    for left in sorted(path.parent.glob(f"{glob.escape(path.name)}.*.partial")):  # old ones first
        suffix = SUFFIX.fullmatch(left.name.removeprefix(path.name))
        if suffix is None or not _is_gone(suffix["machine"], int(suffix["process"]), left):
            continue
        if suffix["old"] and not os.path.lexists(path):
            with suppress(OSError):
                left.rename(path)
        else:
            _remove(left)


def _is_gone(machine: str, process: int, left: Path) -> bool:
    """Return whether ``left`` may be removed: this process wrote it, or one that is dead.

    A process of another machine cannot be asked; it counts as gone when ``left`` is old.
    """
    if machine == _machine():
        if process == os.getpid():
            return True
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # it lives, and is somebody else's
            pass
    with suppress(OSError):  # it has just been moved into its place
        newest = max(each.lstat().st_mtime for each in (left, *left.rglob("*")))
        return time.time() - newest > SILENCE
    return False


@cache
def _machine() -> str:
    """Return a name for what gives a process its number: the machine, and a container on it."""
    namespace = Path("/proc/self/ns/pid")
    number = namespace.stat().st_ino if namespace.exists() else 0
    return f"{platform.node().replace('.', '-')}-{number}"


def _cannot(path: Path, error: OSError) -> InputError:
    advice = (
        "free some space there and start again"
        if error.errno in FULL
        else "make it possible, or name another place"
    )
    culprit = shown(Path(str(error.filename or path)))
    why = error.strerror if culprit == shown(path) else f"{culprit}: {error.strerror}"
    return InputError(f"{shown(path)}: cannot be written ({why}); {advice}")


def _sync(path: Path) -> None:
    """Wait until a file, or which files a folder has, is on the disk."""
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
