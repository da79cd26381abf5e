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


def dockerfile_commands() -> list[str]:
    """Return the Dockerfile's instructions, each in one line, without comments."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.startswith("#")]
    return [line for line in "\n".join(lines).replace("\\\n", "").splitlines() if line]


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


@both
def test_both_have_the_same_base_and_the_same_tools(path: Path) -> None:
    text = path.read_text()
    (base,) = re.findall(r"^(?:FROM|From:) (.+)$", text, re.MULTILINE)
    (tools,) = re.findall(r"apt-get install -y --no-install-recommends ([\w ]+?) *\\?$", text, re.M)
    assert set(tools.split()) == TOOLS
    made_with = re.findall(r"Python (3\.\d+), Linux", (ROOT / "constraints.txt").read_text())
    assert base == f"python:{made_with[0]}-slim"


def test_docker_sets_up_as_a_user_and_then_runs_make() -> None:
    commands = dockerfile_commands()
    user = commands.index("USER attnmt")
    assert [line.split()[0] for line in commands[:user]] == ["FROM", "RUN", "RUN"]
    assert "RUN PIP_NO_CACHE_DIR=1 make setup" in commands[user:]
    assert commands[-2:] == ['ENTRYPOINT ["make"]', 'CMD ["demo"]']


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


def test_docker_gets_what_git_has() -> None:
    ignored = (ROOT / ".gitignore").read_text().split()
    expected = [
        line.strip("/") if line.startswith("/") else f"**/{line.strip('/')}" for line in ignored
    ]
    expected += [
        f".dvc/{name.strip('/')}" for name in (ROOT / ".dvc/.gitignore").read_text().split()
    ]
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == expected
