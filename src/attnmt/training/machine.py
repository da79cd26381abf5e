"""The machine that a training or a search runs on: what it is, and its memory."""

import ctypes
import logging
import platform
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy
import torch

from attnmt.files.text_file import sha256
from attnmt.model.cpu_isa import used

# Options of mallopt, from glibc's malloc.h. Blocks above the first size are mapped again each time; free
# memory at the heap's end above the second size goes back to the system.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1
PINNED = Path("constraints.txt")  # in the project's folder
CODE = ("src", "stages")  # where the code is that decides a training

log = logging.getLogger(__name__)


def keep_freed_memory() -> None:
    """Have the C library keep the large blocks that every batch frees and takes again.

    Mapping them again costs a page fault for every 4 kB.
    """
    _set_malloc({M_MMAP_THRESHOLD: 1 << 30, M_TRIM_THRESHOLD: 1 << 30})


def give_back_large_blocks() -> None:
    """Have the C library give large blocks back to the system as soon as they are free.

    Each step of a search leaves a few small tensors. If large blocks come from the same heap, the small
    ones keep the heap from shrinking, so that its size grows with the square of a sentence's length.
    """
    _set_malloc({M_MMAP_THRESHOLD: 1 << 20})


def _set_malloc(sizes: dict[int, int]) -> None:
    """Set options of malloc, in bytes. A library that is not glibc is left as it is."""
    library: Any = ctypes.CDLL(None) if platform.system() == "Linux" else None
    if hasattr(library, "mallopt"):
        for option, size in sizes.items():
            library.mallopt(option, size)


def peak_memory(device: torch.device) -> int:
    """Return the most memory that this process has held so far, in MB.

    On a GPU, it is what torch has allocated there. Otherwise, it is the process's resident memory, which
    includes its libraries and the mapped ids.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) // 10**6
    unit = 1 if sys.platform == "darwin" else 1024  # bytes of ru_maxrss
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 10**6


def surroundings(device: torch.device, *settings: str) -> dict[str, Any]:
    """Return the commit, the start, the machine and the versions that a training runs with."""
    return {
        "git_commit": _commit(*CODE, *settings),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "device": described(device),
        "instructions": used(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "constraints": sha256(PINNED) if PINNED.exists() else None,
    }


def described(device: torch.device) -> str:
    """Return the processor's name, or that of the GPU, with its driver and torch's CUDA."""
    if device.type != "cuda":
        return processor()
    file = Path("/proc/driver/nvidia/version")
    driver = re.search(r"Module.*?\s(\d+\.[\d.]+)", file.read_text() if file.exists() else "")
    version = driver[1] if driver else "unknown"
    return f"{torch.cuda.get_device_name()}, driver {version}, CUDA {torch.version.cuda}"


def _commit(*files: str) -> str:
    """Return the project's commit, with ``-dirty`` appended if ``files`` differ from it.

    Where git does not answer, a warning says why, and the commit is "unknown".
    """
    try:
        commit, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--", *files)
    except (OSError, subprocess.CalledProcessError) as error:
        why = " ".join((getattr(error, "stderr", None) or str(error)).split())
        log.warning(
            "git does not tell the commit of this training, which is noted as unknown: %s", why
        )
        return "unknown"
    if changes:
        log.warning(
            "this training is noted as that of changed files: %s", " ".join(changes.split())
        )
    return commit.strip() + "-dirty" * bool(changes)


def _git(*command: str) -> str:
    return subprocess.run(["git", *command], capture_output=True, text=True, check=True).stdout


def processor() -> str:
    """Return the processor's name; Linux keeps it where ``platform`` does not look."""
    facts = Path("/proc/cpuinfo").read_text().splitlines() if platform.system() == "Linux" else []
    names = (line.partition(":")[2].strip() for line in facts if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
