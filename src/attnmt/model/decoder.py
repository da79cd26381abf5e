"""The decoder with attention and input feeding (sections 3 and 3.3)."""

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention import Attention, Memory
from attnmt.model.deferred import DeferredProducts, Product, product
from attnmt.model.lstm import StackedLSTM, State


class Decoder(nn.Module):
    """From the words so far to the attentional vector h~_t = tanh(W_c [c_t; h_t]) (equation 5).

    Without attention h~_t is the top state h_t itself. With input feeding the first layer reads
    [embedding; h~_{t-1}], h~ being zero before the first step.
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        n = shape.size
        self.input_feeding = system.input_feeding
        self.embedding = nn.Embedding(vocabulary, n)
        inputs = 2 * n if self.input_feeding else n
        self.lstm = StackedLSTM(inputs, n, shape.layers, system.dropout)
        self.attention = Attention(system, shape) if system.attention != "none" else None
        if self.attention is not None:
            self.W_c = nn.Parameter(torch.empty(n, 2 * n))

    def forward(
        self, words: Tensor, state: State, memory: Memory | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ [N, T, n] and the weights [N, T, M] of all steps, given the words before each.

        Args:
            words: decoder inputs, ``<s>`` first, [N, T].
            state: of the encoder after its last word.
            memory: of the source; None without attention.
        """
        embedded = self.embedding(words.T)  # [T, N, n]
        steps = torch.arange(len(embedded), device=words.device)
        if not self.input_feeding:
            h, _ = self.lstm(embedded, state)
            return self._attend(h.transpose(0, 1), memory, steps)
        times = DeferredProducts() if torch.is_grad_enabled() else product
        fed = torch.zeros_like(embedded[0])
        outputs, weights = [], []
        for t, x in enumerate(embedded):
            h, state = self.lstm.step(torch.cat([x, fed], dim=-1), state, times)
            h_tilde, a = self._attend(h.unsqueeze(1), memory, steps[t : t + 1], times)
            fed = h_tilde.squeeze(1)
            outputs.append(fed)
            weights.append(a)
        every = None if memory is None else torch.cat([a for a in weights if a is not None], dim=1)
        return torch.stack(outputs, dim=1), every

    def step(
        self, words: Tensor, fed: Tensor | None, state: State, memory: Memory | None, t: int
    ) -> tuple[Tensor, State, Tensor | None]:
        """Advance K hypotheses of each of N sentences by one word, in eval mode.

        Args:
            words: the last word of each hypothesis, [N, K].
            fed: h~_{t-1}, [N, K, n]; None at the first step.
            state: h and c of each layer, each [L, N * K, n].
            memory: of the N sentences; None without attention.
            t: the step, 0 at the first.

        Returns:
            h~ [N, K, n], the new state, the weights [N, K, M] or None without attention.
        """
        x = self.embedding(words)
        if self.input_feeding:
            x = torch.cat([x, torch.zeros_like(x) if fed is None else fed], dim=-1)
        h, state = self.lstm.step(x.flatten(0, 1), state)
        steps = torch.full((1,), t, device=words.device)
        h_tilde, weights = self._attend(h.view(*words.shape, -1), memory, steps)
        return h_tilde, state, weights

    def _attend(
        self, h: Tensor, memory: Memory | None, steps: Tensor, times: Product = product
    ) -> tuple[Tensor, Tensor | None]:
        """From top states [N, K, n] to h~ [N, K, n] and the weights."""
        if self.attention is None or memory is None:
            return h, None
        context, weights = self.attention(h, memory, steps, times)
        return torch.tanh(times(torch.cat([context, h], dim=-1), self.W_c)), weights
