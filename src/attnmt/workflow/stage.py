"""How a file in ``stages/`` becomes a command."""

import inspect
import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import typer

from attnmt.config import load_params
from attnmt.errors import InputError, escaped, not_allowed
from attnmt.files.text_file import json_text, update_text
from attnmt.layout import Layout
from attnmt.training.stop import handled
from attnmt.workflow.dependencies import STAGE, dependencies, dependencies_file
from attnmt.workflow.record import Task, read_plan, recorded

ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)  # Ctrl-C has Python's own handler
PLANNED = "ATTNMT_PLANNED"  # set by the Snakefile: the stage runs as a part of its plan
ENDED_BY_SIGNAL = 128  # what a shell adds to a signal's number


def run_stage(main: Callable[..., Any], description: str | None) -> None:
    """Run ``main`` with arguments from the command line; ``description``, its docstring, is the help.

    A record says afterwards what the outputs were made of (:mod:`attnmt.workflow.record`). An
    InputError ends the process as :func:`run_app` says.
    """
    script = Path(inspect.getfile(main)).name

    @wraps(main)
    def run(params_file: Path, **others: Any) -> None:
        params = load_params(params_file)
        arguments = [str(params_file), *map(str, others.values())]
        task = _task(params.experiment, " ".join(["python", f"stages/{script}", *arguments]))
        if task is None or task.name == STAGE:
            main(params_file, **others)
            return
        # Perhaps they have changed since the engine read them. The record is of what runs now.
        now = dependencies(params, task.name)
        update_text(dependencies_file(params.experiment, task.name), json_text(now))
        with recorded(task, Layout(params.experiment).record(task.name), now):
            main(params_file, **others)

    logging.basicConfig(format="%(message)s")
    for name in ("attnmt", "__main__"):  # other libraries' warnings are enough
        logging.getLogger(name).setLevel(logging.INFO)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(help=description)(run)
    run_app(app)


def _task(experiment: str, command: str) -> Task | None:
    """Return the stage of a command, as Snakemake planned it or as dvc.yaml declares it.

    Without DVC, or without such a stage in dvc.yaml, no engine here asks for a record.
    """
    if PLANNED in os.environ:
        return read_plan(Layout(experiment).plan, command)
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
    received: list[int] = []

    def end(number: int) -> NoReturn:
        received.append(number)
        sys.exit(ENDED_BY_SIGNAL + number)

    with handled(end, ENDS):
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
            _close_output()
            if received:  # while Python 3.11 parses code, it makes a SystemError of any exception
                os._exit(ENDED_BY_SIGNAL + received[0])
            if (message := not_allowed(error)) is None:
                raise
            _fail(message)


def _fail(message: str) -> NoReturn:
    print(f"error: {escaped(message)}", file=sys.stderr)
    sys.exit(2)


def _close_output() -> None:
    """Drop what standard output does not take. Python would try to write it again at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
