"""Long work says how far it is: by a bar on a terminal, and in a log every half minute."""

import io
import sys

import pytest

from attnmt.files.progress import progress


@pytest.mark.parametrize(("terminal", "seconds"), [(True, 9), (False, 40)])
def test_long_work_says_how_far_it_is(monkeypatch, terminal, seconds):
    shown = io.StringIO()
    shown.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", shown)
    with progress(None, "train", 2, "pairs") as bar:
        bar.update()
        assert not shown.getvalue()
        bar.start_t -= seconds
        bar.last_print_t -= seconds
        bar.update()
        assert "train: 100%" in shown.getvalue()
        assert "\n" not in shown.getvalue()
