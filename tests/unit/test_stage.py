"""What a stage checks before it works, and how a command ends when it is interrupted."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import typer
from fresh_code import copied_code

from attnmt.config import load_params
from attnmt.layout import Layout
from attnmt.workflow import stage
from attnmt.workflow.dependencies import write_dependencies
from attnmt.workflow.record import DVC_STAGE, Task, dvc_digest, made, read_record, write_plan
from attnmt.workflow.stage import PLANNED

ROOT = Path(__file__).parents[2]

SLOW = """
import signal
import time
from pathlib import Path
import typer
from attnmt.files.atomic import atomic_folder
from attnmt.workflow.stage import run_app

signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever it inherits
signal.signal(signal.SIGHUP, signal.SIG_DFL)

def main():
    with atomic_folder(Path("out")):
        print("begun", flush=True)
        time.sleep(60)

app = typer.Typer()
app.command()(main)
run_app(app)
"""


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT])
def test_a_command_that_is_told_to_end_leaves_nothing_half_written(
    tmp_path: Path, sent: signal.Signals
) -> None:
    command = [sys.executable, "-c", SLOW]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(sent)
        assert process.wait(timeout=30) == 128 + sent
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", ["stages/slow.py", "attnmt"])
def test_ctrl_c_while_libraries_load_ends_a_program_without_a_traceback(
    tmp_path: Path, program: str
) -> None:
    file = tmp_path / program
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever it inherits\n"
        "import attnmt.workflow.first_import\n"
        "import time\n"
        "print('begun', flush=True)\n"
        "time.sleep(60)  # as if other libraries were loading\n"
    )
    command = [sys.executable, str(file)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == -signal.SIGINT
        assert process.stderr.read() == ""


def test_a_user_without_an_account_has_a_name_for_the_libraries_that_ask() -> None:
    script = (
        "import os, pwd\n"
        "def none(uid): raise KeyError(uid)\n"
        "pwd.getpwuid = none\n"
        "import attnmt.workflow.first_import, getpass\n"
        "assert getpass.getuser() == f'uid{os.getuid()}'\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env={"PATH": os.environ["PATH"]})


FULL = "raise ImportError('libtorch_cpu.so: failed to map segment from shared object')"


@pytest.mark.parametrize("program", ["stages/slow.py", "attnmt"])
def test_too_little_memory_for_the_libraries_is_one_sentence(tmp_path: Path, program: str) -> None:
    file = tmp_path / program
    file.parent.mkdir(exist_ok=True)
    for fault, status in ((FULL, 2), ("import no_such_library", 1)):
        file.write_text(f"import attnmt.workflow.first_import\n{fault}\n")
        ended = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
        assert ended.returncode == status
        assert ended.stderr.startswith("error: there is not enough") == (status == 2)
        assert ("Traceback" in ended.stderr) == (status == 1)


@pytest.mark.parametrize("program", [*(ROOT / "stages").glob("*.py"), ROOT / "src/attnmt/cli.py"])
def test_every_program_imports_the_handling_of_ctrl_c_first(program: Path) -> None:
    first = next(
        node
        for node in ast.parse(program.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    assert ast.unparse(first) == "import attnmt.workflow.first_import"


def test_another_program_keeps_its_ctrl_c() -> None:
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import attnmt.cli, attnmt.workflow.first_import\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of the code, without an engine."""
    monkeypatch.chdir(copied_code(tmp_path))
    for name in (PLANNED, DVC_STAGE):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_record_is_of_the_parameters_that_the_stage_ran_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may have changed since an engine planned the stage."""
    monkeypatch.setenv(PLANNED, "yes")
    write_dependencies(load_params("params.yaml"))
    inputs, command = "depends/demo/corpus.json", "python stages/test_stage.py params.yaml"
    task = Task("corpus", command, [inputs], ["out"])
    write_plan(Layout("demo").plan, [task])
    planned = Path(inputs).read_text()
    text = Path("params.yaml").read_text()
    Path("params.yaml").write_text(text.replace("name: English", "name: Englisch"))

    def main(params_file: Path) -> None:
        Path("out").write_text("made")

    monkeypatch.setattr(sys, "argv", ["stages/corpus.py", "params.yaml"])
    with pytest.raises(SystemExit) as ended:
        stage.run_stage(main, None)
    assert ended.value.code == 0
    assert Path(inputs).read_text() != planned
    assert made(read_record(Layout("demo").record("corpus")), task, dvc_digest)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("bytearray(10**18)", "there is not enough memory; close other programs"),
        ("import torch; torch.empty(10**17)", "there is not enough memory; close other programs"),
        ("raise OSError(12, os.strerror(12))", "there is not enough memory"),
        ("subprocess.run(['no-git'])", "no-git: No such file or directory; if no-git is a program"),
        ("raise OSError(28, os.strerror(28))", "a disk: No space left on device; free some space"),
        ("raise sqlite3.OperationalError('database or disk is full')", "a disk: database or"),
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
        stage.run_app(app)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_a_full_gpu_is_told_apart_from_a_full_machine() -> None:
    text = "CUDA out of memory. Tried to allocate 2.44 GiB. GPU 0 has 1 GiB free.\nSee the docs"
    told = stage._not_allowed(torch.OutOfMemoryError(text), "")
    assert told is not None
    assert told.startswith(text.splitlines()[0])
    assert "smaller batch_size" in told
    assert "ulimit" not in told


def test_an_error_of_the_program_itself_is_not_explained_away() -> None:
    assert stage._not_allowed(RuntimeError("shapes do not agree"), "") is None
    assert stage._not_allowed(OSError("no number, no name"), "") is None
