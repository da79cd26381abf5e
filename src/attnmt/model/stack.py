"""Recurrent layers on top of each other, with dropout on the input of every layer and nowhere else."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnmt.config import Cell
from attnmt.model.cells import GRU, LSTM
from attnmt.model.cells import State as LayerState
from attnmt.model.dropout import Dropout

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
        self.inputs, self.size, self.dropout = inputs, size, Dropout(dropout)
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
    """The layers of a stack a step at a time, for one batch."""

    def __init__(self, stack: Stack, m: int, like: Tensor, T: int) -> None:
        """Take T steps (0 in a search) of a batch of ``like``'s rows, [.., n].

        Args:
            m: the size of what only a step brings to the first layer; dropout masks it here.
        """
        self.cell = stack.cell
        self.W = [layer.factors() for layer in stack.layers]
        sizes = [m, *(stack.size for _ in self.W[1:])]
        masks = [stack.dropout.mask((T, *like.shape[:-1], size), like) for size in sizes]
        self.masks = [None if mask is None else mask.unbind(0) for mask in masks]

    def masked(self, x: Tensor, t: int, layer: int = 0) -> Tensor:
        """Return what a layer reads at step t, [.., m], with its mask applied."""
        mask = self.masks[layer]
        return x if mask is None else x * mask[t]

    def __call__(self, x: Sequence[Tensor], state: State, t: int) -> tuple[Tensor, State]:
        """Take step t from the first layer's x_t in parts; return the top h_t [.., n] and all states."""
        after: list[LayerState] = []
        for number, (W, before) in enumerate(zip(self.W, state, strict=True)):
            if number:
                x = [self.masked(after[-1][0], t, number)]
            after.append(self.cell.step(W, x, before))
        return after[-1][0], tuple(after)


def _scan(layer: Any, x: Tensor, state: LayerState) -> tuple[Tensor, LayerState]:
    """Return the states h_t [T, N, n] of a layer and the last state, from x [T, N, m]."""
    W, hs = layer.factors(), []
    for x_t in x:
        state = layer.step(W, [x_t], state)
        hs.append(state[0])
    return torch.stack(hs), state


def _scan_on_gpu(layer: Any, x: Tensor, state: LayerState) -> tuple[Tensor, LayerState]:
    first = tuple(part.unsqueeze(0).contiguous() for part in state)
    h, last = layer(x, first if len(first) > 1 else first[0])
    return h, tuple(part[0] for part in (last if len(first) > 1 else (last,)))
