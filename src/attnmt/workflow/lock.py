"""What dvc.lock says, and the digests that it has, without DVC, which takes seconds to load."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.files.yaml_file import yaml_faults

NOT_CONTENT = (".snakemake_timestamp", "*.partial")  # not counted, as in .dvcignore
# The file that may be missing, although the stages that made it and read it are done. A stage reads it
# only if it names it, and not just its folder.
WEIGHTS = "weights.safetensors"


def read_lock(experiment: str, root: Path = Path()) -> dict[str, Any]:
    """Return the stages of an experiment's dvc.lock.

    Raises:
        InputError: if nothing of the experiment is committed, or the file is damaged.
    """
    file = root / ("dvc.lock" if experiment == DEMO else f"experiments/{experiment}/dvc.lock")
    if not file.exists():
        raise InputError(
            f"{file}: no such file, so the experiment is not committed; when it has run, type attnmt "
            f"commit{'' if experiment == DEMO else f' --experiment {experiment}'}"
        )
    with yaml_faults(file):
        content = YAML(typ="safe").load(file)
    stages = content.get("stages") if isinstance(content, dict) else None
    if not isinstance(stages, dict):
        raise InputError(f"{file}: has no stages; restore it with git, or commit again")
    return stages


def locked_outputs(stages: dict[str, Any]) -> dict[str, str]:
    """Return the digests that dvc.lock has of outputs, by path."""
    return {out["path"]: out["md5"] for stage in stages.values() for out in stage.get("outs", [])}


def dvc_digest(path: Path) -> str | None:
    """Return the digest of a file or a folder as DVC computes it; None if it does not exist."""
    if path.is_file():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, _md5).hexdigest()
    if not path.is_dir():
        return None
    return _of_folder({name: str(dvc_digest(file)) for name, file in content_files(path).items()})


def content_files(folder: Path) -> dict[str, Path]:
    """Return the files in a folder that are part of its digest, by their paths in it."""
    files = (file for file in folder.rglob("*") if file.is_file())
    counted = (file for file in files if not any(map(file.match, NOT_CONTENT)))
    return {file.relative_to(folder).as_posix(): file for file in counted}


def digest_of_files(contents: Mapping[str, bytes]) -> str:
    """Return the digest that DVC gives a folder with these files; the keys are paths in it."""
    return _of_folder({path: digest_of_bytes(content) for path, content in contents.items()})


def _of_folder(digests: Mapping[str, str]) -> str:
    entries = [{"md5": digest, "relpath": path} for path, digest in sorted(digests.items())]
    return digest_of_bytes(json.dumps(entries, sort_keys=True).encode()) + ".dir"


def digest_of_bytes(content: bytes) -> str:
    """Return the digest that DVC gives a file with this content."""
    return _md5(content).hexdigest()


def _md5(content: bytes = b"") -> "hashlib._Hash":
    return hashlib.md5(content, usedforsecurity=False)
