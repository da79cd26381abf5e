"""Which failed jobs Snakemake tries again, and that it waits before it does."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

ENGINE = [
    str(Path(sys.executable).with_name("snakemake")),
    "-j1",
    "--quiet",
    "host",
    "--retries",
    "3",
]
SNAKEFILE = """
from pathlib import Path
from snakemake.jobs import Job
from snakemake.logging import logger
from attnmt.workflow import retries

retries.PAUSE = 0.6
retries.heed(Job, lambda name: Path(f"{name}.status"), logger.info)

rule report:
    output: "report.txt"
    shell: "echo >> tries; COMMAND"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "tries", "seconds"),
    [
        ("echo 2 > report.status; exit 2", 1, 0),
        ("echo 75 > report.status; exit 75", 4, 0),
        ("exit 1", 4, 0.6 + 1.2 + 1.8),  # as if it had never run
    ],
)
def test_a_final_error_ends_and_what_may_pass_waits(tmp_path, monkeypatch, command, tries, seconds):
    monkeypatch.chdir(tmp_path)
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", command))
    started = time.monotonic()
    engine = subprocess.run(ENGINE, capture_output=True, text=True, check=False)
    assert engine.returncode == 1
    assert len(Path("tries").read_text()) == tries, engine.stderr
    assert time.monotonic() - started > seconds
    assert ("never ran" in engine.stderr) == (seconds > 0)
