"""Fetch files from the network or a mirror. Their digests are checked before anything reads them."""

import hashlib
import os
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from attnmt.config import File
from attnmt.errors import InputError

MIRROR = "ATTNMT_MIRROR"
RETRIES = 2  # at each address, after the first try
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

    Args:
        accepted: names of licenses whose terms the user accepts.
        place: the key that lists them, with its file, for an error.

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
    """Return whether a path holds a verified copy of a file."""
    if not path.is_file():
        return False
    algorithm = file.digest.partition(":")[0]
    with path.open("rb") as stream:
        return f"{algorithm}:{hashlib.file_digest(stream, algorithm).hexdigest()}" == file.digest


def _fetch(file: File, folder: Path) -> str | None:
    """Fetch one file from the first of its addresses that gives it; return why if none does."""
    import pooch  # here, because training and decoding run without it

    download = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(), timeout=TIMEOUT, hooks={"response": _keep_content}
    )
    faults = []
    for url in (file.url, *file.mirrors):
        source = pooch.Pooch(
            folder,
            base_url="",
            registry={file.name: file.digest},
            urls={file.name: url},
            retry_if_failed=RETRIES,
        )
        try:
            source.fetch(file.name, downloader=download)
            return None
        except (OSError, ValueError) as error:  # of the network or the disk; of the digest
            faults.append(f"{url}: {error}")
    return (
        f"{file.name} cannot be fetched ({'; '.join(faults)}); check the network, or put the file "
        f"into {folder} by other means, or set {MIRROR} to a folder that holds it; if it was changed "
        f"at its address, correct the parameters"
    )


def _keep_content(response: Any, **_: Any) -> None:
    """Keep the bytes as they come: servers label a .tgz as compressed content, which is unpacked."""
    response.raw.headers.pop("Content-Encoding", None)
