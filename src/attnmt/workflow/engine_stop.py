"""How Snakemake ends when it is told to: by Ctrl-C, by a signal, or because the terminal closes.

Snakemake itself would wait after SIGTERM until the trainings that run are done, perhaps for hours. After
Ctrl-C it would end with the words of a fault.
"""

import os
import shlex
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType

import psutil

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Ctrl-C reaches the stages, too. They get this many seconds before they are told a second time.
PATIENCE = 1.0


class EngineStop:
    """Ends a run of Snakemake so that nothing is lost, and says how to go on."""

    def __init__(self, experiment: str) -> None:
        """Heed signals from now on."""
        self.experiment = experiment
        self.signal = 0  # the first that came
        self._runs = False  # whether stages may be running
        self._heed()

    def run_begins(self) -> None:
        """Heed signals when stages begin to run; Snakemake has just set a handler of its own."""
        self._runs = True
        self._heed()

    def end(self) -> None:
        """If a signal has come, say how to go on, and end with the status that a shell gives it."""
        if self.signal:
            command = shlex.join(["snakemake", *sys.argv[1:]])
            again = "the same make command" if "MAKELEVEL" in os.environ else command
            self._say(
                f"it was stopped. Nothing is lost: what is done stays, and trainings go on from their "
                f"checkpoints. To go on, type {again} again."
            )
            # Python drops handlers before it ends, and then a signal would change the status.
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            raise SystemExit(128 + self.signal)

    def _heed(self) -> None:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                signal.signal(number, self._stop)

    def _stop(self, number: int, _: FrameType | None) -> None:
        name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        if self.signal:  # a second exception would break off what Snakemake does when it ends
            self._say(f"{name}: it is stopping already.")
            return
        self.signal = number
        if self._runs:
            self._say(f"{name}: stopping. The stages that run end now; trainings save first.")
            timer = threading.Timer(PATIENCE, _end_stages)
            timer.daemon = True
            timer.start()
        else:
            self._say(f"{name}: stopped before any stage began.")
        raise SystemExit(128 + number)

    def _say(self, text: str) -> None:
        # Not print, which may be at work when the signal comes.
        os.write(sys.stderr.fileno(), f"{self.experiment}: {text}\n".encode())


def _end_stages() -> None:
    """Tell all processes below this one to end."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            process.terminate()
