"""Extract files from compressed archives (.tgz). An archive was verified when it was fetched."""

import shutil
import tarfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path

GET_ANOTHER = "get a good copy of the archive"


def extract(archive: Path, targets: Mapping[str, Path]) -> None:
    """Write the chosen members of an archive, all of them or none.

    The archive is streamed once, in little memory.

    Args:
        archive: a tar file compressed by gzip.
        targets: where each member goes, by its path in the archive.

    Raises:
        InputError: if the archive cannot be read, or if a member is missing or not a plain file. The
            message names archive and member.
    """
    missing = set(targets)
    try:
        with ExitStack() as stack:
            tar = stack.enter_context(tarfile.open(archive, mode="r|gz"))
            partials = {
                name: stack.enter_context(atomic_path(path)) for name, path in targets.items()
            }
            for member in tar:
                name = member.name.removeprefix("./")
                if name in missing:
                    _copy(archive, tar, member, partials[name])
                    missing.remove(name)
            if missing:
                raise InputError(f"{archive}: has no {', '.join(sorted(missing))}; check member")
    except tarfile.TarError as error:
        raise InputError(f"{archive}: cannot be unpacked: {error}; {GET_ANOTHER}") from None
    except OSError as error:
        raise InputError(f"{archive}: cannot be unpacked: {error.strerror}") from None


def _copy(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = tar.extractfile(member) if member.isfile() else None
    if content is None:
        raise InputError(f"{archive}: {member.name} is not a plain file; {GET_ANOTHER}")
    with target.open("wb") as stream:
        shutil.copyfileobj(content, stream)
