"""What an experiment would take: a made-up project, and numbers computed by hand."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import typer
import yaml
from demo_values import demo_values
from test_speed import FLOP, finish, write_text_size

from attnmt.commands.plan import plan
from attnmt.config import Params, load_params
from attnmt.errors import InputError
from attnmt.planning import speed
from attnmt.planning.estimate import Group, Plan, make_plan
from attnmt.planning.recorded import wall_time
from attnmt.planning.shown import plan_text
from attnmt.planning.space import Space, files_to_fetch
from attnmt.planning.speed import Speed, finished_speeds, paper_speed
from attnmt.workflow.graph import Stage

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:dvc")
ROOT = Path(__file__).parents[2]
NAMES = [
    *("corpus", "tokens", "encode@luong", "dictionary", "train@base", "train@german"),
    *("translate@base", "translate@german", "evaluate@base", "evaluate@german", "tables", "report"),
]
WEIGHTS = 4 * (3 * 100 * 10 + 2 * 40 * 20)  # two embeddings and W_s; two layers
EXPECTED = {"pairs": 1000, "words": {"en": 8000, "de": 9000}, "raw_bytes": 130_000}
DVC_YAML = """
vars: [models.yaml]
stages:
  corpus:
    cmd: mkdir -p data/demo/raw
    outs: [data/demo/raw]
    meta: {resources: {mem_mb: 100, runtime: 1}}
  train:
    foreach: ${models}
    do:
      cmd: cat ${key}
      outs: ["models/demo/${key}"]
      meta: {threads: "${machine.train_threads}", resources: {gpu: 1, mem_mb: 100, runtime: 1}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a project with two small models, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    write_params(tmp_path)
    return tmp_path


def write_params(folder: Path, **changes: Any) -> None:
    params = demo_values()
    luong = params["families"]["luong"]
    luong["shape"] |= {"layers": 1, "size": 10}
    luong["encoding"]["vocabulary"] = 100
    params["families"] = {"luong": luong}
    systems = {"base": {"family": "luong"}}
    systems["german"] = {"family": "luong", "direction": "backward", "epochs": 2}
    (folder / "systems.yaml").write_text(yaml.safe_dump({"systems": systems}), encoding="utf-8")
    (folder / "params.yaml").write_text(
        yaml.safe_dump(params | changes, sort_keys=False), encoding="utf-8"
    )


def download(expected: dict[str, Any] | None) -> dict[str, Any]:
    files = {
        name: {
            side: [{"url": f"https://example.org/{name}.{side}", "digest": "md5:" + 32 * digit}]
            for side, digit in (("en", "0"), ("de", "1"))
        }
        for name in ("train", "dev", "test1", "test2")
    }
    return {"kind": "download", "files": files} | ({"expected": expected} if expected else {})


def params() -> Params:
    return load_params(Path("params.yaml"))


def stages(*settled: str) -> list[Stage]:
    """Return the project's stages; those whose group or name is given are settled."""
    return [
        Stage(
            name=name,
            description="",
            command="",
            inputs=[],
            outputs=[],
            params={},
            threads=3 if name.startswith("train") else 1,
            resources={"mem_mb": 1} | ({"gpu": 1} if name.startswith("train") else {}),
            priority=0,
            **dict.fromkeys(
                ("done", "settled", "committed"),
                bool({name, name.partition("@")[0]} & set(settled)),
            ),
        )
        for name in NAMES
    ]


def row(made: Plan, what: str) -> Space:
    return next(row for row in made.disk if row.what == what)


def text_of(made: Plan, speeds: list[Speed], at_once: int = 1) -> str:
    return plan_text(made, speeds, paper_speed(), at_once)


def cells(text: str, start: str) -> list[str]:
    """Return the cells of the only line that starts with this text."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith(start)]
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_stages_are_grouped_as_in_dvc_yaml(project: Path) -> None:
    write_text_size(project)
    finish(project, "base", 500)
    groups = make_plan(params(), stages("corpus", "train@base")).groups
    assert [group.name for group in groups][:5] == [
        "corpus",
        "tokens",
        "encode",
        "dictionary",
        "train",
    ]
    assert groups[0] == Group("corpus", stages=1, to_run=0, threads=1, gpus=0)
    assert groups[4] == Group("train", stages=2, to_run=1, threads=3, gpus=1)


def test_the_hours_are_those_computed_by_hand(project: Path) -> None:
    write_text_size(project)
    finish(project, "old", 1000)
    base, german = make_plan(params(), stages()).trainings
    (speed_here,) = finished_speeds("demo")
    assert (base.target_words, german.target_words) == (4 * 10_000, 2 * 9_000)
    assert base.hours(speed_here) == pytest.approx(40 / 3600)
    assert german.flop == 6 * (800 + 800 + 1000)
    assert german.hours(speed_here) == pytest.approx(18_000 * german.flop / (1000 * FLOP) / 3600)


def test_wall_time_is_the_longest_training_or_an_even_share() -> None:
    assert wall_time([1, 2, 3], 1) == 6
    assert wall_time([1, 2, 3], 2) == 3
    assert wall_time([2, 2, 2], 2) == 3
    assert wall_time([1, 2, 4], 9) == 4


def test_the_disk_is_estimated_from_an_expected_text(project: Path) -> None:
    expected = EXPECTED | {"bytes": 5000}
    write_params(project, corpus=download(expected))
    made = make_plan(params(), stages(), at_once=2)
    assert made.disk == [
        Space("downloads", 0, 5000),
        Space("raw text", 0, 130_000),
        Space("tokens", 0, 17_000 * 6),
        Space("encoded text", 0, 17_000 * 10 + 1000 * 16),
        Space("models", 0, 2 * WEIGHTS),
        Space("checkpoints, 2 at a time", 0, 2 * 5 * WEIGHTS),
        Space("dictionary, translations, scores, reports", 0, None),
    ]
    one_at_a_time = make_plan(params(), stages(), at_once=1).disk
    assert Space("checkpoints, 1 at a time", 0, (2 * 2 + 3) * WEIGHTS) in one_at_a_time


def test_finished_outputs_count_with_the_disk_that_they_take(project: Path) -> None:
    write_text_size(project)
    finish(project, "base", 500)
    for path, size in (
        ("data/demo/raw/train.en", 70),
        ("models/demo/base/weights", 30),
        ("checkpoints/demo/base/f1/last", 40),
    ):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(b"x" * size)
    made = make_plan(params(), stages("corpus", "train@base"), at_once=2)
    base = sum(path.stat().st_size for path in (project / "models/demo/base").iterdir())
    assert row(made, "raw text") == Space("raw text", 70, 70)
    assert row(made, "tokens").most is None  # nothing says how long the grammar's text is
    assert row(made, "models") == Space("models", base, base + WEIGHTS)
    checkpoints = Space("checkpoints, 2 at a time", 40, 40 + 5 * WEIGHTS)
    assert row(made, checkpoints.what) == checkpoints


def test_files_are_fetched_unless_they_lie_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_params(project, corpus=download(None))
    there = project / "data/downloads/demo/train.en"
    there.parent.mkdir(parents=True)
    there.write_text("a house\n")
    names = [file.name for file in files_to_fetch(params(), set())]
    assert names == ["train.de", "dev.en", "dev.de", "test1.en", "test1.de", "test2.en", "test2.de"]
    assert files_to_fetch(params(), {"corpus"}) == []
    unknown = text_of(make_plan(params(), stages()), [])
    assert "Downloads: 7 files, size unknown: train.de, dev.en" in unknown
    monkeypatch.setenv("ATTNMT_MIRROR", "mirror")
    assert files_to_fetch(params(), set()) == []


def test_sizes_of_downloads_come_from_the_manifest(project: Path) -> None:
    corpus = download(None)
    files = [file for sides in corpus["files"].values() for side in sides.values() for file in side]
    for size, file in enumerate(files, start=1):
        file["bytes"] = size * 1_000_000
    files[1]["license"] = {"name": "own", "terms": "none", "url": "https://example.org"}
    write_params(project, corpus=corpus)
    made = make_plan(params(), stages())
    assert row(made, "downloads") == Space("downloads", 0, 36_000_000)
    text = text_of(made, [])
    assert "Downloads: 8 files, about 36.0 MB in all: train.en (1.0 MB), train.de" in text
    assert "train.de (2.0 MB, license own)" in text.replace("\n", " ")
    assert "attnmt fetch --experiment demo fetches them in advance." in text.replace("\n", " ")


def test_the_text_says_whose_speed_the_hours_are(project: Path) -> None:
    write_text_size(project)
    finish(project, "old", 0.5)
    text = text_of(make_plan(params(), stages("corpus")), finished_speeds("demo"), at_once=2)
    assert text.startswith("Experiment demo: 11 of 12 stages would run.\n")
    # 40,000 words at 0.5 a second are 22.2 h
    assert cells(text, "base") == ["base", "0.0 M", "0.0 M", "0.000", "22.2 h"]
    german = 18_000 * 2600 / 2440 / 0.5 / 3600
    expected = ["demo/old", "0", "0", f"{22.22 + german:.1f}", f"{22.22:.1f} h"]
    assert cells(text, "demo/old") == expected
    assert "K1, 1 thread\n" in text
    assert cells(text, "the paper's best system")[1:3] == ["1,000", "735"]
    assert "Tesla K40" in text
    assert max(map(len, text.splitlines())) <= 90


def test_an_expected_text_is_called_so(project: Path) -> None:
    expected = EXPECTED | {"bytes": 5_000_000_000}
    write_params(project, corpus=download(expected))
    text = text_of(make_plan(params(), stages()), [])
    assert "To be trained: 2. Words are estimated from corpus.expected" in text
    assert "Downloads: 8 files, about 5.0 GB in all: train.en, train.de" in text
    assert cells(text, "together") == ["together", "0 bytes", "over 5.0 GB"]


def test_without_a_measured_speed_it_gives_counts_and_says_what_to_do(project: Path) -> None:
    write_text_size(project)
    text = text_of(make_plan(params(), stages()), [])
    assert "no training is finished here. Add --measure." in " ".join(text.split())
    assert cells(text, "base")[-1] == "?"
    assert cells(text, "the paper's best system")[1] == "1,000"


def test_without_a_text_it_gives_only_parameters(project: Path) -> None:
    made = make_plan(params(), stages())
    text = text_of(made, [])
    assert "Hours are not known before the text is there" in text
    assert cells(text, "base") == ["base", "0.0 M", "?", "?", "?"]
    with pytest.raises(InputError, match="the lengths of the sentences of demo are not known"):
        made.measure(1)


def test_a_finished_training_is_done_whatever_its_speed(project: Path) -> None:
    write_text_size(project)
    for name in ("base", "german"):
        finish(project, name, 500)
    made = make_plan(params(), stages(*NAMES))
    assert made.to_train == []
    text = text_of(made, finished_speeds("demo"))
    assert "Experiment demo: 0 of 12 stages would run." in text
    assert "2 trainings are done, in 4.0 h. Nothing is to be trained." in text
    assert "Downloads: none." in text
    assert "Tesla K40" not in text


def test_the_model_whose_words_cost_most_is_measured(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text_size(project)
    monkeypatch.setattr(speed, "_batches_a_second", lambda train_one_batch, seconds: 1.0)
    measured = make_plan(params(), stages()).measure(torch.get_num_threads())
    assert (measured.training, measured.target_words) == (
        "german (measured now, without padding)",
        24 * 9,
    )  # pairs, words of a sentence


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = typer.Typer()
    app.command()(plan)
    monkeypatch.setattr(sys, "argv", ["plan", *arguments])
    app(standalone_mode=False)


def test_the_command_asks_dvc_what_is_done(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".dvc").mkdir()
    (project / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (project / "dvc.yaml").write_text(DVC_YAML)
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    (project / "stages").mkdir()
    (project / "stages/train.py").write_text("import os\n")
    before = sorted(project.rglob("*"))
    run("--gpus", "4", monkeypatch=monkeypatch)
    text = capsys.readouterr().out
    assert text.startswith("Experiment demo: 3 of 3 stages would run.\n")
    assert cells(text, "train") == ["train", "2", "2", "1", "1"]
    assert "checkpoints, 4 at a time" in text
    made = [path for path in sorted(project.rglob("*")) if path not in before]
    assert {path.relative_to(project).parts[0] for path in made} == {".dvc", "models.yaml"}
    (project / "code/demo").mkdir(parents=True)  # as after a run
    run(monkeypatch=monkeypatch)
    assert (project / "code/demo/train.json").exists()


def test_without_dvc_it_says_what_to_install(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "attnmt.workflow.graph")
    monkeypatch.setitem(sys.modules, "dvc.repo", None)
    with pytest.raises(InputError, match=r"dvc\.repo is not installed.*pip install.*workflow"):
        run(monkeypatch=monkeypatch)


def test_an_unknown_experiment_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no experiment 'wmt'"):
        run("--experiment", "wmt", monkeypatch=monkeypatch)
