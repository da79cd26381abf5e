"""Each process gets a GPU of its own, on a machine with pretended GPUs."""

import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from attnmt.model import device
from attnmt.model.device import best_device
from attnmt.training import promised_gpu

TAKE = """
import sys, torch
from types import SimpleNamespace
torch.cuda.is_available = lambda: True
torch.cuda.device_count = lambda: 2
torch.cuda.get_device_properties = lambda number: SimpleNamespace(uuid=f"uuid-{number}")
torch.cuda.set_device = lambda number: print(number, flush=True)
from attnmt.model.device import best_device
from attnmt.training import promised_gpu
print(best_device(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def two_gpus(tmp_path, monkeypatch) -> Iterator[list[int]]:
    """Pretend that there are two GPUs; return the list of those made current."""
    current: list[int] = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda number: SimpleNamespace(uuid=f"uuid-{number}")
    )
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    best_device.cache_clear()
    yield current
    best_device.cache_clear()
    while device._taken:
        device._taken.pop().release()


@pytest.mark.slow
def test_every_process_takes_another_gpu_or_is_told_that_it_shares_one(two_gpus, tmp_path):
    process = {"args": [sys.executable, "-c", TAKE], "text": True, "stdout": subprocess.PIPE}
    process |= {"stderr": subprocess.PIPE, "env": {"TMPDIR": str(tmp_path), "PATH": ""}}
    with subprocess.Popen(**process, stdin=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert [other.stdout.readline().strip() for _ in range(2)] == ["0", "cuda"]
        assert best_device() == best_device() == torch.device("cuda")
        assert two_gpus == [1]  # taken once
        third = subprocess.run(**process, stdin=subprocess.DEVNULL, check=True)
        assert third.stdout.split() == ["cuda"]
        assert "shares the first" in third.stderr
        other.kill()
    best_device.cache_clear()
    best_device()
    assert two_gpus == [1, 0]  # the killed process's GPU is free again


@pytest.mark.parametrize(("before", "after"), [(None, ":4096:8"), (":16:8", ":16:8")])
def test_cublas_is_told_to_repeat_before_cuda_starts(two_gpus, before, after, monkeypatch):
    told = []
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    if before is not None:
        monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", before)
    monkeypatch.setattr(
        torch.cuda, "set_device", lambda _: told.append(os.environ["CUBLAS_WORKSPACE_CONFIG"])
    )
    best_device()
    assert told == [after]


def test_without_a_gpu_a_process_takes_none(two_gpus, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert best_device() == torch.device("cpu")
    assert two_gpus == []


def test_a_job_that_was_promised_a_gpu_ends_where_there_is_none(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.delitem(sys.modules, promised_gpu.__name__)
    with pytest.raises(SystemExit, match=r"error: this job asked for a GPU.*gpu=0"):
        runpy.run_module("attnmt.training.promised_gpu", run_name="__main__")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_75", "sm_80", "compute_90"])
    monkeypatch.setattr(
        torch, "ones", lambda *_, **__: SimpleNamespace(sum=lambda: torch.zeros(()))
    )
    for capability, key in [((7, 0), "7.0"), ((9, 0), None), ((8, 6), None), ((10, 0), None)]:
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda c=capability: c)
        reason = promised_gpu.fault()
        assert (key in reason) if key else reason is None

    def fails(*_: object, **__: object) -> torch.Tensor:
        raise RuntimeError("CUDA error: the launch failed\nmore")

    monkeypatch.setattr(torch, "ones", fails)
    assert "launch failed" in promised_gpu.fault()
