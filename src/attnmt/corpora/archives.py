"""Extract files from compressed archives (.tgz). An archive was verified when it was fetched."""

import shutil
import tarfile
from collections.abc import Collection
from pathlib import Path

from attnmt.errors import InputError

GET_ANOTHER = "get a good copy of the archive"


def extract(archive: Path, members: Collection[str], folder: Path) -> None:
    """Write the chosen members of an archive as ``folder/<member>``.

    The archive, a tar file compressed by gzip, is streamed once, in little memory.

    Raises:
        InputError: if the archive cannot be read, or if a member is missing or not a plain file. The
            message names archive and member.
    """
    missing = set(members)
    try:
        with tarfile.open(archive, mode="r|gz") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if name in missing:
                    _copy(archive, tar, member, folder / name)
                    missing.remove(name)
    except tarfile.TarError as error:
        raise InputError(f"{archive}: cannot be unpacked: {error}; {GET_ANOTHER}") from None
    except OSError as error:
        raise InputError(f"{archive}: cannot be unpacked: {error.strerror}") from None
    if missing:
        raise InputError(f"{archive}: has no {', '.join(sorted(missing))}; check member")


def _copy(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = tar.extractfile(member) if member.isfile() else None
    if content is None:
        raise InputError(f"{archive}: {member.name} is not a plain file; {GET_ANOTHER}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as stream:
        shutil.copyfileobj(content, stream)
