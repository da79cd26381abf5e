"""Fetch files from the network or a mirror. Their digests are checked before anything reads them."""

import hashlib
import os
import sys
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnmt.config import File
from attnmt.errors import InputError

MIRROR = "ATTNMT_MIRROR"
RETRIES = 2  # at each address, after the first try that brings nothing
CHUNK = 1 << 13  # bytes that are written at once; a break loses at most so many
TIMEOUT = (10, 60)  # seconds to connect to a server, and to wait for its next byte


def fetch(
    files: Iterable[File],
    folder: Path,
    accepted: Collection[str] = (),
    place: str = "corpus.accept",
) -> dict[str, Path]:
    """Return the path of a verified copy of each file, by the file's name.

    If the environment variable ATTNMT_MIRROR names a folder, the files are read there and nothing is
    fetched. Otherwise they are kept in ``folder``, and those that it lacks, or has with another digest,
    are fetched.

    Raises:
        InputError: if the mirror lacks a file, a license is not accepted, the folder cannot be written
            to, no address gives a file, or a digest is not the expected one.
    """
    files, mirror = list(files), os.environ.get(MIRROR)
    folder = Path(mirror or folder)
    missing = [file for file in files if not _is_there(folder / file.name, file)]
    for file in missing:
        path, license = folder / file.name, file.license
        if mirror:
            raise InputError(
                f"{path}: not there, or not with {file.digest}; put the file of {file.url} there"
            )
        if license and license.name not in accepted:
            raise InputError(
                f"{place}: the terms of {file.name} must be accepted first: {license.terms} "
                f"({license.url}); if you accept them, write accept: [{license.name}]"
            )
    faults = [fault for file in missing if (fault := _fetch(file, folder))]
    if faults:
        raise InputError("\n".join(faults))
    return {file.name: folder / file.name for file in files}


def _is_there(path: Path, file: File) -> bool:
    return path.is_file() and _digest(path, file) == file.digest


def _digest(path: Path, file: File) -> str:
    algorithm = file.digest.partition(":")[0]
    with path.open("rb") as stream:
        return f"{algorithm}:{hashlib.file_digest(stream, algorithm).hexdigest()}"


def _fetch(file: File, folder: Path) -> str | None:
    """Fetch one file from the first of its addresses that gives it; return why if none does.

    What has come stays in ``<name>.partial``, and the next try, or the next start, goes on there. So a
    try counts only if it brought nothing.
    """
    path, part = folder / file.name, folder / f"{file.name}.partial"
    faults = []
    for url in (file.url, *file.mirrors):
        fault, tries = "", 0
        while tries <= RETRIES:
            time.sleep(tries)
            before = part.stat().st_size if part.exists() else 0
            try:
                folder.mkdir(parents=True, exist_ok=True)
                _receive(url, part)
                if (digest := _digest(part, file)) == file.digest:
                    part.replace(path)
                    return None
                part.unlink()
                fault = f"it has {digest}, and {file.digest} is expected"
            except OSError as error:  # of the network or the disk
                fault = str(error)
            tries += not part.exists() or part.stat().st_size <= before
        faults.append(f"{url}: {fault}")
    return (
        f"{file.name} cannot be fetched ({'; '.join(faults)}); check the network, or put the file "
        f"into {folder} by other means, or set {MIRROR} to a folder that holds it; if it was changed "
        f"at its address, correct the parameters"
    )


def _receive(url: str, part: Path) -> None:
    """Append to a file what it lacks of the content of an address, as far as the server knows how."""
    import requests  # here, because training and decoding run without it

    start = part.stat().st_size if part.exists() else 0
    with requests.get(
        url,
        headers={"Range": f"bytes={start}-"} if start else {},
        timeout=TIMEOUT,
        stream=True,
        hooks={"response": _keep_content},
    ) as answer:
        if answer.status_code == requests.codes.requested_range_not_satisfiable:
            return  # it lacks nothing, or is that of another content, as its digest will show
        answer.raise_for_status()
        goes_on = answer.status_code == requests.codes.partial_content
        start *= goes_on
        bar = tqdm(
            desc=part.stem,
            total=start + int(answer.headers.get("Content-Length", 0)) or None,
            initial=start,
            unit="B",
            unit_scale=True,
            disable=not sys.stderr.isatty(),
        )
        with part.open("ab" if goes_on else "wb") as stream, bar:
            for chunk in answer.iter_content(CHUNK):
                bar.update(stream.write(chunk))


def _keep_content(response: Any, **_: Any) -> None:
    """Keep the bytes as they come: servers label a .tgz as compressed content, which is unpacked."""
    response.raw.headers.pop("Content-Encoding", None)
