"""A changed default makes stale what takes it: a copy of the project writes its digests again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fresh_code import copied_code

ROOT = Path(__file__).parents[2]
COUNT = {"gather", "report"}  # they have all families and models as parameters


DEFAULTS = {  # a file, a default in it and another one, and what takes the default in the demo
    "of an encoding": (
        "config/text.py",
        "length: PositiveInt | None = None",
        "length: PositiveInt | None = 9",
        {"encode/luong", "encode/luong_bpe"} | COUNT,
    ),
    "that nobody takes": (
        "config/model.py",
        'precision: Precision = "fp32"',
        'precision: Precision = "bf16"',
        set(),
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_code(tmp_path_factory.mktemp("copy"))


def digests(copy: Path) -> dict[str, str]:
    """Return the files of digests that a copy writes, by their names without suffix."""
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "stages/code_digests.py", "params.yaml"]
    subprocess.run(command, cwd=copy, env=environment, check=True)
    folder = copy / "code/demo"
    return {
        str(file.relative_to(folder).with_suffix("")): file.read_text()
        for file in folder.rglob("*.json")
    }


@pytest.fixture(scope="module")
def before(copy: Path) -> dict[str, str]:
    return digests(copy)


@pytest.mark.parametrize(("file", "old", "new", "expected"), DEFAULTS.values(), ids=DEFAULTS)
def test_a_default_makes_stale_what_takes_it(copy, before, file, old, new, expected):
    path = copy / "src/attnmt" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    try:
        after = digests(copy)
    finally:
        path.write_text(text)
    assert {name for name in before | after if before.get(name) != after.get(name)} == expected
