"""What a stage checks before it works, and how a command ends when it is interrupted."""

import ast
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import typer

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.workflow import stage
from attnmt.workflow.code import files_of_run
from attnmt.workflow.record import DVC_STAGE, ORDER, Order, write_order

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


SCRIPT = ROOT / "stages/train.py"
PARAMS = load_params(ROOT / "params.yaml", ROOT)
CODE, OWN = (Path("code/demo", path) for path in files_of_run(PARAMS, SCRIPT, "base"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, without an engine."""
    monkeypatch.chdir(tmp_path)
    for name in (ORDER, DVC_STAGE):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("engine", [ORDER, DVC_STAGE])
def test_under_an_engine_a_stage_whose_code_has_changed_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv(engine, "x")
    code, own = files_of_run(PARAMS, SCRIPT, "base").values()
    write_json(CODE, code)
    write_json(OWN, own | {"models.base": "before"})
    with pytest.raises(InputError, match=r"train/base\.json: models\.base changed after"):
        stage._check_code(SCRIPT, PARAMS, "base")


@pytest.mark.parametrize("damage", ["[]", "{}", '{"name": 1, "command": "x", "inputs": 5}'])
def test_the_order_of_another_stage_and_a_damaged_one_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    file, command = Path("train@base.order.json"), "python stages/train.py x"
    order = Order("train@base", command, {}, [], [])
    write_order(file, order, again=True)
    monkeypatch.setenv(ORDER, str(file))
    assert stage._order("demo", command) == order
    with pytest.raises(InputError, match=r"train@base\.order\.json: .* does not run"):
        stage._order("demo", "python stages/train.py y")
    file.write_text(damage)
    with pytest.raises(InputError, match=r"train@base\.order\.json: damaged"):
        stage._order("demo", command)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("bytearray(10**18)", "memory"),
        ("import torch; torch.empty(10**17)", "memory"),
        ("raise OSError(12, os.strerror(12))", "memory"),
        ("subprocess.run(['no-git'])", "no-git: No such file"),
        ("open('no/file')", "no/file: No such file"),
    ],
)
def test_what_the_system_does_not_allow_ends_a_command_with_a_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: str, message: str
) -> None:
    app = typer.Typer()
    app.command()(lambda: exec(f"import os, subprocess; {fault}"))
    monkeypatch.setattr(sys, "argv", ["attnmt"])
    with pytest.raises(SystemExit) as ended:
        stage.run_app(app)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error


def test_a_full_gpu_is_told_apart_from_a_full_machine() -> None:
    text = "CUDA out of memory. Tried to allocate 2.44 GiB. GPU 0 has 1 GiB free.\nSee the docs"
    told = stage._not_allowed(torch.OutOfMemoryError(text))
    assert told is not None
    assert "batch_size" in told
    assert "ulimit" not in told
