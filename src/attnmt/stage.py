"""How a file in ``stages/`` becomes a command."""

import logging
import signal
import sys
from collections.abc import Callable
from typing import Any

import typer

from attnmt.errors import InputError
from attnmt.training.stop import handled

ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)  # Ctrl-C has Python's own handler


def run_stage(main: Callable[..., Any], description: str | None) -> None:
    """Run ``main`` with arguments from the command line, its help being the stage's docstring.

    An InputError ends the process as :func:`run_app` says.
    """
    logging.basicConfig(format="%(message)s")
    for ours in ("attnmt", "__main__"):  # other libraries' warnings are enough
        logging.getLogger(ours).setLevel(logging.INFO)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(help=description)(main)
    run_app(app)


def run_app(app: typer.Typer) -> None:
    """Run a command line. An InputError ends it: status 2, the message alone on standard error.

    A scheduler's signals end it as Ctrl-C does, nothing left half-written; while it trains they are
    :mod:`attnmt.training.stop`'s.
    """
    with handled(lambda number: sys.exit(128 + number), ENDS):
        try:
            app()
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(2)
