"""A run of Snakemake that is told to end: its stages end, and its exit status says why."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnmt.workflow.engine_stop import SIGNALS

ENGINE = [str(Path(sys.executable).with_name("snakemake")), "-j1", "--quiet", "host"]
SNAKEFILE = """
from attnmt.workflow import engine_stop

onstart:
    engine_stop.heed()

onerror:
    engine_stop.end()

rule report:
    output: "report.txt"
    log: "report.log"
    shell: "trap : TERM; {{ (COMMAND); touch {output}; }} > {log} 2>&1"
"""


def heed_signals() -> None:
    """Take back what a shell in the background, or nohup, has told this process to ignore."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "to_all"), [(signal.SIGINT, True), *((number, False) for number in SIGNALS)]
)
def test_an_engine_that_is_told_to_end_ends_its_stages(tmp_path, monkeypatch, number, to_all):
    """Ctrl-C reaches the stages, too; a signal to the engine alone does not. It comes twice."""
    monkeypatch.chdir(tmp_path)
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", "echo $BASHPID > pid; exec sleep 99"))
    with Path("shown").open("w") as shown:
        own = {"start_new_session": True, "preexec_fn": heed_signals}
        engine = subprocess.Popen(ENGINE, stdout=shown, stderr=shown, **own)
    while not Path("pid").exists() or not Path("pid").read_text().strip():
        assert engine.poll() is None, Path("shown").read_text()
        time.sleep(0.1)
    for _ in range(2):
        (os.killpg if to_all else os.kill)(engine.pid, number)
        time.sleep(0.2)
    assert engine.wait(timeout=60) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)
    shown = Path("shown").read_text()
    assert "Traceback" not in shown
    assert "snakemake -j1 --quiet host" in shown  # the command that goes on
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", "true"))
    subprocess.run(ENGINE, check=True, capture_output=True)  # no lock was left
