"""Signals that ask a training to stop."""

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
def test_a_signal_is_noted_and_ends_nothing(number):
    inherited = signal.signal(number, signal.SIG_DFL)  # nohup makes a process ignore some signals
    with noted() as stop:
        assert not stop.asked
        os.kill(os.getpid(), number)
        wait_for(stop)
        assert stop.signal == number.name
    assert signal.signal(number, inherited) == signal.SIG_DFL
