"""Where a model's numbers lie: on a GPU of its own, else on the processor."""

import logging
import os
import tempfile
from functools import cache
from pathlib import Path

import torch
from filelock import FileLock, Timeout

log = logging.getLogger(__name__)

# Held until this process ends, however it ends.
_taken: list[FileLock] = []


def best_device() -> torch.device:
    """Return the GPU where there is one, else the CPU.

    If there are several, it is one that :func:`take_gpu` takes. If none is free, the first is shared,
    with a warning: two processes may fit on it, for example a translation and a training. Only a
    scheduler makes sure that each process has a GPU of its own.
    """
    # Without this variable cuBLAS, which cuDNN's LSTM calls too, may sum in another order at each run.
    # cuBLAS reads it at CUDA's first product.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    if not torch.cuda.is_available():
        return torch.device("cpu")
    if not take_gpu():
        _say_that_it_is_shared()
    return torch.device("cuda")


@cache
def _say_that_it_is_shared() -> None:
    log.warning(
        "other processes of yours have all %d GPUs of this machine: this one shares the first, its time "
        "and its memory; if you do not want that, end this process or wait for the others",
        torch.cuda.device_count(),
    )


@cache
def take_gpu() -> bool:
    """Make the first GPU current that no other process of this user has taken; False if there is none.

    Nothing else gives trainings that run side by side on one machine a GPU each: Snakemake counts
    GPUs, but does not say which one to use. If a scheduler does, torch sees only the GPU that it chose.
    """
    for number in range(torch.cuda.device_count()):
        name = f"attnmt-{os.getuid()}-{torch.cuda.get_device_properties(number).uuid}.lock"
        lock = FileLock(Path(tempfile.gettempdir(), name))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        _taken.append(lock)
        torch.cuda.set_device(number)
        return True
    return False
