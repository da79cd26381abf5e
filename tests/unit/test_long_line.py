"""The memory of a search over a long line."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Each round takes a large block and a small one, keeps the small one and needs a larger block next time.
STEPS = """
import sys
from pathlib import Path

import torch
from attnmt.training.machine import give_back_large_blocks


def peak():  # getrusage would count what the parent process had before it started this one
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if sys.argv[1:]:
    give_back_large_blocks()
first = torch.zeros(7_000_000)  # glibc now takes blocks of up to this size from its heap
del first
before, kept = peak(), []
for size in range(500_000, 1_500_000, 10_000):
    block = torch.ones(size)
    kept.append(torch.ones(1000))
    del block
print(peak() - before)
"""


def grown(*arguments: str) -> int:
    """Return by how many kB the peak of memory grows over 100 steps."""
    command = [sys.executable, "-c", STEPS, *arguments]
    environment = {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    return int(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc on Linux")
def test_small_tensors_do_not_keep_large_blocks():
    if grown() < 100_000:
        pytest.skip(
            "this machine's kernel counts no peak of memory, or its malloc keeps no large block"
        )
    assert grown("give back") < 20_000
