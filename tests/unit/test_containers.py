"""The containers run targets of the Makefile, and Docker gets what git has."""

import re
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
