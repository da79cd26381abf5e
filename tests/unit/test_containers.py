"""The containers run targets of the Makefile, and Docker gets what git has."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE, APPTAINER = ROOT / "containers/Dockerfile", ROOT / "containers/attnmt.def"
TOOLS = {"git", "make", "perl"}


@pytest.mark.parametrize("path", [DOCKERFILE, APPTAINER], ids=lambda path: path.name)
def test_every_target_is_in_the_makefile(path):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = set(re.findall(r"\bmake (\w+)", path.read_text())) - TOOLS
    assert {"demo", "test"} <= named <= set(targets)


def test_apptainer_runs_make_with_the_arguments(tmp_path):
    script = APPTAINER.read_text().partition("%runscript\n")[2].partition("\n%")[0]
    program = tmp_path / "make"
    program.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    program.chmod(0o755)
    for arguments, called in (([], ["demo"]), (["-n", "test"], ["-n", "test"])):
        command = ["/bin/sh", "-c", script, "runscript", *arguments]
        shown = subprocess.check_output(command, env={"PATH": str(tmp_path)}, text=True)
        assert shown.split() == called


def test_docker_gets_what_git_has():
    ignored = (ROOT / ".gitignore").read_text().split()
    expected = [
        line.strip("/") if line.startswith("/") else f"**/{line.strip('/')}" for line in ignored
    ]
    expected += [
        f".dvc/{name.strip('/')}" for name in (ROOT / ".dvc/.gitignore").read_text().split()
    ]
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == expected
