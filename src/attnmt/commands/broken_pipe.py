"""How a command writes its output, and how it ends when nobody reads it."""

import io
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

Arguments = ParamSpec("Arguments")
# The status that a shell shows for a program that SIGPIPE has ended. cat and grep end with it, too.
NO_READER = 128 + signal.SIGPIPE


def ends_with_its_reader(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Return the command, made to end silently with ``NO_READER`` if the reader of its output ends."""

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python would try again to write what is left.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(NO_READER) from None

    return run


def check_output() -> None:
    """Have standard output take every character: UTF-8, or ``?`` where a terminal has another encoding.

    The process ends with status 2 if the shell has closed standard output or standard error.
    """
    if sys.stderr is None:
        sys.exit(2)
    if sys.stdout is None:
        print("error: standard output is closed; leave out >&-", file=sys.stderr)
        sys.exit(2)
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8")
