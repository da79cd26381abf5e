"""Fetch files from the network or a mirror. Their digests are checked before anything reads them."""

import hashlib
import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.pool import ThreadPool
from pathlib import Path
from threading import Event

from filelock import FileLock, Timeout
from rich import filesize
from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from attnmt.config import File
from attnmt.corpora.transfer import Patience, Transfer, TransferError
from attnmt.errors import InputError
from attnmt.files.atomic import check_place

MIRROR = "ATTNMT_MIRROR"
AT_ONCE = 4  # files that are fetched at the same time


def fetch(
    files: Iterable[File],
    folder: Path,
    accepted: Collection[str] = (),
    patience: Patience | None = None,
) -> dict[str, Path]:
    """Return the path of a verified copy of each file, by the file's name.

    If the environment variable ATTNMT_MIRROR names a folder, the files are read there and nothing is
    fetched. Otherwise they are kept in ``folder``, and those that it lacks are fetched, several at
    once. A file there with another digest is renamed to ``<name>.refused``. A transfer that breaks off
    (``<name>.part``) is continued, also by the next call. If two processes fetch into one folder, the
    second waits for the first.

    Args:
        folder: where files are kept; it has the experiment's name.
        accepted: names of licenses whose terms the user accepts.

    Raises:
        InputError: if the mirror lacks a file, a license is not accepted, the folder cannot be written
            to, the disk is too small, no address gives a file, or a digest is not the expected one.
    """
    files = list(files)
    mirror = os.environ.get(MIRROR)
    if mirror:
        return {file.name: _from_mirror(file, Path(mirror)) for file in files}
    if missing_files(files, folder):
        for name in ("lock", *(file.name for file in files)):
            check_place(folder / name)
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            missing = missing_files(files, folder)  # another process may have fetched some
            _set_aside(missing, folder)
            _refuse_unaccepted(missing, folder, accepted)
            _refuse_without_space(missing, folder)
            _fetch_all(missing, folder, patience or Patience())
    return {file.name: folder / file.name for file in files}


def missing_files(files: Iterable[File], folder: Path) -> list[File]:
    """Return the files of which the folder holds no verified copy."""
    return [
        file
        for file in files
        if not ((folder / file.name).is_file() and _digest(folder / file.name, file) == file.digest)
    ]


def _from_mirror(file: File, mirror: Path) -> Path:
    path = mirror / file.name
    if not path.is_file():
        raise InputError(f"{path}: no such file in the mirror; {file.url} belongs there")
    digest = _digest(path, file)
    if digest != file.digest:
        raise InputError(f"{path}: {_differs(file, digest)}; put a good copy of {file.url} there")
    return path


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep the folder to this process. If another process has it, say so and wait."""
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print(f"{folder}: another process is fetching into it; waiting", file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _set_aside(files: Iterable[File], folder: Path) -> None:
    """Rename files whose digest is not the expected one. Say so: a person may have put them there."""
    for file in files:
        path = folder / file.name
        if path.is_file():
            kept = path.replace(folder / f"{file.name}.refused")
            why = _differs(file, _digest(kept, file))
            print(f"{path}: {why}; kept as {kept}; fetching it again", file=sys.stderr)


def _refuse_unaccepted(files: Iterable[File], folder: Path, accepted: Collection[str]) -> None:
    for file in files:
        license = file.license
        if license is not None and license.name not in accepted:
            raise InputError(
                f"{file.name}: its terms must be accepted first: {license.terms}; in full: "
                f"{license.url}; to accept them: attnmt fetch --experiment {folder.name} "
                f"--accept {license.name}"
            )


def _refuse_without_space(files: Iterable[File], folder: Path) -> None:
    needed = sum(max(0, (file.bytes or 0) - _bytes_of(_part(folder, file))) for file in files)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise InputError(
            f"{folder}: {filesize.decimal(needed)} are to be fetched and "
            f"{filesize.decimal(free)} are free; make room"
        )


def _fetch_all(files: list[File], folder: Path, patience: Patience) -> None:
    """Fetch files side by side. If one fails, the others are completed before the error is raised.

    An interruption waits for no thread. A thread that waits for a silent server is a daemon and writes
    nothing once ``stopped`` is set.
    """
    stopped = Event()
    with logging_redirect_tqdm(), ThreadPool(AT_ONCE) as pool:
        try:
            results = pool.map(
                lambda file: _fetch(file, folder, patience, stopped), files, chunksize=1
            )
        finally:
            stopped.set()
    faults = [fault for fault in results if fault]
    if faults:
        raise InputError("\n".join(faults))


def _fetch(file: File, folder: Path, patience: Patience, stopped: Event) -> str | None:
    """Fetch one file from the first of its addresses that gives it; return why if none does."""
    tqdm.write(f"fetching {file.url}", file=sys.stderr)  # above the bars of the others
    part, faults = _part(folder, file), []
    with tqdm(
        desc=file.name, total=file.bytes, unit="B", unit_scale=True, disable=None, leave=False
    ) as bar:

        def show(have: int, total: int | None) -> None:
            bar.total = total
            bar.update(have - bar.n)

        transfer = Transfer(part, file.bytes, patience, stopped, show)
        for url in (file.url, *file.mirrors):
            try:
                _fetch_verified(transfer, url, file)
            except TransferError as error:
                faults.append(f"{url}: {error}")
            except OSError as error:
                return f"{part}: cannot be written: {error.strerror}"
            else:
                part.replace(folder / file.name)
                return None
    return (
        f"{file.name} cannot be fetched ({'; '.join(faults)}); check the network, or put the file "
        f"into {folder} by other means, or set {MIRROR} to a folder that holds it"
    )


def _fetch_verified(transfer: Transfer, url: str, file: File) -> None:
    """Fetch a file and check it. If it came in pieces that do not fit together, fetch it all again."""
    for _ in range(2):
        transfer.run(url)
        digest = _digest(transfer.part, file)
        if digest == file.digest:
            return
        pieced = transfer.pieced
        transfer.restart()
        if not pieced:
            break
    raise TransferError(
        f"{_differs(file, digest)}; if the file was changed there, correct the parameters"
    )


def _differs(file: File, digest: str) -> str:
    return f"digest does not match: expected {file.digest}, found {digest}"


def _part(folder: Path, file: File) -> Path:
    return folder / f"{file.name}.part"


def _bytes_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _digest(path: Path, file: File) -> str:
    algorithm = file.digest.partition(":")[0]
    with path.open("rb") as stream:
        return f"{algorithm}:{hashlib.file_digest(stream, algorithm).hexdigest()}"
