"""A GPU that computes no values, and fails where the host would wait for a real one.

    with fake_gpu() as gpu:
        with gpu:  # what is built here is on the GPU
            model, batch = ...
        with on_the_gpu_only():
            ...  # what is to run there without the host

A tensor without values cannot decide anything on the host (``.item()``, ``if tensor:``, a mask as an
index), and two devices cannot meet in one operation. A search must wait once a step, by ``nonzero``, to
know which sentences go on; ``on_the_gpu_only(2, 0)`` answers that two do, and after the next step none.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# It takes the GPU's way through our code. Fakes on "cuda" do not: torch built without CUDA cannot
# differentiate them, and otherwise (torch 2.13) an LSTM without biases fails on them.
GPU = torch.device("meta")
# Torch has no fakes for these. They change their arguments in place.
WITHOUT_FAKES = (torch.ops.aten._fused_sgd_.tensor_lr, torch.ops.aten._fused_adam_.tensor_lr)


@contextmanager
def fake_gpu() -> Iterator[torch.device]:
    """Give tensors no values; yield the device that stands for a GPU."""
    with FakeTensorMode(allow_non_fake_inputs=True), pytest.MonkeyPatch.context() as patch:
        # torch's fused optimizers have fakes, but first look for "meta" in a list of devices.
        module = sys.modules[torch.optim.Optimizer.__module__]
        patch.setattr(module, "_get_fused_kernels_supported_devices", lambda: [GPU.type])
        yield GPU


class _OnTheGPUOnly(TorchDispatchMode):
    def __init__(self, answers: tuple[int, ...]) -> None:
        super().__init__()
        self.answers = list(answers)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func is torch.ops.aten.detach_.default:
            return args[0]  # torch.tensor calls it before its result is a fake
        if func is torch.ops.aten.nonzero.default and self.answers:
            (mask,) = args
            return mask.new_zeros(self.answers.pop(0), mask.dim(), dtype=torch.int64)
        _check(func, "reads", (args, kwargs))
        if func in WITHOUT_FAKES:
            return None
        result = func(*args, **(kwargs or {}))
        _check(func, "makes", result)
        return result


def _check(func: Any, what: str, values: Any) -> None:
    for value in tree_leaves(values):
        if isinstance(value, Tensor) and value.device.type != GPU.type:
            raise AssertionError(f"{func} {what} a tensor on {value.device}, not on the GPU")


def on_the_gpu_only(*answers: int) -> _OnTheGPUOnly:
    """Fail where an operation reads or makes a tensor elsewhere, as ``.cpu()`` and ``torch.ones(3)``.

    ``answers`` are how many elements each ``nonzero`` is to find; without any, it fails.
    """
    return _OnTheGPUOnly(answers)
