"""The same model as ours, as one writes it in torch and lets autograd differentiate it.

It computes the same function of the same weights, dropout in the same places: its losses without dropout
are what ours must be.
"""

import torch
from torch import Tensor, nn

from attnmt.data.batches import Batch, make_batch
from benchmarks.systems.ours import build
from benchmarks.workload import CLIP_NORM, Pairs, Size


class PlainModel(nn.Module):
    """Luong's global attention, general score, input feeding; no biases."""

    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        n = size.cells
        self.source_embedding = nn.Embedding(size.words, n)
        self.encoder = nn.LSTM(n, n, size.layers, bias=False, dropout=dropout)
        self.target_embedding = nn.Embedding(size.words, n)
        inputs = [2 * n, *[n] * (size.layers - 1)]
        self.cells = nn.ModuleList(nn.LSTMCell(m, n, bias=False) for m in inputs)
        self.W_a = nn.Linear(n, n, bias=False)  # applied to the source, once
        self.W_c = nn.Linear(2 * n, n, bias=False)
        self.W_s = nn.Linear(n, size.words, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the summed loss of a batch in nats."""
        M, T = batch.source.shape[1], batch.words.shape[1]
        padding = torch.arange(M) < M - batch.source_lengths[:, None]  # [N, M]; on the left
        # Without biases, zero inputs keep the state zero until the first word.
        x = self.source_embedding(batch.source).masked_fill(padding[:, :, None], 0.0)
        top, (h, c) = self.encoder(self.dropout(x.transpose(0, 1)))
        memory = top.transpose(0, 1).contiguous()  # [N, M, n]
        keys = self.W_a(memory)
        state = list(zip(h, c, strict=True))
        fed = memory.new_zeros(len(memory), memory.shape[2])
        outputs = []
        for embedded in self.target_embedding(batch.words.T):
            x = torch.cat([embedded, fed], dim=1)
            for i, cell in enumerate(self.cells):
                state[i] = cell(self.dropout(x), state[i])
                x = state[i][0]
            scores = torch.bmm(keys, x[:, :, None])[:, :, 0].masked_fill(padding, -torch.inf)
            context = torch.bmm(torch.softmax(scores, dim=1)[:, None, :], memory)[:, 0]
            fed = torch.tanh(self.W_c(torch.cat([context, x], dim=1)))
            outputs.append(fed)
        real = torch.arange(T) < batch.lengths[:, None]
        logits = self.W_s(torch.stack(outputs, dim=1)[real])
        return nn.functional.cross_entropy(logits, batch.next_words[real], reduction="sum")


class PlainTrainer:
    """The training step, with torch's own clipping and SGD."""

    def __init__(self, size: Size, dropout: float) -> None:
        self.model = PlainModel(size, dropout)
        self.model.load_state_dict(from_ours(build(size, dropout).state_dict()))
        self.model.train()
        self._optimizer = torch.optim.SGD(self.model.parameters(), size.rate)

    def prepare(self, pairs: Pairs) -> Batch:
        return make_batch(pairs.sources, pairs.targets, reverse=False)

    def train(self, batch: Batch) -> float:
        loss = self.model(batch)
        (loss / len(batch.lengths)).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP_NORM)
        self._optimizer.step()
        self._optimizer.zero_grad()
        return float(loss.detach())


def from_ours(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return our weights under this model's names."""
    names = {
        "encoder.embedding.weight": "source_embedding.weight",
        "decoder.embedding.weight": "target_embedding.weight",
        "decoder.W_c": "W_c.weight",
        "W_s": "W_s.weight",
    }
    found = {new: weights[old] for old, new in names.items()}
    found["W_a.weight"] = weights["decoder.attention.W_a"].T  # h_s . W_a h_t
    for name, value in weights.items():
        side, _, rest = name.partition(".stack.layers.")
        if rest:
            layer, matrix = rest.split(".")  # weight_ih_l0 or weight_hh_l0
            matrix = matrix.removesuffix("_l0")
            encoder = f"encoder.{matrix}_l{layer}"
            found[encoder if side == "encoder" else f"cells.{layer}.{matrix}"] = value
    return found
