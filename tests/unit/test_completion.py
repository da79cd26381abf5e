"""What a shell completes after attnmt, asked of a real bash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a command attnmt."""
    folder = tmp_path_factory.mktemp("project")
    program = folder / "bin/attnmt"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom attnmt.cli import main\nmain()\n")
    program.chmod(0o755)
    return folder


def bash(project: Path, script: str) -> str:
    """Return what a script of bash prints in the project."""
    path = f"{project}/bin:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "src")}
    environment |= {"HOME": str(project)}
    # With one command alone, bash would become that command, which then sees no shell above it.
    command = ["bash", "--norc", "-c", f"{script}\nexit"]
    ended = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
    return ended.stdout


@pytest.fixture(scope="module")
def installed(project: Path) -> str:
    """Return the completion that ``attnmt --show-completion`` prints."""
    return bash(project, "attnmt --show-completion bash")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("attnmt tra", ["translate", "track"]),
        ("attnmt new x --test a --hold", ["--hold-out"]),
    ],
)
def test_bash_completes(project, installed, line, expected):
    words = line.split(" ")
    asked = (
        f"{installed}\nCOMP_WORDS=({' '.join(word or repr('') for word in words)})\n"
        f"COMP_CWORD={len(words) - 1}\n_attnmt_completion attnmt\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert bash(project, asked).split() == expected
    assert "complete -o default" in installed
