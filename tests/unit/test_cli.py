"""The command attnmt, called as a person calls it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("command", "word"), [("track", "no experiment 'demo'"), ("translate", "--weights")]
)
def test_in_another_folder_the_cure_is_named(attnmt, command, word):
    status, _, error = attnmt(command)
    assert status == 2
    assert error.startswith("error: params.yaml: ")
    assert word in error


def test_the_help_shows_an_example_and_needs_neither_mlflow_nor_torch():
    words, example = "translate", "attnmt translate --input"
    script = "import sys; sys.modules |= dict.fromkeys(['mlflow', 'torch'])\n"
    script += f"sys.argv = ['attnmt', '{words}', '-h']\n"
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
