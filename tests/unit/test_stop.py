"""Signals."""

import os
import signal
import time

import pytest

from attnmt.training.stop import SIGNALS, Stop, noted


def wait_for(stop: Stop) -> None:
    end = time.monotonic() + 10
    while not stop.asked and time.monotonic() < end:
        time.sleep(0.001)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted_and_ends_nothing(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with noted() as stop:
        assert not stop.asked
        os.kill(os.getpid(), number)
        wait_for(stop)
        assert stop.signal == number.name
    assert signal.getsignal(number) == before
