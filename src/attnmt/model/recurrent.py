"""The stacked LSTM or GRU of encoder and decoder, over whole sentences or stepped."""

import torch
from torch import Tensor, nn

from attnmt.config import Cell
from attnmt.model.cells import LayerState, gru_cell, lstm_cell
from attnmt.model.deferred import Products
from attnmt.model.dropout import Dropout
from attnmt.model.scans import GRUScan, LSTMScan

State = tuple[LayerState, ...]  # of every layer, the first first
Weights = tuple[Tensor, Tensor]  # W_x [gates n, inputs], W_h [gates n, n]


class Stack(nn.Module):
    """Recurrent layers, dropout on the input of every layer and nowhere else, fresh at every step."""

    def __init__(self, cell: Cell, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU}[cell]
        self.cell = cell
        self.parts = {"lstm": 2, "gru": 1}[cell]
        self.size = size
        self.dropout = Dropout(dropout)
        # torch's modules hold the weights and are the GPU's path. One module a layer: the dropout
        # between layers then draws from torch's own generator, which a checkpoint holds.
        self.layers = nn.ModuleList(
            kind(size if layer else inputs, size, bias=False) for layer in range(layers)
        )

    def weights(self) -> list[Weights]:
        """Return W_x and W_h of every layer."""
        return [
            (layer.get_parameter("weight_ih_l0"), layer.get_parameter("weight_hh_l0"))
            for layer in self.layers
        ]

    def zeros(self, like: Tensor) -> State:
        """Return the zero state for inputs [.., N, inputs]."""
        zero = like.new_zeros(like.shape[-2], self.size)
        return ((zero,) * self.parts,) * len(self.layers)

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Return the top states [T, N, n] and the last state, from inputs [T, N, inputs].

        ``state`` is the one before the first step; zeros if None.
        """
        last = []
        for layer, weights, before in zip(
            self.layers, self.weights(), state or self.zeros(x), strict=True
        ):
            scan = self._scan_gpu if x.is_cuda else self._scan_cpu
            x, after = scan(layer, self.dropout(x), weights, before)
            last.append(after)
        return x, tuple(last)

    def stepped(self, W_x: Tensor, steps: int, rows: int, products: Products) -> "Stepped":
        """Return the layers ready for ``steps`` steps of ``rows`` rows.

        Args:
            W_x: of the first layer, for that part of its input that each step brings, [gates n, m].
            steps: how many.
            rows: sentences, or hypotheses of sentences.
            products: how to multiply.
        """
        weights = [(W_x, self.weights()[0][1]), *self.weights()[1:]]
        masks = [self.dropout.mask((steps, rows, W.shape[1]), W_x) for W, _ in weights]
        return Stepped(self.cell, weights, masks, products)

    def _scan_cpu(
        self, layer: nn.Module, x: Tensor, weights: Weights, before: LayerState
    ) -> tuple[Tensor, LayerState]:
        if self.parts == 2:
            h, *after = LSTMScan.apply(x, *weights, *before)
            return h, tuple(after)
        h = GRUScan.apply(x, *weights, *before)
        return h, (h[-1],)

    def _scan_gpu(
        self, layer: nn.Module, x: Tensor, weights: Weights, before: LayerState
    ) -> tuple[Tensor, LayerState]:
        first = tuple(part.unsqueeze(0).contiguous() for part in before)
        h, last = layer(x, first if self.parts == 2 else first[0])
        return h, tuple(part[0] for part in (last if self.parts == 2 else (last,)))


class Stepped:
    """The layers stepped: what all steps share is prepared once."""

    def __init__(
        self,
        cell: Cell,
        weights: list[Weights],
        masks: list[Tensor | None],
        products: Products,
    ) -> None:
        self.cell = {"lstm": lstm_cell, "gru": gru_cell}[cell]
        # The LSTM adds its two products, so that they can be one.
        self.weights = (
            [(torch.cat(pair, dim=1),) for pair in weights] if cell == "lstm" else weights
        )
        self.masks = masks
        self.products = products

    def step(self, t: int, x: Tensor, gates: Tensor, state: State) -> tuple[Tensor, State]:
        """Return the top state [N, n] and the new state after step t.

        Args:
            t: 0, 1, ..
            x: what the step brings to the first layer, [N, m].
            gates: the part of its W_x x_t that is known already, [N, gates n].
            state: before the step.
        """
        new: list[LayerState] = []
        known: Tensor | None = gates
        for weights, mask, before in zip(self.weights, self.masks, state, strict=True):
            dropped = None if mask is None else mask[t]
            new.append(self.cell(x, dropped, known, before, weights, self.products))
            x, known = new[-1][0], None
        return x, tuple(new)
