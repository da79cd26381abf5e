"""Attention over the source: global, local-m, local-p, each with its scores (sections 3.1 and 3.2).

Positions are those of the **original** sentence, 0 .. S-1, although the encoder may read it reversed
and batches are padded on the left: ``Memory.positions`` says which column holds which position.

Notation of the paper: h_t decoder state, h_s source state, a_t weights, c_t context, p_t centre of the
local window, D its half-width. In the course report's GRU the query h_t is the state before the step.
"""

from typing import NamedTuple, Self

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System


class Memory(NamedTuple):
    """What the decoder attends to, for N sentences of at most M source words."""

    values: Tensor  # what is averaged: h_s, [N, M, n] (key_value: its second half); zero at padding
    keys: Tensor  # what h_t is compared with, [N, M, n]; for score self the scores, [N, 1, M]
    positions: Tensor  # of each column, [N, M]; 0 .. S-1 at words, beyond either end at padding
    lengths: Tensor  # S, [N]
    words: Tensor  # which columns hold words, [N, 1, M]

    def select(self, rows: Tensor) -> Self:
        """Keep the sentences ``rows``."""
        return type(self)(*(part[rows] for part in self))


class Attention(nn.Module):
    """Weights a_t over the source words and the context c_t = sum_s a_t(s) h_s.

    - global: softmax of the scores over all words (equation 7); with score ``location``,
      softmax(W_a h_t) over a fixed number of slots, of which a sentence uses the first S (equation 8).
      Slots are counted from the last word that the encoder read and are not renormalised.
    - local_m: softmax over the window p_t - D .. p_t + D with p_t = min(t, S - 1).
    - local_p: the same around floor(p_t), p_t = S sigmoid(v_p . tanh(W_p h_t)) (equation 9), each
      weight then times exp(-(s - p_t)^2 / (2 (D/2)^2)), not renormalised (equation 10). The gradient
      reaches p_t through this factor alone.

    Scores of the paper: dot h_s . h_t; general h_s . W_a h_t; concat v_a . tanh(W_a h_t + U_a h_s), the
    paper's W_a [h_t; h_s]; additive v_a . tanh(W_a h_t + h_s), the concat of the authors' program, whose
    matrix for h_s is the identity.

    Scores of the course report: its additive is concat, its multiplicative general; self is
    v_a . tanh(W_a h_s), whatever h_t; key_value splits h_s into a key k_s and a value of half its size,
    scores v_a . tanh(W_a h_t + U_a k_s) and averages the values. Its window of L positions is that of
    local_m, L = 2D + 1.

    ``System.faults`` brings back what was wrong in the program when the paper's models were trained.
    """

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        n = shape.size
        self.kind = system.attention
        self.score = system.score
        self.D = shape.window_D
        self.faults = system.faults
        self.context_size = n // 2 if self.score == "key_value" else n
        if self.score not in ("dot", "location"):
            self.W_a = nn.Parameter(torch.empty(n, n))
        if self.score == "location":
            self.W_a = nn.Parameter(torch.empty(shape.location_slots, n))
        if self.score in ("concat", "key_value"):
            self.U_a = nn.Parameter(torch.empty(n, n if self.score == "concat" else n - n // 2))
        if self.score in ("concat", "additive", "key_value", "self"):
            self.v_a = nn.Parameter(torch.empty(n))
        if self.kind == "local_p":
            self.W_p = nn.Parameter(torch.empty(n, n))
            self.v_p = nn.Parameter(torch.empty(n))

    def remember(self, values: Tensor, positions: Tensor, lengths: Tensor) -> Memory:
        """Prepare source states [N, M, n] once for all decoder steps."""
        keys = values
        if self.score == "general" and "general_gradient" in self.faults:
            # The gradient that reaches h_s is h_t where W_a h_t would be right; the value is the same.
            keys = values.detach() @ self.W_a + (values - values.detach())
        elif self.score == "general":
            keys = values @ self.W_a
        elif self.score == "concat":
            keys = values @ self.U_a.T
        elif self.score == "self":
            keys = (torch.tanh(values @ self.W_a.T) @ self.v_a).unsqueeze(1)
        elif self.score == "key_value":
            keys, values = values.split(
                [values.shape[2] - self.context_size, self.context_size], dim=2
            )
            keys = keys @ self.U_a.T
        words = ((positions >= 0) & (positions < lengths[:, None])).unsqueeze(1)
        return Memory(values, keys, positions, lengths, words)

    def forward(self, h: Tensor, memory: Memory, steps: Tensor) -> tuple[Tensor, Tensor]:
        """Return the contexts c_t [N, K, n] and weights [N, K, M] of K queries a sentence.

        Args:
            h: h_t, [N, K, n]; the K queries are decoder steps in training, hypotheses in search.
            memory: of the N sentences.
            steps: the decoder step t = 0, 1, .. of each query, [K] (or [1] for all).
        """
        if self.score == "location":
            weights = self._location_weights(h @ self.W_a.T, memory)
        else:
            weights = self._content_weights(h, memory, steps)
        return torch.bmm(weights, memory.values), weights

    def _location_weights(self, scores: Tensor, memory: Memory) -> Tensor:
        columns = memory.values.shape[1]
        a = torch.softmax(scores, dim=-1)[..., :columns]
        beyond = columns - a.shape[-1]  # columns that no slot addresses: the words read first
        a = nn.functional.pad(a.flip(-1), (beyond, 0))
        return a * memory.words

    def _content_weights(self, h: Tensor, memory: Memory, steps: Tensor) -> Tensor:
        scores = self._content_scores(h, memory)
        s = memory.positions[:, None, :]
        # Padding's h_s is zero, so that without a mask it takes part with a score of its own.
        faulty = "unmasked_padding" in self.faults
        attended = torch.ones_like(memory.words) if faulty else memory.words
        p = None
        if self.kind == "local_m":
            centre = torch.minimum(steps[None, :], memory.lengths[:, None] - 1)[:, :, None]
            attended = attended & ((s - centre).abs() <= self.D)
        if self.kind == "local_p":
            p = torch.tanh(h @ self.W_p.T) @ self.v_p
            p = torch.sigmoid(p) * memory.lengths[:, None]
            if "position_gradient" in self.faults:
                p = (p + p.detach()) / 2  # half the gradient, the same value
            p = p[:, :, None]
            attended = attended & ((s - p.detach().floor()).abs() <= self.D)
        a = torch.softmax(scores.masked_fill(~attended, -torch.inf), dim=-1)
        if p is not None:
            sigma = self.D / 2
            a = a * torch.exp((s - p) ** 2 * (-1 / (2 * sigma**2)))
        return a

    def _content_scores(self, h: Tensor, memory: Memory) -> Tensor:
        """Return the scores [N, K, M] of queries h [N, K, n], those of padding meaning nothing."""
        if self.score in ("dot", "general"):
            return torch.bmm(h, memory.keys.transpose(1, 2))
        if self.score == "self":
            return memory.keys.expand(-1, h.shape[1], -1)
        query = (h @ self.W_a.T)[:, :, None, :]
        return torch.tanh(memory.keys[:, None, :, :] + query) @ self.v_a
