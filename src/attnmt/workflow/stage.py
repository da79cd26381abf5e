"""How a file in ``stages/`` becomes a command."""

import inspect
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import typer

from attnmt.config import Params, load_params
from attnmt.errors import InputError, escaped, lacks_memory, memory_message
from attnmt.files.atomic import FULL
from attnmt.files.text_file import json_text, read_json, update_text
from attnmt.layout import Layout
from attnmt.training.stop import handled
from attnmt.workflow.code import SCRIPT, files_of_run
from attnmt.workflow.record import DVC_STAGE, ORDER, Order, read_order, recorded

ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)  # Ctrl-C has Python's own handler
ENDED_BY_SIGNAL = 128  # what a shell adds to a signal's number


def run_stage(main: Callable[..., Any], description: str | None) -> None:
    """Run ``main`` with arguments from the command line; ``description``, its docstring, is the help.

    A record says afterwards what the outputs were made of (:mod:`attnmt.workflow.record`). An
    InputError ends the process as :func:`run_app` says.
    """
    script = Path(inspect.getfile(main)).resolve()

    @wraps(main)
    def run(params_file: Path, **others: Any) -> None:
        params = load_params(params_file)
        experiment = params.experiment
        arguments = [str(params_file), *map(str, others.values())]
        command = " ".join(["python", f"stages/{script.name}", *arguments])
        order = None
        if script.stem != SCRIPT:  # which runs whenever an engine looks
            _check_code(script, params, *others.values())
            order = _order(experiment, command)
        record = recorded(order, Layout(experiment).record(order.name)) if order else None
        with record or nullcontext():
            main(params_file, **others)

    logging.basicConfig(format="%(message)s")
    for name in ("attnmt", "__main__"):  # other libraries' warnings are enough
        logging.getLogger(name).setLevel(logging.INFO)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(help=description)(run)
    run_app(app)


def _check_code(script: Path, params: Params, key: str | None = None) -> None:
    """Check that the files of digests describe the code that runs.

    If a person started the stage, they are brought up to date instead.
    """
    for path, code in files_of_run(params, script, key).items():
        file = Layout(params.experiment).code / path
        if not {ORDER, DVC_STAGE} & os.environ.keys():
            update_text(file, json_text(code))
            continue
        seen = read_json(file)
        if changed := [name for name in {**seen, **code} if seen.get(name) != code.get(name)]:
            write = f"python stages/{SCRIPT}.py {params.params_file}"
            raise InputError(
                f"{file}: {', '.join(sorted(changed))} changed after DVC or Snakemake had read them; "
                f"run {write}, and start it again"
            )


def _order(experiment: str, command: str) -> Order | None:
    """Return what a command is to make and of what: Snakemake's order, or dvc.yaml's definition.

    Without DVC, or without such a stage in dvc.yaml, no engine here asks for a record.
    """
    if ORDER in os.environ:
        return read_order(Path(os.environ[ORDER]), command)
    try:
        from attnmt.workflow.graph import read_stages  # here, because DVC takes a second to load

        stages = read_stages(experiment)
    except (ImportError, InputError, OSError):
        return None
    return next((stage for stage in stages if command == stage.command), None)


def run_app(app: typer.Typer) -> None:
    """Run a command line. An InputError ends it with status 2 and only its message on standard error.

    A file or standard output that the system does not let it read or write ends it in the same way, and
    so does too little memory. A scheduler's signals end it as Ctrl-C does, and nothing is left
    half-written. During a training :mod:`attnmt.training.stop` handles them.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # as first_import.py set it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with handled(lambda number: sys.exit(ENDED_BY_SIGNAL + number), ENDS):
        try:
            try:
                app()
            finally:
                sys.stdout.flush()  # while its errors can still be reported
        except InputError as error:
            _fail(str(error))
        except BrokenPipeError:  # the reader has ended
            _close_output()
            sys.exit(1)
        except SystemExit as ended:
            if isinstance(ended.code, int) and ended.code > ENDED_BY_SIGNAL:
                os._exit(ended.code)  # Python would wait for threads that still search
            raise
        except Exception as error:
            if (message := _not_allowed(error)) is None:
                raise
            _close_output()
            _fail(message)


def _not_allowed(error: Exception) -> str | None:
    """Say what the system does not allow; return None if an error is about something else."""
    if lacks_memory(error):
        return memory_message(error)
    # atomic.py reports a full disk under a file that is being written.
    if not isinstance(error, OSError) or (error.filename is None and error.errno not in FULL):
        return None
    place, cure = error.filename or "standard output", "make sure that you may read and write it"
    if isinstance(error, FileNotFoundError) and os.sep not in str(place):
        cure = f"if {place} is a program, install it"
    return f"{place}: {error.strerror}; {cure}"


def _fail(message: str) -> NoReturn:
    print(f"error: {escaped(message)}", file=sys.stderr)
    sys.exit(2)


def _close_output() -> None:
    """Drop what standard output does not take; Python would try to write it again at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
