"""Ends a run of Snakemake on Ctrl-C, SIGTERM or SIGHUP: its stages end, and trainings save first.

Snakemake itself would wait after SIGTERM until the trainings that run are done, perhaps for hours.
"""

import shlex
import signal
import sys
from contextlib import suppress
from threading import Timer
from types import FrameType

import psutil

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
came: list[int] = []


def heed() -> None:
    """Heed signals from now on; Snakemake sets a handler of its own when it starts."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)


def end() -> None:
    """If a signal came, say how to go on, and end with the status that a shell gives it."""
    if came:
        print(f"Stopped. To go on: {shlex.join(['snakemake', *sys.argv[1:]])}", file=sys.stderr)
        raise SystemExit(128 + came[0])


def _stop(number: int, _: FrameType | None) -> None:
    for each in SIGNALS:  # a second exception would break off what Snakemake does when it ends
        signal.signal(each, signal.SIG_IGN)
    came.append(number)
    Timer(1.0, _end_stages).start()  # Ctrl-C reaches the stages, too; perhaps one is just starting
    raise SystemExit(128 + number)


def _end_stages() -> None:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            process.terminate()
