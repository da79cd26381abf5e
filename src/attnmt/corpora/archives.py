"""Files out of compressed archives (.tgz), read as what they are: written by somebody else."""

import gzip
import re
import tarfile
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from rich import filesize

from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path

CHUNK = 1 << 16
PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)
GET_ANOTHER = "get a good copy of the archive"
# More than text ever shrinks (a tenth or so), less than gzip can (a thousandth)
MOST_BYTES_A_BYTE = 100
MOST_BYTES_AT_LEAST = 50_000_000  # a small archive may well be all repetition


def extract(archive: Path, targets: Mapping[str, Path]) -> None:
    """Write the wanted members of an archive, all of them or none; nothing else is written.

    The archive is streamed once, to its end, in little memory.

    Args:
        archive: a tar file compressed by gzip.
        targets: where each wanted member goes, by its path in the archive.

    Raises:
        InputError: if the archive cannot be read, is cut, or unpacks to more than an honest one does;
            if any member has an absolute name or one with ``..``; if a wanted one is missing, there
            twice, or no plain file. The message names archive and member.
    """
    found: set[str] = set()
    try:
        with ExitStack() as stack:
            unpacked = stack.enter_context(_Bounded(archive))
            tar = stack.enter_context(tarfile.open(fileobj=unpacked, mode="r|", bufsize=CHUNK))
            partials = {
                name: stack.enter_context(atomic_path(path)) for name, path in targets.items()
            }
            for member in tar:
                name = _plain_name(archive, member.name)
                if name in partials:
                    if name in found:
                        raise InputError(f"{archive}: {name} is there twice; {GET_ANOTHER}")
                    found.add(name)
                    _copy(archive, tar, member, partials[name])
            while unpacked.read(CHUNK):  # so that a cut or a wrong checksum at the end is found
                pass
            missing = sorted(targets.keys() - found)
            if missing:
                raise InputError(f"{archive}: holds no {', '.join(missing)}; check member")
    except (EOFError, gzip.BadGzipFile, tarfile.TarError, zlib.error) as error:
        raise InputError(f"{archive}: cannot be unpacked: {error}; {GET_ANOTHER}") from None
    except OSError as error:
        raise InputError(f"{archive}: cannot be unpacked: {error.strerror}") from None


def _plain_name(archive: Path, name: str) -> str:
    """Return a member's name without a leading ``./``; refuse one that leads out of a folder."""
    parts = re.split(r"[/\\]", name)
    if ".." in parts or not parts[0] or re.match(r"[A-Za-z]:", name):
        raise InputError(f"{archive}: member {name!r} leads out of the archive; do not use it")
    return "/".join(part for part in parts if part not in ("", "."))


def _copy(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = tar.extractfile(member) if member.type in PLAIN and not member.issparse() else None
    if content is None:
        raise InputError(f"{archive}: {member.name} is no plain file; {GET_ANOTHER}")
    with target.open("wb") as stream:
        while chunk := content.read(CHUNK):
            stream.write(chunk)


class _Bounded(gzip.GzipFile):
    """What an archive unpacks to, read up to a bound that an honest one stays below."""

    def __init__(self, archive: Path) -> None:
        super().__init__(archive)
        self._archive = archive
        self._most = max(MOST_BYTES_A_BYTE * archive.stat().st_size, MOST_BYTES_AT_LEAST)

    def read(self, size: int | None = -1) -> bytes:
        """Read at most ``size`` bytes.

        Raises:
            InputError: once more has come than the bound.
        """
        data = super().read(size)
        if self.tell() > self._most:
            raise InputError(
                f"{self._archive}: unpacks to more than {filesize.decimal(self._most)}; do not use it"
            )
        return data
