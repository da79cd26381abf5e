"""A project runs its own code, and not that of the folder from which it was copied."""

import os
import sys
from pathlib import Path

import attnmt
from attnmt.errors import InputError

SOURCE = Path(attnmt.__file__).parent


def refuse_other_code() -> None:
    """Refuse to work in a project with the environment of another.

    A copied ``.venv`` still runs the code of the folder where it was made.

    Raises:
        InputError: naming both.
    """
    own = Path("src/attnmt")
    if _is_other(own):
        raise InputError(
            f"{own}: the code that runs is that of {SOURCE}, because .venv was made there; type make "
            f"setup here, then . .venv/bin/activate"
        )


def run_own_code(stage: Path) -> None:
    """Start a stage again with the code beside it, unless that runs already.

    ``dvc exp run --temp`` and ``--queue`` run an experiment in a copy of the project, with the
    environment of the first.
    """
    own = stage.resolve().parents[1] / "src"
    if _is_other(own / "attnmt"):
        path = os.pathsep.join(filter(None, [str(own), os.environ.get("PYTHONPATH")]))
        arguments = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, arguments, {**os.environ, "PYTHONPATH": path})


def _is_other(own: Path) -> bool:
    return (own / "__init__.py").exists() and not own.samefile(SOURCE)
