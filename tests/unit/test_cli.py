"""The command attnmt, called as a person calls it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from demo_values import demo_values

from attnmt.commands import track
from attnmt.tracking import importing

ROOT = Path(__file__).parents[2]


def test_track_reads_the_parameters_of_an_experiment(attnmt, monkeypatch):
    file = "experiments/other/params.yaml"
    params = demo_values()
    params["experiment"] = "other"
    shutil.copy(ROOT / "systems.yaml", "systems.yaml")
    Path(file).parent.mkdir(parents=True)
    Path(file).write_text(yaml.safe_dump(params), encoding="utf-8")
    monkeypatch.setattr(track, "connect", lambda: None)
    monkeypatch.setattr(track, "runs_address", lambda client, *of: f"page/{of}")
    monkeypatch.setattr(
        importing, "import_missing", lambda params: [f"base of {params.experiment}"]
    )
    status, shown, _ = attnmt("track", "--experiment", "other")
    assert (status, shown.splitlines()[0]) == (0, "base of other")
    assert shown.endswith("page/('other', 5000)\n")


def test_in_another_folder_no_experiment_is_suggested(attnmt):
    status, _, error = attnmt("track")
    assert status == 2
    assert error.startswith("error: params.yaml: no experiment 'demo'")


@pytest.mark.parametrize(
    ("words", "example"),
    [
        ("track", "attnmt track --experiment wmt14"),
        ("explain", 'attnmt explain "Trosto visits a woman every day." --open'),
        ("translate", "attnmt translate --input news.en --output news.de --model ensemble"),
    ],
)
def test_the_help_shows_an_example_and_needs_neither_mlflow_nor_torch(words, example):
    script = "import sys; sys.modules |= dict.fromkeys(['mlflow', 'torch'])\n"
    script += f"sys.argv = ['attnmt', '{words}', '--help']\n"
    script += "from attnmt.cli import main; main()"
    environment = {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120", "PATH": ""}
    command = [sys.executable, "-c", script]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert example in shown.stdout


def test_a_copy_with_the_environment_of_another_folder_is_refused(attnmt):
    Path("src").mkdir()
    shutil.copytree(ROOT / "src/attnmt", "src/attnmt")
    status, output, error = attnmt("plan")
    assert (status, output) == (2, "")
    assert error.startswith(f"error: src/attnmt: the code that runs is that of {ROOT}/src/attnmt")
    for name in ("Snakefile", "profiles", "params.yaml", "systems.yaml", "dvc.yaml"):
        (Path.cwd() / name).symlink_to(ROOT / name)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    engine = [str(Path(sys.executable).with_name("snakemake")), "-n"]
    shown = subprocess.run(
        engine, env=environment, stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    assert error in shown
