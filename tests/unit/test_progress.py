"""Long work says how far it is: in a log by a line every half minute."""

from types import SimpleNamespace

import pytest

from attnmt.files import progress


class Clock:
    """A clock that a test turns."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: self.now))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_log_has_a_line_every_half_minute_with_the_time_that_is_left(clock, capsys):
    for pair in progress.progress(range(3840), "train", 3840, "pairs"):
        assert pair < 3840
        clock.now += 0.03125  # so the 960th pair ends the first half minute
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4
    assert said[0].startswith("train:  25% 960/3840 [00:30<01:30, ")
