"""``Stack`` of the reference, but each layer takes all steps before the next layer starts.

The encoder is such a stack, and so is a decoder without input feeding: all input is known beforehand.
W_x x_t, the gradient of x and those of the weights are each one product for all steps. Only the
recurrence goes step by step (``cells.py``). On a GPU, a layer is torch's own module (cuDNN), and where
steps must wait for attention, an LSTM's are fused. Dropout multiplies the inputs of all steps at once.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnmt.config import Cell
from attnmt.model.dropout import Dropout
from attnmt.model.fast.cells import STEPS, LayerState, Steps
from attnmt.model.products import matmul

State = tuple[LayerState, ...]  # one for each layer, from the first to the top
Weights = tuple[Tensor, Tensor]  # W_x [gates n, inputs], W_h [gates n, n]

# By default, torch lets cuDNN round these layers' factors to tf32. Here only ``products_in`` may do so.
_cudnn: Any = torch.backends.cudnn  # its types lack ``rnn``
_cudnn.rnn.fp32_precision = "ieee"


def embedding(words: int, size: int) -> nn.Embedding:
    """Return embeddings without values; the draw of ``nn.Embedding`` would be overwritten.

    Without memory (on ``meta``) that draw would also import torch's compiler, which takes a second.
    """
    made: nn.Embedding = nn.Embedding.from_pretrained(torch.empty(words, size), freeze=False)
    return made


class Scan(torch.autograd.Function):
    """All steps of a layer as one operation: h [T, N, n] and the last state from x [T, N, inputs]."""

    @staticmethod
    def forward(
        ctx: Any, cell: type[Steps], x: Tensor, W_x: Tensor, W_h: Tensor, *first: Tensor
    ) -> tuple[Tensor, ...]:
        sums = matmul(x.flatten(0, 1), W_x).view(*x.shape[:2], -1)
        steps = cell(sums, W_h, first, m=0)
        for t in range(len(x)):
            steps.forward(t, known=True)
        ctx.save_for_backward(x, W_x)
        ctx.steps = steps
        return steps.hs[1:], *steps.last()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (x, W_x), steps = ctx.saved_tensors, ctx.steps
        del ctx.steps
        grad_hs, *grad_last = grads
        steps.start_backward(grad_last)
        for t in range(len(x) - 1, -1, -1):
            steps.backward(t, grad_hs[t])
        grad_sums = steps.gates.flatten(0, 1)
        grad_x = matmul(grad_sums, W_x.T).view_as(x) if ctx.needs_input_grad[1] else None
        grad_W_x = matmul(grad_sums.T, x.flatten(0, 1).T)
        return None, grad_x, grad_W_x, steps.grad_weights(), *steps.grads


class Stack(nn.Module):
    """Recurrent layers with dropout on the input of every layer only; each step has its own mask."""

    def __init__(self, cell: Cell, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        layer_class = {"lstm": nn.LSTM, "gru": nn.GRU}[cell]
        self.cell = cell
        self.parts = {"lstm": 2, "gru": 1}[cell]  # tensors in a layer's state
        self.size = size
        self.dropout = Dropout(dropout)
        # torch's modules hold the weights, and compute the layers on a GPU. Each layer is a separate
        # module, so that the dropout between layers draws from torch's own generator, whose state a
        # checkpoint holds.
        self.layers = nn.ModuleList(
            layer_class(size if layer else inputs, size, bias=False) for layer in range(layers)
        )

    def weights(self) -> list[Weights]:
        """Return W_x and W_h of every layer."""
        return [
            (layer.get_parameter("weight_ih_l0"), layer.get_parameter("weight_hh_l0"))
            for layer in self.layers
        ]

    def on_processor(self, x: Tensor) -> bool:
        """Say whether the layers compute x as a processor does, or as a GPU does."""
        return x.is_cpu

    def steps(self, x: Tensor) -> type[Steps]:
        """Return what takes the steps of a layer where x is."""
        steps = STEPS[self.cell]
        return steps if self.on_processor(x) else steps.on_gpu()

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Return the top states [T, N, n] and the last state, from inputs [T, N, inputs].

        ``state`` is the state before the first step; None stands for zeros.
        """
        zeros = (x.new_zeros(x.shape[1], self.size),) * self.parts
        last = []
        for layer, weights, before in zip(
            self.layers, self.weights(), state or [zeros] * len(self.layers), strict=True
        ):
            scan = self._scan_cpu if self.on_processor(x) else self._scan_gpu
            x, after = scan(layer, self.dropout(x), weights, before)
            last.append(after)
        return x, tuple(last)

    def _scan_cpu(
        self, layer: nn.Module, x: Tensor, weights: Weights, before: LayerState
    ) -> tuple[Tensor, LayerState]:
        h, *after = Scan.apply(STEPS[self.cell], x, *weights, *before)
        return h, tuple(after)

    def _scan_gpu(
        self, layer: nn.Module, x: Tensor, weights: Weights, before: LayerState
    ) -> tuple[Tensor, LayerState]:
        first = tuple(part.unsqueeze(0).contiguous() for part in before)
        h, last = layer(x, first if self.parts == 2 else first[0])
        return h, tuple(part[0] for part in (last if self.parts == 2 else (last,)))
