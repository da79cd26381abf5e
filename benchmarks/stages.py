"""A stage of a checkout of this project as a command, in a folder with parameters."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def start(
    folder: Path, stage: str, *key: str, code: Path = ROOT, **options: Any
) -> "subprocess.Popen[bytes]":
    """Start a stage that reads ``params.yaml`` in a folder, with the code of a checkout."""
    path = os.pathsep.join(filter(None, [str(code / "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(code / f"stages/{stage}.py"), "params.yaml", *key]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, **options)
