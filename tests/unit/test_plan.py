"""``attnmt plan``: what would run, for how long, and what is downloaded, in a made-up project."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from test_times import (
    FLOP,
    enter_project,
    finish,
    remember,
    save_checkpoint,
    write_params,
    write_text_size,
)

from attnmt.commands import plan as command
from attnmt.commands.plan import plan
from attnmt.config import load_params
from attnmt.config.corpus import Expected
from attnmt.errors import InputError
from attnmt.planning.text_size import TextSize
from attnmt.workflow import graph
from attnmt.workflow.graph import Stage

NAMES = [
    *("corpus", "tokens", "encode@luong", "dictionary", "train@base", "train@german"),
    *("translate@base", "translate@german", "evaluate@base", "evaluate@german", "gather", "report"),
]
DVC_YAML = """
vars: [models.yaml]
stages:
  train:
    foreach: ${models}
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
    assert max(map(len, out.splitlines())) <= command.WIDTH
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
            return Stage(name, "", {}, [], [], "", threads, resources, 0, done=is_done)

        monkeypatch.setattr(graph, "compare_stages", lambda _: [stage(name) for name in NAMES])
        return run(*arguments, monkeypatch=monkeypatch, capsys=capsys)

    return say


def cells(text: str, start: str) -> list[str]:
    """Return the cells of the only line that starts with this text."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith(f"{start} ")]
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def flowing(text: str) -> str:
    return " ".join(text.split())


def test_it_says_what_would_run_and_at_whose_speed(project, said):
    write_text_size(project)
    remember(project, flop=FLOP / 2)
    text = said("corpus", arguments=("--gpus", "2"))
    assert text.startswith("Experiment demo: 11 of 12 stages would run.\n")
    assert cells(text, "corpus") == ["corpus", "1", "0", "1", "-"]
    assert cells(text, "train") == ["train", "2", "2", "3", "1"]
    # 42,000 words, with those of the evaluations, at 0.5 a second are 23.3 h
    assert cells(text, "base") == ["base", "0.0 M", "0.0 M", "23.3 h"]
    german = 18_900 * 2600 / 2440 / 0.5 / 3600
    assert f"{23.33 + german:.1f} h, or 23.3 h with 2 at a time" in flowing(text)
    assert "at the speed of base (measured) on K2" in flowing(text)
    assert "Downloads: none." in text
    base, both = re.findall(r"(?:checkpoint takes|trainings up to) ([\d.]+) kB", flowing(text))
    assert 4 * float(base) < float(both) <= 8 * float(base)  # two trainings of four files each


def test_only_what_is_left_is_estimated(project, said):
    write_text_size(project)
    remember(project, flop=FLOP / 2)
    finish(project, "base")
    text = said("corpus", "train@base")
    assert "Trainings that are done: 1, in 2.0 h." in text
    german = 18_900 * 2600 / 2440 / 0.5 / 3600
    assert f"The trainings take about {german:.1f} h, at the speed of" in flowing(text)
    finish(project, "german")
    text = said(*NAMES)
    assert "GPUs" not in text
    assert "Experiment demo: 0 of 12 stages would run." in text
    assert "Trainings that are done: 2, in 4.0 h.\nNothing is to be trained." in text


def test_what_a_checkpoint_saves_is_said(project, said):
    write_text_size(project)
    remember(project)
    assert "checkpoint," not in said("corpus")
    save_checkpoint(project / "checkpoints/demo/base/f", 42)
    assert "come on top. These times are from the start. 1 of them can go on" in flowing(
        said("corpus")
    )


def test_without_a_speed_or_a_text_it_says_what_to_do(project, said):
    text = said()
    assert cells(text, "base") == ["base", "0.0 M", "?", "?"]
    assert "run the encode stages" in text
    write_text_size(project)
    text = said()
    assert cells(text, "base") == ["base", "0.0 M", "0.0 M", "?"]
    assert "Add --measure" in text


def test_an_expected_text_is_called_so_and_downloads_have_a_size(project, said, monkeypatch):
    write_params(project, corpus=download(bytes=1_000_000))
    there = project / "data/downloads/demo/train.en"
    there.parent.mkdir(parents=True)
    there.write_text("a house\n")
    assert "Words are estimated from corpus.expected" in said()
    assert "Downloads: 7 files, 7.0 MB." in said()
    assert "Downloads: none." in said("corpus")
    write_params(project, corpus=download())
    assert "Downloads: 7 files." in said()
    monkeypatch.setenv("ATTNMT_MIRROR", "mirror")
    assert "Downloads: none." in said()


def test_the_languages_of_an_expected_text_may_stand_in_any_order(project):
    params = load_params(project / "params.yaml", project)
    words = {code: 1000 * at for at, code in enumerate(params.languages.codes, start=1)}
    turned = dict(reversed([*words.items()]))
    encoding, base = params.families["luong"].encoding, params.model("base").system
    for order in (words, turned):
        expected = Expected(pairs=100, words=order)
        size = TextSize.expected(expected, encoding, params.languages)
        assert size.lengths(base) == (10.0, 21.0)


def test_the_command_asks_dvc_what_is_done(project, monkeypatch, capsys):
    (project / ".dvc").mkdir()
    (project / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (project / "dvc.yaml").write_text(DVC_YAML)
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    text = run("--gpus", "4", monkeypatch=monkeypatch, capsys=capsys)
    assert text.startswith("Experiment demo: 2 of 2 stages would run.\n")
    assert cells(text, "train") == ["train", "2", "2", "1", "1"]


def test_without_dvc_it_says_what_to_install(project, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "attnmt.workflow.graph")
    monkeypatch.setitem(sys.modules, "dvc.repo", None)
    with pytest.raises(InputError, match=r"dvc\.repo is not installed.*pip install.*workflow"):
        run(monkeypatch=monkeypatch, capsys=capsys)
