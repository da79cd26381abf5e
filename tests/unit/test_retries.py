"""Which failed jobs Snakemake tries again."""

import subprocess
import sys
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
from attnmt.workflow import retries

retries.heed(Job, lambda name: Path(f"{name}.status"))

rule report:
    output: "report.txt"
    shell: "echo >> tries; COMMAND"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "tries"),
    [
        ("echo 2 > report.status; exit 2", 1),
        ("echo 75 > report.status; exit 75", 4),
        ("echo 1 > report.status; exit 1", 3),
        ("exit 1", 3),  # as if it had never run
    ],
)
def test_the_exit_status_decides_how_often_a_job_is_tried(tmp_path, monkeypatch, command, tries):
    monkeypatch.chdir(tmp_path)
    Path("Snakefile").write_text(SNAKEFILE.replace("COMMAND", command))
    engine = subprocess.run(ENGINE, capture_output=True, text=True, check=False)
    assert engine.returncode == 1
    assert len(Path("tries").read_text()) == tries, engine.stderr
