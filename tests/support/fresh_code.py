"""Copies of the code, and code that has changed since it was read."""

import shutil
from pathlib import Path

from attnmt.workflow import dependencies

ROOT = Path(__file__).parents[2]


def copied_code(folder: Path) -> Path:
    """Copy what decides the dependencies of the demo's stages into a folder, and return the folder."""
    for name in ("src", "stages"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dvc.yaml", "params.yaml", "systems.yaml", "claims.yaml"):
        shutil.copy(ROOT / name, folder)
    return folder


def fresh_code() -> None:
    """Forget what was found in the files of the package, so that every file is read again."""
    for cached in vars(dependencies).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
