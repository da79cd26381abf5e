"""The containers run README's two commands, by targets of the Makefile, and send Docker what git has."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE, APPTAINER = ROOT / "containers/Dockerfile", ROOT / "containers/attnmt.def"
FILES = [DOCKERFILE, APPTAINER]
both = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
TOOLS = {"git", "make", "perl"}


def readme_commands() -> list[str]:
    """Return the targets of the block below the heading "Two commands"."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Two commands\n")[2].partition("\n## ")[0]
    return re.findall(r"^    make (\w+)", section, re.MULTILINE)


def section(name: str) -> list[str]:
    """Return the lines of a section of the definition for Apptainer."""
    text = APPTAINER.read_text().partition(f"%{name}\n")[2].partition("\n%")[0]
    return [line.strip() for line in text.splitlines() if line.strip()]


@both
def test_its_comment_shows_readme_s_commands(path: Path) -> None:
    shown = re.findall(r"^# .* run .*# make (\w+)$", path.read_text(), re.MULTILINE)
    assert shown == readme_commands() == ["demo", "test"]


@both
def test_every_target_is_in_the_makefile(path: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = set(re.findall(r"\bmake (\w+)", path.read_text())) - TOOLS
    assert {"demo", "test"} <= named <= set(targets)


@pytest.mark.parametrize(
    ("arguments", "called"),
    [([], ["demo"]), (["test"], ["test"]), (["-n", "demo"], ["-n", "demo"])],
)
def test_apptainer_runs_make_with_the_arguments(
    tmp_path: Path, arguments: list[str], called: list[str]
) -> None:
    program = tmp_path / "make"
    program.write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    program.chmod(0o755)
    shown = subprocess.run(
        ["/bin/sh", "-c", "\n".join(section("runscript")), "runscript", *arguments],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == called
