"""Where a model's numbers lie: on a GPU of its own, else on the processor."""

import os
import tempfile
from functools import cache
from pathlib import Path

import torch
from filelock import FileLock, Timeout

# Held until this process ends, however it ends.
_taken: list[FileLock] = []


def best_device() -> torch.device:
    """Return the GPU where there is one, else the CPU; sums of products are kept in full fp32.

    Of several GPUs it is one that :func:`take_gpu` takes; where none is free, the first is shared.
    """
    torch.backends.cudnn.allow_tf32 = False  # its LSTM would else round what our own step does not
    if not torch.cuda.is_available():
        return torch.device("cpu")
    take_gpu()
    return torch.device("cuda")


@cache
def take_gpu() -> bool:
    """Make the first GPU current that no other process of this user has taken; False if there is none.

    Nothing else gives trainings that run side by side on one machine a GPU each: Snakemake counts
    GPUs, it does not say which. A scheduler that does is heeded, for torch sees no others.
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
