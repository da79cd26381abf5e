"""Products of matrices: their values for every layout, and that nothing multiplies elsewhere."""

import numpy as np
import pytest
import torch
from same_bytes import TRAININGS
from small_training import reversal
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from attnmt.config import ModelShape
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.model.products import matmul
from attnmt.training.step import TrainingStep

# MKL multiplies with these in an order that depends on the processor's maker, and its square root does.
FOREIGN = ("mm", "addmm", "addmm_", "linear", "baddbmm", "sqrt", "sqrt_", "_foreach_sqrt")
LENGTHS = [1, 5, 64, 511, 512, 513, 1000, 1024, 1199, 1200, 1300, 3000]
LAYOUTS = {
    "rows": lambda x: x,
    "transposed": lambda x: x.T.contiguous().T,
    "with gaps": lambda x: torch.cat([x, x], dim=1)[:, : x.shape[1]],
}


@pytest.mark.parametrize("rows", [(1, 1), (1, 37), (2, 3), (17, 37), (64, 5)])
@pytest.mark.parametrize("length", LENGTHS)
def test_a_product_is_that_of_double_precision(rows, length):
    generator = torch.Generator().manual_seed(length)
    x, W = (torch.randn(n, length, generator=generator) for n in rows)
    expected = (x.double() @ W.double().T).float()
    for of_x in LAYOUTS.values():
        for of_W in LAYOUTS.values():
            found = matmul(of_x(x), of_W(W))
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * length**0.5)
            if length <= 512 and len(x) == 1:
                assert torch.equal(found, matmul(x, W))


class Operations(TorchDispatchMode):
    """Notes the names of all operations."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None) -> Tensor:
        self.names.add(func.name().partition("::")[2].partition(".")[0])
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", TRAININGS)
def test_a_step_multiplies_only_by_onednn(name):
    cell, system, settings = TRAININGS[name]
    shape = ModelShape(layers=2, size=8, window_D=3, location_slots=20, init=0.1, cell=cell)
    step = TrainingStep(LuongNMT(ModelConfig(system, shape, 8, 8)).train(), settings)
    step.model.initialize(1)
    text = reversal(8, 1, system.reverse)
    with Operations() as operations:
        step(text.batch(np.arange(8)), 0.1)
    assert "_linear_pointwise" in operations.names
    assert not operations.names & {*FOREIGN}
