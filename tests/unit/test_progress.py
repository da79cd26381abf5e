"""Long work says how far it is: by a bar on a terminal, and in a log by a line every half minute."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_project import Project, load_stage

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
    assert capsys.readouterr().err.splitlines() == [
        "train: 960 of 3,840 pairs (25%) in 0:00:30, about 0:01:30 left",
        "train: 1,920 of 3,840 pairs (50%) in 0:01:00, about 0:01:00 left",
        "train: 2,880 of 3,840 pairs (75%) in 0:01:30, about 0:00:30 left",
        "train: 3,840 of 3,840 pairs (100%) in 0:02:00, about 0:00:00 left",
    ]


def test_work_of_unknown_size_says_what_is_done(clock, capsys):
    with progress.Progress("reading", None, "lines") as read:
        clock.now += 29
        read.update(7)
        assert capsys.readouterr().err == ""
        clock.now += 3600
        read.update(1234)
    assert capsys.readouterr().err == "reading: 1,241 lines in 1:00:29\n"


def test_a_terminal_has_a_bar_and_no_lines(clock, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.Progress("train", 2, "pairs") as bar:
        bar._bar.start_t -= 9  # a bar is first drawn after a second
        clock.now += 3600
        bar.update()
    assert "train:  50%" in terminal.getvalue()
    assert "left" not in terminal.getvalue()


PARTS = {
    "tokens": ["dev: 3 of 3 pairs", "train: 12 of 12 pairs"],
    "encode luong": [
        "train.en, words to cut: 12 of 12 lines",
        "en, different ones to cut: 4 of 4 words",
        "train.en, words: 12 of 12 lines",
        "train.de, ids: 12 of 12 lines",
    ],
    "dictionary": [
        "part 1 of 2, aligning: 1 of ",
        "part 2 of 2, aligning: ",
    ],
}


@pytest.mark.parametrize(("stage", "parts"), PARTS.items())
def test_a_long_stage_names_its_parts(project: Project, monkeypatch, capsys, stage, parts):
    """Each stage as it writes to a log, if every line of it takes half a minute."""
    texts = {"en": "a dog\na cat\nthe dog\n", "de": "ein Hund\neine Katze\nder Hund\n"}
    for folder in (project.raw, project.tokens):
        folder.mkdir(parents=True)
        for code, text in texts.items():
            for name, times in {"train": 4, "dev": 1, "test": 1}.items():
                (folder / f"{name}.{code}").write_text(text * times)
    project.params["families"]["luong"]["encoding"]["pieces"] = {"merges": 9, "threshold": 1}
    project.params["dictionary"]["max_pairs"] = 6
    project.write_params()
    monkeypatch.chdir(project.folder)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    name, *family = stage.split()
    load_stage(name).main(Path("params.yaml"), *family)
    said = capsys.readouterr().err
    assert [part for part in parts if f"\n{part}" not in f"\n{said}"] == []
