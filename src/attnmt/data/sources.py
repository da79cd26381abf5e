"""Files from the network or from a mirror, their digests checked before anything reads them."""

import os
import sys
from pathlib import Path

import pooch

from attnmt.config import File
from attnmt.errors import InputError
from attnmt.files import atomic_path

MIRROR = "ATTNMT_MIRROR"


def fetch(file: File, folder: Path) -> Path:
    """Return where a verified copy of ``file`` lies.

    With the environment variable ATTNMT_MIRROR, that is in the folder which it names, and nothing
    is fetched. Otherwise it is in ``folder``, fetched unless it is there already.

    Raises:
        InputError: if the mirror lacks the file, the address cannot be fetched, or the digest is
            not the expected one.
    """
    mirror = os.environ.get(MIRROR)
    if mirror:
        path = Path(mirror, file.name)
        if not path.is_file():
            raise InputError(f"{path}: no such file in the mirror; {file.url} belongs there")
        _verify(path, file, f"put a good copy of {file.url} there")
        return path
    path = folder / file.name
    if not (path.is_file() and _digest(path, file) == file.digest):
        with atomic_path(path) as partial:
            _download(file.url, partial)
            _verify(partial, file, "try again; if the source has changed, so must the parameters")
    return path


def _download(url: str, path: Path) -> None:
    print(f"fetching {url}", file=sys.stderr)
    downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), chunk_size=1 << 16)
    try:
        downloader(url, str(path), None)
    except (OSError, ValueError) as error:  # those of requests are both
        raise InputError(
            f"{url}: cannot be fetched ({error}); check the network, or set {MIRROR} to a folder "
            f"that holds the file"
        ) from None


def _verify(path: Path, file: File, remedy: str) -> None:
    found = _digest(path, file)
    if found != file.digest:
        raise InputError(
            f"{path if path.name == file.name else file.url}: digest does not match: "
            f"expected {file.digest}, found {found}; {remedy}"
        )


def _digest(path: Path, file: File) -> str:
    algorithm = file.digest.partition(":")[0]
    return f"{algorithm}:{pooch.file_hash(str(path), alg=algorithm)}"
