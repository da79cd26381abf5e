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
