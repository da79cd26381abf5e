"""What holds for a program before its libraries load: whose code it runs, and how it can end.

Its code is that of the project where it runs. Ctrl-C ends it at once, and too little memory with a
sentence. Nothing is written before :func:`attnmt.program.run_app`, which gives Ctrl-C back to
Python. The other signals end a program in this way by themselves.
"""

import getpass
import os
import signal
import sys
from pathlib import Path
from types import TracebackType

import attnmt
from attnmt.errors import InputError, escaped, not_allowed

SOURCE = Path(attnmt.__file__).parent  # of the code that runs
PROGRAM = Path(sys.argv[0])  # another program, such as a notebook, keeps its Ctrl-C


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


def _tell(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """Say what the system does not allow, or show the traceback of another error."""
    if (message := not_allowed(error)) is None:
        return sys.__excepthook__(kind, error, at)
    print(f"error: {escaped(message)}", file=sys.stderr, flush=True)
    os._exit(2)  # the status of an uncaught error would be 1


try:
    getpass.getuser()
# No account has this uid, as with docker run --user; libraries ask for one.
except (KeyError, OSError):
    os.environ["LOGNAME"] = f"uid{os.getuid()}"
OURS = PROGRAM.name == "attnmt" or PROGRAM.parent == SOURCE or PROGRAM.parent.name == "stages"
# Under nohup the signal is ignored and stays so.
if OURS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
if OURS:
    sys.excepthook = _tell
if PROGRAM.parent.name == "stages":
    _run_own_code(PROGRAM.resolve().parents[1] / "src")
