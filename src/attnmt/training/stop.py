"""Being told to stop, by a scheduler or by Ctrl-C. What was trained is kept."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

# EX_TEMPFAIL of sysexits.h: what failed may succeed when it is started again.
START_AGAIN = 75
# A scheduler sends TERM before it kills, or USR1 as a warning; a terminal INT, or HUP when it closes.
SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP)


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
        """Whether one has come."""
        return bool(self.signal)


@contextmanager
def noted() -> Iterator[Stop]:
    """Have signals end nothing but be noted, for those who know when to stop."""
    stop = Stop()

    def note(number: int) -> None:
        stop.signal = signal.Signals(number).name

    with handled(note):
        yield stop


@contextmanager
def handled(
    handler: Callable[[int], object], signals: Iterable[signal.Signals] = SIGNALS
) -> Iterator[None]:
    """Have a function called with the number of each of these signals that comes and is not ignored."""
    heard = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, lambda number, _: handler(number)) for each in heard}
    try:
        yield
    finally:
        for each, former in before.items():
            signal.signal(each, former)
