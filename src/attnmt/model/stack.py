"""Recurrent layers on top of each other, with dropout on the input of every layer and nowhere else."""

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

    Each layer is torch's module, which holds the weights, and takes all steps at once by cuDNN on a GPU.
    On a processor, oneDNN does so for an LSTM, with the same bytes wherever it is held to AVX2.
    """

    def __init__(self, cell: Cell, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.cell: Any = LSTM if cell == "lstm" else GRU
        self.size, self.dropout = size, Dropout(dropout)
        self.layers: Any = nn.ModuleList(
            self.cell.module(size if layer else inputs, size, bias=False) for layer in range(layers)
        )

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Return the top states [T, N, n] and the last state, from inputs [T, N, inputs].

        A layer takes all steps before the next one starts. ``state`` is the state before the first step;
        None stands for zeros.
        """
        zeros = (x.new_zeros(x.shape[1], self.size),) * self.cell.parts
        last = []
        for layer, before in zip(self.layers, state or [zeros] * len(self.layers), strict=True):
            x, after = self.scan(layer, self.dropout(x), before)
            last.append(after)
        return x, tuple(last)

    def scan(self, layer: Any, x: Tensor, state: LayerState) -> tuple[Tensor, LayerState]:
        """Return the states h_t [T, N, n] of a layer and the last state, from its inputs [T, N, m]."""
        if self.cell is GRU and x.is_cpu:  # where torch's own multiplies by MKL (``products.py``)
            cells, hs = GRU(layer.weight_hh_l0, None, layer.weight_ih_l0, x), []
            for t in range(len(x)):
                state = cells.step(None, state, t)
                hs.append(state[0])
            return torch.stack(hs), state
        first = tuple(part.unsqueeze(0).contiguous() for part in state)
        h, last = layer(x, first if len(first) > 1 else first[0])
        return h, tuple(part[0] for part in (last if len(first) > 1 else (last,)))


class UnrolledLayers:
    """The layers of a stack for one batch; a call takes one step through all of them."""

    def __init__(
        self,
        stack: Stack,
        like: Tensor,
        W_x: Tensor | None = None,
        W_y: Tensor | None = None,
        y: Tensor | None = None,
    ) -> None:
        """Take a batch of ``like``'s rows, [.., n].

        In a search, each step brings all that the first layer reads. In training, y is known.

        Args:
            W_x: the first layer's weights of what each of the known steps brings, [gates n, m].
            W_y: those of y, [gates n, e].
            y: the first layer's input of all steps, with dropout applied, [T, .., e].
        """
        first, *above = stack.layers
        W_x = first.weight_ih_l0 if W_x is None else W_x
        T = 0 if y is None else len(y)
        self.layers = [stack.cell(first.weight_hh_l0, W_x, W_y, y)]
        self.layers += [stack.cell(one.weight_hh_l0, one.weight_ih_l0, None, None) for one in above]
        sizes = [W_x.shape[1], *(stack.size for _ in above)]
        masks = [stack.dropout.mask((T, *like.shape[:-1], size), like) for size in sizes]
        self.masks = [None if mask is None else mask.unbind(0) for mask in masks]

    def masked(self, x: Tensor, t: int, layer: int = 0) -> Tensor:
        """Return what a step brings to a layer, [.., m], with its mask applied."""
        mask = self.masks[layer]
        return x if mask is None else x * mask[t]

    def __call__(self, x: Tensor, state: State, t: int) -> tuple[Tensor, State]:
        """Take step t from the first layer's x_t [.., m]; return the top h_t [.., n] and all states."""
        after: list[LayerState] = []
        for number, (layer, before) in enumerate(zip(self.layers, state, strict=True)):
            if number:
                x = self.masked(after[-1][0], t, number)
            after.append(layer.step(x, before, t))
        return after[-1][0], tuple(after)
