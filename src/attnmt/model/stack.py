"""Recurrent layers on top of each other, with dropout on the input of every layer and nowhere else."""

from typing import Any

import torch
from torch import Tensor, nn

from attnmt.config import Cell
from attnmt.model.cells import GRU, LSTM
from attnmt.model.cells import State as LayerState
from attnmt.model.dropout import Dropout
from attnmt.model.products import matmul

State = tuple[LayerState, ...]  # one for each layer, from the first to the top

# By default, torch lets cuDNN round these layers' factors to tf32. Here only ``products_in`` may do so.
_cudnn: Any = torch.backends.cudnn  # its types lack ``rnn``
_cudnn.rnn.fp32_precision = "ieee"


class Stack(nn.Module):
    """Layers of n cells each.

    Each layer is torch's module, which holds the weights, and computes all steps on a GPU (cuDNN).
    """

    def __init__(self, cell: Cell, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.cell: Any = {"lstm": LSTM, "gru": GRU}[cell]
        self.size, self.dropout = size, Dropout(dropout)
        self.layers: Any = nn.ModuleList(
            self.cell(size if layer else inputs, size, bias=False) for layer in range(layers)
        )

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Return the top states [T, N, n] and the last state, from inputs [T, N, inputs].

        A layer takes all steps before the next one starts. ``state`` is the state before the first step;
        None stands for zeros.
        """
        zeros = (x.new_zeros(x.shape[1], self.size),) * self.cell.parts
        last = []
        for layer, before in zip(self.layers, state or [zeros] * len(self.layers), strict=True):
            x, after = (_scan if x.is_cpu else _scan_on_gpu)(layer, self.dropout(x), before)
            last.append(after)
        return x, tuple(last)


class Steps:
    """The layers of a stack a step at a time, for one batch.

    The first layer reads y_t, which is known beforehand, and x_t, which is not: W_x [x; y] is the sum of
    a product for all steps (``known``) and of one at each. Each step has its own masks of dropout.
    """

    def __init__(self, stack: Stack, W_y: Tensor, W_x: Tensor | None, like: Tensor, T: int) -> None:
        """Take a batch of ``like``'s rows, [.., n], over T steps (0 in a search).

        Args:
            W_y: the first layer's weight for y_t, [gates n, e].
            W_x: the one for x_t, [gates n, m]; None where nothing but y_t is read.
        """
        self.cell, self.W_y = stack.cell, W_y
        weights = [W_x, *(layer.weight_ih_l0 for layer in stack.layers[1:])]
        self.W = [
            self.cell.factors(W, layer.weight_hh_l0)
            for W, layer in zip(weights, stack.layers, strict=True)
        ]
        sizes = [0 if W is None else W.shape[1] for W in weights]
        self.reads = W_x is not None
        masks = [stack.dropout.mask((T, *like.shape[:-1], m), like) for m in sizes]
        self.masks = [None if mask is None else mask.unbind(0) for mask in masks]

    def known(self, y: Tensor) -> Tensor:
        """Return the part of the first layer's sums that y [.., e] gives, [.., gates n]."""
        return matmul(y, self.W_y)

    def __call__(self, sums: Tensor, x: Tensor, state: State, t: int) -> tuple[Tensor, State]:
        """Take step t from ``known`` of y_t, x_t [.., m]; return the top h_t [.., n] and all states."""
        known: Tensor | None = sums
        given: Tensor | None = x if self.reads else None
        after: list[LayerState] = []
        for W, mask, before in zip(self.W, self.masks, state, strict=True):
            if given is not None and mask is not None:
                given = given * mask[t]
            after.append(self.cell.step(W, known, given, before))
            known, given = None, after[-1][0]
        return after[-1][0], tuple(after)


def _scan(layer: Any, x: Tensor, state: LayerState) -> tuple[Tensor, LayerState]:
    """Return the states h_t [T, N, n] of a layer and the last state, from x [T, N, m]."""
    W, hs = layer.factors(None, layer.weight_hh_l0), []
    for known in matmul(x, layer.weight_ih_l0):
        state = layer.step(W, known, None, state)
        hs.append(state[0])
    return torch.stack(hs), state


def _scan_on_gpu(layer: Any, x: Tensor, state: LayerState) -> tuple[Tensor, LayerState]:
    first = tuple(part.unsqueeze(0).contiguous() for part in state)
    h, last = layer(x, first if len(first) > 1 else first[0])
    return h, tuple(part[0] for part in (last if len(first) > 1 else (last,)))
