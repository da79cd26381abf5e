"""What a stage checks before it works, and how a command ends when it is interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from attnmt.program import run_app

ROOT = Path(__file__).parents[2]

FULL = "standard output, a cache or a temporary file"
SLOW = """
import signal
import time
from pathlib import Path
import typer
from attnmt.files.atomic import atomic_folder
from attnmt.program import run_app

signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever it inherits
signal.signal(signal.SIGHUP, signal.SIG_DFL)

def main():
    with atomic_folder(Path("out")):
        print("begun", flush=True)
        try:
            time.sleep(60)
        except SystemExit:
            %s

app = typer.Typer()
app.command()(main)
run_app(app)
"""


# Python 3.11 makes a SystemError of what a signal raises while it parses code.
@pytest.mark.parametrize("then", ["raise", "raise SystemError"])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT])
def test_a_command_that_is_told_to_end_leaves_nothing_half_written(
    tmp_path: Path, sent: signal.Signals, then: str
) -> None:
    command = [sys.executable, "-c", SLOW % then]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(sent)
        assert process.wait(timeout=30) == 128 + sent
    assert list(tmp_path.iterdir()) == []


def test_a_uid_without_an_account_has_a_name(tmp_path: Path) -> None:
    file = tmp_path / "attnmt"
    file.write_text(
        "import pwd\n"
        "pwd.getpwuid = {}.__getitem__\n"
        "import attnmt.first_import\n"
        "import getpass\n"
        "print(getpass.getuser())\n"
    )
    place = {"PYTHONPATH": str(ROOT / "src")}
    ended = subprocess.run([sys.executable, file], capture_output=True, text=True, env=place)
    assert (ended.returncode, ended.stdout) == (0, f"uid{os.getuid()}\n")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("bytearray(10**18)", "there is not enough memory; close other programs"),
        ("import torch; torch.empty(10**17)", "there is not enough memory; close other programs"),
        ("subprocess.run(['no-git'])", "no-git: No such file or directory; if no-git is a program"),
        ("raise OSError(28, os.strerror(28))", f"{FULL}: No space left on device; free"),
        ("raise sqlite3.OperationalError('disk I/O error')", f"{FULL}: disk I/O error; free"),
        ("open('no/file')", "no/file: No such file or directory; make sure that you may read"),
    ],
)
def test_what_the_system_does_not_allow_ends_a_command_with_a_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: str, message: str
) -> None:
    app = typer.Typer()
    app.command()(lambda: exec(f"import os, sqlite3, subprocess; {fault}"))
    monkeypatch.setattr(sys, "argv", ["attnmt"])
    with pytest.raises(SystemExit) as ended:
        run_app(app)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")
