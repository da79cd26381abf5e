"""What a command and the processes that it starts take in time and memory (Linux)."""

import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from attnmt.errors import InputError

INTERVAL = 0.1  # seconds between two measurements of the memory
PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """Time and memory of a command."""

    seconds: float
    cpu_seconds: float
    all_mb: float  # the most that all its processes held at once; shared pages count once in each
    first_mb: float  # the most that the first process held


def watch(process: "subprocess.Popen[bytes]") -> Usage:
    """Wait for a process; return what it and its descendants took.

    Raises:
        InputError: if it fails.
    """
    started = time.perf_counter()
    most = first = cpu = 0.0
    while process.poll() is None:
        usages = [_usage(pid) for pid in _tree(process.pid)]
        held = [memory for memory, _ in usages]
        most, first = max(most, sum(held)), max(first, held[0])
        cpu = max(cpu, sum(seconds for _, seconds in usages))
        time.sleep(INTERVAL)
    if process.returncode:
        raise InputError(f"{process.args!r} failed with status {process.returncode}")
    return Usage(time.perf_counter() - started, cpu, most / 1e6, first / 1e6)


def _tree(pid: int) -> list[int]:
    """Return the ids of a process and its descendants, without those that have just ended."""
    pids = [pid]
    for parent in pids:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                pids += map(int, children.read_text().split())
            except OSError:
                continue
    return pids


def _usage(pid: int) -> tuple[float, float]:
    """Return the bytes of memory that a process holds, and its CPU seconds; 0, 0 if it has ended.

    The seconds include those of its children that it has waited for.
    """
    try:
        facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    return PAGE * int(facts[21]), sum(map(int, facts[11:15])) / TICKS
