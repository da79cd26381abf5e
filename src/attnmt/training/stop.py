"""How a training is told to stop, by a scheduler or by Ctrl-C. What was trained is kept."""

import logging
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it loads torch, and every command loads this module
    from attnmt.training.state import TrainingState

# EX_TEMPFAIL of sysexits.h: what failed may succeed when it is started again.
START_AGAIN = 75
# A scheduler sends TERM before it kills, or USR1 as a warning. A terminal sends INT for Ctrl-C, and HUP
# when it closes.
SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP)

log = logging.getLogger(__name__)


class TrainingStopped(SystemExit):
    """A training has saved its state and ends the process with the status ``START_AGAIN``."""

    def __init__(self) -> None:
        super().__init__(START_AGAIN)


class Stop:
    """Whether a signal has come, and which."""

    def __init__(self) -> None:
        self.signal = ""

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return bool(self.signal)

    @contextmanager
    def reported(self, progress: "TrainingState") -> Iterator[None]:
        """If the training stops, say after which batch, and how it goes on."""
        try:
            yield
        except TrainingStopped:
            log.warning(
                "stopped%s after batch %d, which the checkpoint holds: start the same training again to "
                "go on (exit status %d)",
                f" by {self.signal}" if self.signal else "",
                progress.step,
                START_AGAIN,
            )
            raise


@contextmanager
def noted() -> Iterator[Stop]:
    """Note signals instead of ending at once, so that the caller can stop where nothing is lost."""
    stop = Stop()

    def note(number: int) -> None:
        stop.signal = signal.Signals(number).name

    with handled(note):
        yield stop


@contextmanager
def handled(
    handler: Callable[[int], object], signals: Iterable[signal.Signals] = SIGNALS
) -> Iterator[None]:
    """Call ``handler`` with the number of each of ``signals`` that comes and was not ignored before."""
    heeded = [known for known in signals if signal.getsignal(known) is not signal.SIG_IGN]
    before = {known: signal.signal(known, lambda number, _: handler(number)) for known in heeded}
    try:
        yield
    finally:
        for known, former in before.items():
            signal.signal(known, former)
