"""Archives in memory."""

import io
import tarfile
from collections.abc import Mapping
from typing import Any


def tar(
    contents: Mapping[str, bytes],
    mode: str = "w:gz",
    form: int = tarfile.DEFAULT_FORMAT,
    **last: Any,
) -> bytes:
    """Return an archive; ``last`` changes what its last member is."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode, format=form) as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if name == [*contents][-1]:
                for key, value in last.items():
                    setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()
