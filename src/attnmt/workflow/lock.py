"""The digests that dvc.lock has, without DVC, which takes seconds to load."""

import hashlib
import json
from pathlib import Path

NOT_CONTENT = (".snakemake_timestamp", "*.partial")  # not counted, as in .dvcignore


def dvc_digest(path: Path) -> str | None:
    """Return the digest of a file or a folder as DVC computes it; None if it does not exist."""
    if path.is_file():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, _md5).hexdigest()
    if not path.is_dir():
        return None
    files = (file for file in path.rglob("*") if file.is_file())
    digests = {
        file.relative_to(path).as_posix(): dvc_digest(file)
        for file in files
        if not any(map(file.match, NOT_CONTENT))
    }
    entries = [{"md5": digest, "relpath": name} for name, digest in sorted(digests.items())]
    return _md5(json.dumps(entries, sort_keys=True).encode()).hexdigest() + ".dir"


def _md5(content: bytes = b"") -> "hashlib._Hash":
    return hashlib.md5(content, usedforsecurity=False)
