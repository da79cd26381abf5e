"""One training by several processes: each takes its rows of every batch, and the gradients are summed.

The processes find each other by the environment variables that torchrun or ``start`` sets. Only rank 0
evaluates, tracks and writes.
"""

import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor

from attnmt.errors import InputError
from attnmt.model.device import take_gpu
from attnmt.training.machine import end_with_parent
from attnmt.training.stop import handled

log = logging.getLogger(__name__)

PARENT = "ATTNMT_PARENT"  # holds the id of the process that called ``start``, for those it started


class PeerLostError(InputError):
    """Another process of this training has ended. It says why, so this one notes no failure."""


@contextmanager
def _peers() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # as gloo and NCCL raise it
        raise PeerLostError(
            f"another process of this training has ended, and its own error says why ({error})"
        ) from error


@dataclass(frozen=True)
class Ranks:
    """Which of a training's processes this one is: number ``rank``, from 0, of ``count``."""

    rank: int = 0
    count: int = 1

    def rows(self, sentences: int) -> slice:
        """Return which sentences of a batch are this process's."""
        return slice(sentences * self.rank // self.count, sentences * (self.rank + 1) // self.count)

    def sum_(self, values: Tensor) -> None:
        """Replace ``values`` in every process by their sum over all processes.

        Raises:
            PeerLostError: if another process has ended.
        """
        with _peers():
            dist.all_reduce(values)

    def any(self, mine: bool) -> bool:
        """Say whether ``mine`` is true in any process; all wait for each other.

        Raises:
            PeerLostError: if another process has ended.
        """
        if self.count == 1:
            return mine
        answer = torch.tensor(int(mine))  # on the processor, so as not to wait for a GPU
        with _peers():
            dist.all_reduce(answer, dist.ReduceOp.MAX)
        return bool(answer)


ALONE = Ranks()


def started() -> bool:
    """Say whether this process is one of several, started by torchrun or ``start``."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


@contextmanager
def joined() -> Iterator[Ranks]:
    """Join the other processes of this training, if there are any; where there are GPUs, take one.

    Raises:
        InputError: if there are GPUs, but none is free.
        SystemExit: if the process that started this one has died.
    """
    if not started():
        yield ALONE
        return
    # The variable is removed, so that programs started from here, such as torchrun, do not read it.
    end_with_parent(int(os.environ.pop(PARENT, os.getppid())))
    gpus = torch.cuda.device_count()
    if gpus and not take_gpu():
        raise InputError(
            f"machine.train_processes: each process takes a GPU of its own, and none of this machine's "
            f"{gpus} is free for another; set fewer processes, or wait"
        )
    # Tensors on the processor go by gloo on any machine.
    dist.init_process_group("cpu:gloo,cuda:nccl" if gpus else "gloo")
    yield Ranks(dist.get_rank(), dist.get_world_size())
    # This is skipped after an error: the others wait for this process, and the process that started
    # them ends them.
    dist.destroy_process_group()


def start(count: int) -> int:
    """Run this same command as several processes; return the exit status.

    A signal is passed on to all; if one dies, the others are ended. torchrun does the same, except that
    it does not return the status of a training that was stopped, and passes SIGUSR1 on only if told to.
    """
    # This store already holds the port, so that no other program can take it first.
    store = dist.TCPStore(  # type: ignore[attr-defined]  # torch's own list of names lacks it
        "127.0.0.1", 0, is_master=True, wait_for_workers=False
    )
    shared = os.environ | {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "WORLD_SIZE": str(count),
        PARENT: str(os.getpid()),
    }
    processes: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int) -> None:
        for process in processes:
            process.send_signal(number)

    with handled(pass_on):
        for rank in map(str, range(count)):
            environment = shared | {"RANK": rank, "LOCAL_RANK": rank}
            processes.append(subprocess.Popen([sys.executable, *sys.argv], env=environment))
        # Rank 0 ends last if all is well.
        while processes[0].poll() is None and not any(process.poll() for process in processes):
            time.sleep(0.1)
        status = next((process.returncode for process in processes if process.returncode), 0)
        if processes[0].poll() is None:
            log.error("a process of the training ended with status %d; ending the others", status)
        for process in processes:
            process.kill()
            process.wait()
    return status if status >= 0 else 128 - status  # as a shell reports a signal
