"""What holds for a program before its libraries load: whose code it runs, and as whom.

Its code is that of the project where it runs.
"""

import getpass
import os
import sys
from pathlib import Path

import attnmt
from attnmt.errors import InputError

SOURCE = Path(attnmt.__file__).parent  # of the code that runs


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


def _is_other(own: Path) -> bool:
    return (own / "__init__.py").exists() and not own.samefile(SOURCE)


def _run_own_code(source: Path) -> None:
    """Start a stage again with the code beside it, unless that runs already.

    ``dvc exp run --temp`` and ``--queue`` run an experiment in a copy of the project, with the
    environment of the first.
    """
    if _is_other(source / "attnmt"):
        path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
        arguments = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, arguments, {**os.environ, "PYTHONPATH": path})


try:
    getpass.getuser()
# No account has this uid, as with docker run --user; libraries ask for one.
except (KeyError, OSError):
    os.environ["LOGNAME"] = f"uid{os.getuid()}"
if (folder := Path(sys.argv[0]).resolve().parent).name == "stages":
    _run_own_code(folder.parent / "src")
