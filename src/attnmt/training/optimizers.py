"""Optimizers change the parameters by their gradients. Each is a class.

To add one, write one more class. The configuration knows it by the name of the class. The schedule of
the rate and the clipping of the gradient are the same for all.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import torch
from torch import Tensor

from attnmt.config import TrainingSettings
from attnmt.model.registry import Part, Registry


def learning_rate(settings: TrainingSettings, epoch: int) -> float:
    """Return the rate of an epoch, 1 being the first.

    The paper's text halves it every epoch after ``halve_after``. The authors' program first does so at
    the last batch of epoch ``halve_after`` + 1, so its first slower epoch comes one epoch later.
    """
    last_full = settings.halve_after + (1 if settings.schedule == "program" else 0)
    return settings.learning_rate * float(0.5 ** max(0, epoch - last_full))


@torch.no_grad()
def clipping(parameters: Sequence[Tensor], clip_norm: float) -> Tensor:
    """Return min(1, clip_norm / G), where G is the L2 norm of the gradient of ``parameters``.

    The factor scales the gradients of all parameters, also of those that do not count in G; the authors
    treat embeddings in this way. It stays on the parameters' device: the host does not wait for a GPU.
    """
    numbers = []
    for parameter in parameters:
        gradient = parameter.grad
        assert gradient is not None, "every parameter takes part in every loss"
        numbers.append(gradient.coalesce().values() if gradient.is_sparse else gradient)
    norm: Tensor = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(numbers)))
    return (clip_norm / norm).clamp(max=1.0)


class Optimizer(Part, ABC, kind="optimizer"):
    """Changes parameters by the gradients that the backward pass left in their ``grad``.

    Those of ``attnmt.config.parts`` have the ``name`` that they have there.
    """

    takes_sparse: ClassVar[bool] = False  # whether a gradient may be sparse
    remembered: ClassVar[int] = 0  # numbers that it keeps for each of a parameter's

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)

    @abstractmethod
    def update(self, rate: float | Tensor, factor: Tensor) -> None:
        """Change every parameter by its gradient times ``factor`` (:func:`clipping`).

        It must not make the host wait for a GPU, where ``rate`` is a tensor. The gradients may change;
        they are not needed again.
        """

    def state(self) -> dict[str, Tensor]:
        """Return what is remembered from one step to the next. A checkpoint holds it."""
        return {}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what ``state`` returned.

        Raises:
            ValueError: if it is the state of another optimizer.
        """
        if state:
            raise ValueError(f"{self.name} remembers nothing from step to step")


OPTIMIZERS: Registry[Optimizer] = Optimizer.known


class SGD(Optimizer):
    """Plain stochastic gradient descent, as in the paper: p -= rate factor g."""

    name = "sgd"
    takes_sparse = True

    @torch.no_grad()
    def update(self, rate: float | Tensor, factor: Tensor) -> None:
        step_size, dense, gradients = factor * rate, [], []
        for parameter in self.parameters:
            gradient = parameter.grad
            assert gradient is not None, "every parameter takes part in every loss"
            if gradient.is_sparse:
                parameter.add_(gradient.coalesce(), alpha=-float(step_size))
            else:
                dense.append(parameter.detach())
                gradients.append(gradient)
        # As torch.optim.SGD(fused=True) does it, in one pass.
        torch._fused_sgd_(
            dense,
            gradients,
            [],
            lr=step_size,
            weight_decay=0.0,
            momentum=0.0,
            dampening=0.0,
            nesterov=False,
            maximize=False,
            is_first_step=False,
        )


class TorchOptimizer(Optimizer, abstract=True):
    """One of ``torch.optim``. Its own learning rate is replaced by the schedule's at every step."""

    @cached_property
    def of_torch(self) -> torch.optim.Optimizer:
        """Torch's optimizer."""
        return self.build(self.parameters)

    @abstractmethod
    def build(self, parameters: list[Tensor]) -> torch.optim.Optimizer:
        """Return torch's optimizer of the parameters. Its state must be tensors."""

    @torch.no_grad()
    def update(self, rate: float | Tensor, factor: Tensor) -> None:
        capturing = torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()
        torch._foreach_mul_([p.grad for p in self.parameters if p.grad is not None], factor)
        for group in self.of_torch.param_groups:
            group |= {"lr": rate, "capturable": capturing}
        self.of_torch.step()

    def state(self) -> dict[str, Tensor]:
        """Return torch's tensors as ``<number of the parameter>.<name>``."""
        by_parameter = self.of_torch.state_dict()["state"]
        return {
            f"{number}.{name}": value
            for number, values in by_parameter.items()
            for name, value in values.items()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        by_parameter: dict[int, dict[str, Tensor]] = {}
        for key, value in state.items():
            number, _, name = key.partition(".")
            by_parameter.setdefault(int(number), {})[name] = value
        self.of_torch.load_state_dict(self.of_torch.state_dict() | {"state": by_parameter})


class Adam(TorchOptimizer):
    """Adam (Kingma and Ba 2015, algorithm 1), with the paper's beta_1 = 0.9, beta_2 = 0.999, eps = 1e-8.

    m_t = beta_1 m_{t-1} + (1 - beta_1) g_t and v_t = beta_2 v_{t-1} + (1 - beta_2) g_t^2, and with
    m^_t = m_t / (1 - beta_1^t) and v^_t = v_t / (1 - beta_2^t): p -= rate m^_t / (sqrt(v^_t) + eps).

    g_t is the clipped gradient, as for SGD. Two things differ. A step's size hardly
    depends on the gradient's, so a rate that suits SGD is far too high: 0.001 is the usual one. And
    every word's embedding moves at every step, because m_t outlasts the batch; so gradients are dense,
    and steps of a large vocabulary are slower on a processor. The checkpoint holds m, v and t.
    """

    name = "adam"
    remembered = 2

    def build(self, parameters: list[Tensor]) -> torch.optim.Optimizer:
        # Fused, it keeps t on the parameters' device, and the host does not wait to read it.
        return torch.optim.Adam(parameters, betas=(0.9, 0.999), eps=1e-8, fused=True)
