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
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4
    assert said[0].startswith("train:  25% 960/3840 [00:30<01:30, ")


def test_a_terminal_has_a_bar_and_no_lines(clock, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.Progress("train", 2, "pairs") as bar:
        bar._bar.start_t -= 9  # a bar is first drawn after a second
        clock.now += 3600
        bar.update()
    assert "train:  50%" in terminal.getvalue()
    assert "\n" not in terminal.getvalue().rstrip("\n")


PARTS = {
    "tokens": ["dev: 100% 3/3 ", "train: 100% 12/12 "],
    "encode luong": ["train.en, words to cut: ", "en, different ones to cut: ", "train.de, ids: "],
    "dictionary": ["part 1 of 2, aligning: ", "part 2 of 2, aligning: "],
}


@pytest.mark.parametrize(("stage", "parts"), PARTS.items())
def test_a_long_stage_names_its_parts(project: Project, monkeypatch, capfd, stage, parts):
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
    said = capfd.readouterr().err  # also that of the processes that align
    assert [part for part in parts if f"\n{part}" not in f"\n{said}"] == []
