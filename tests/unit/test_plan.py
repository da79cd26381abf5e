"""``attnmt plan``: what would run, for how long, and what is downloaded, in a made-up project."""

import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from test_times import enter_project, finish, write_params, write_text_size

from attnmt.commands.plan import plan
from attnmt.workflow import graph
from attnmt.workflow.graph import Stage

NAMES = [
    *("corpus", "tokens", "encode@luong", "dictionary", "train@base", "train@german"),
    *("translate@base", "translate@german", "evaluate@base", "evaluate@german", "gather", "report"),
]
DVC_YAML = """
vars: [trainings.yaml]
stages:
  train:
    foreach: ${trainings}
    do:
      cmd: cat ${key}
      outs: ["models/demo/${key}"]
      meta: {threads: "${machine.train_threads}", resources: {gpu: 1}}
"""
EXPECTED = {"pairs": 1000, "words": {"en": 8000, "de": 9000}}


def download(**more: Any) -> dict[str, Any]:
    def sides(name: str) -> dict[str, Any]:
        file = {"url": f"https://example.org/{name}", "digest": "md5:" + 32 * "0", **more}
        return {side: [file | {"url": f"{file['url']}.{side}"}] for side in ("en", "de")}

    files = {name: sides(name) for name in ("train", "dev", "test1", "test2")}
    return {"kind": "download", "files": files, "expected": EXPECTED}


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> str:
    app = typer.Typer()
    app.command()(plan)
    monkeypatch.setattr(sys, "argv", ["plan", *arguments])
    app(standalone_mode=False)
    out: str = capsys.readouterr().out
    return out


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a project with two small models, which is the working folder."""
    return enter_project(tmp_path, monkeypatch)


@pytest.fixture
def said(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """Return a function that plans with some groups or names of stages settled."""

    def say(*settled: str, arguments: tuple[str, ...] = ()) -> str:
        def stage(name: str) -> Stage:
            training = name.startswith("train")
            resources = {"mem_mb": 1} | ({"gpu": 1} if training else {})
            is_done = bool({name, name.partition("@")[0]} & set(settled))
            threads = 3 if training else 1
            why = () if is_done or name == "report" else ("params.seeds",)
            values = {key: list[str]() for key in ("inputs", "deps", "outputs", "before")}
            values |= {"name": name, "command": "", "description": "", "threads": threads}
            return Stage(**values, resources=resources, priority=0, done=is_done, why=why)

        monkeypatch.setattr(graph, "compare_stages", lambda _: [stage(name) for name in NAMES])
        return run(*arguments, monkeypatch=monkeypatch, capsys=capsys)

    return say


def cells(text: str, start: str) -> list[str]:
    """Return the cells of the only line that starts with this text."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith(f"{start} ")]
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_it_says_what_would_run_how_long_it_takes_and_what_is_downloaded(project, said):
    write_text_size(project)
    finish(project, "base", speed=0.5)
    text = said("corpus")
    assert "11 of 12" in text
    assert cells(text, "corpus") == ["corpus", "1", "0"]
    assert cells(text, "train") == ["train", "2", "2", "params.seeds"]
    assert cells(text, "report") == ["report", "1", "1"]  # as earlier ones do
    assert cells(text, "base") == ["base", "0.0 M", "0.0 M", "22.2 h"]  # 40,000 words
    assert " 32.2 h" in text
    assert "Downloads: none." in text
    assert " 10.0 h, " in said("corpus", "train@base")  # what is done is not in the time
    assert "0 of 12" in said(*NAMES)


def test_without_a_text_no_time_is_known(project, said):
    assert cells(said(), "base") == ["base", "0.0 M", "not known", "not known"]
    write_text_size(project)
    assert "rough" in said()


def test_an_expected_text_is_called_so_and_downloads_have_a_size(project, said, monkeypatch):
    write_params(project, corpus=download(bytes=1_000_000))
    there = project / "data/downloads/demo/train.en"
    there.parent.mkdir(parents=True)
    there.write_text("a house\n")
    assert "corpus.expected" in said()
    assert "Downloads: 7 files, 7.0 MB." in said()
    assert "Downloads: none." in said("corpus")
    write_params(project, corpus=download())
    assert "Downloads: 7 files." in said()
    monkeypatch.setenv("ATTNMT_MIRROR", "mirror")
    assert "Downloads: none." in said()


def test_the_command_asks_dvc_what_is_done(project, monkeypatch, capsys):
    (project / ".dvc").mkdir()
    (project / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (project / "dvc.yaml").write_text(DVC_YAML)
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    text = run(monkeypatch=monkeypatch, capsys=capsys)
    assert "2 of 2" in text
    assert cells(text, "train") == ["train", "2", "2", "no record"]
