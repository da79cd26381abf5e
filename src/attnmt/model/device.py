"""The device that holds a model: a GPU, if possible one for this process alone, or else the CPU."""

import logging
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import torch
from filelock import FileLock, Timeout

log = logging.getLogger(__name__)

# Locks of the GPUs that this process has taken. They are held until it ends, however it ends.
_taken: list[FileLock] = []


@cache
def best_device() -> torch.device:
    """Return a GPU if there is one, else the CPU.

    The GPU is the first that no other process of this user has taken, and becomes torch's current
    device. Without this, trainings that run side by side on one machine would share a GPU: Snakemake
    counts GPUs, but does not say which one to use. (A scheduler may say it; then torch sees only that
    one.) If none is free, the first is shared, with a warning: two processes may fit on it, for example
    a translation and a training. Only a scheduler makes sure that each process has its own GPU.
    """
    # Without this variable cuBLAS, which cuDNN's LSTM calls too, may sum in another order in each run.
    # cuBLAS reads it at the first product on the GPU.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    if not torch.cuda.is_available():
        return torch.device("cpu")
    for number in range(torch.cuda.device_count()):
        name = f"attnmt-{os.getuid()}-{torch.cuda.get_device_properties(number).uuid}.lock"
        lock = FileLock(Path(tempfile.gettempdir(), name))
        with suppress(Timeout):
            lock.acquire(timeout=0)
            _taken.append(lock)
            torch.cuda.set_device(number)
            return torch.device("cuda")
    log.warning(
        "your other processes use all %d GPUs of this machine, so this one shares the first; that costs "
        "both time and memory; if you do not want that, end this process or wait for the others",
        torch.cuda.device_count(),
    )
    return torch.device("cuda")
