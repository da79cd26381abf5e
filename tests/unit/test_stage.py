"""How a command ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = """
import signal
import time
from pathlib import Path
from attnmt.files import atomic_path
from attnmt.stage import run_stage

signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever it inherits
signal.signal(signal.SIGHUP, signal.SIG_DFL)

def main():
    with atomic_path(Path("out")) as partial:
        partial.mkdir()
        print("begun", flush=True)
        time.sleep(60)

run_stage(main, "Write slowly.")
"""


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT])
def test_a_stage_that_is_told_to_end_leaves_nothing_half_written(
    tmp_path: Path, sent: signal.Signals
) -> None:
    command = [sys.executable, "-c", SLOW]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(sent)
        assert process.wait(timeout=30) == 128 + sent
    assert list(tmp_path.iterdir()) == []
