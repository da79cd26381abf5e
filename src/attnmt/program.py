"""How a command or a stage ends: its exit status, and what it says of an error."""

import os
import signal
import sys
from typing import NoReturn

import typer

from attnmt.errors import InputError, escaped, not_allowed
from attnmt.training.stop import handled

ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)  # Ctrl-C has Python's own handler
ENDED_BY_SIGNAL = 128  # what a shell adds to a signal's number


def run_app(app: typer.Typer) -> None:
    """Run a command line. An InputError ends it with status 2 and only its message on standard error.

    A file or standard output that the system does not let it read or write ends it in the same way, and
    so does too little memory. A scheduler's signals end it as Ctrl-C does, and nothing is left
    half-written. During a training :mod:`attnmt.training.stop` handles them.
    """
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
