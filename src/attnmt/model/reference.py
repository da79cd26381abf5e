"""The model as the paper writes it: plain torch, one step after the other, derivatives by autograd.

Read this file first. Training and translation use ``luong.py``, which computes the same function of
the same parameters in less time. The tests compare values and gradients of the two in every variant.
They also compare both with cases that the authors' own program computed.

Equations are those of Luong et al. (2015). N sentences have at most M source and T target words; a layer
has n cells and an embedding e numbers. No part has a bias.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.config.parts import SCORES, WINDOWS
from attnmt.model.attention.layer import Attention as RegisteredAttention
from attnmt.model.dropout import Dropout
from attnmt.model.fast.encoder import ENCODERS
from attnmt.model.luong import ModelConfig

State = tuple[Tensor, ...]  # one layer's h [N, n], and for the LSTM its c [N, n]


class LSTM(nn.Module):
    """A layer of LSTM cells (Zaremba et al. 2014).

    Its parameters have the names that ``torch.nn.LSTM`` gives them, with rows in the order i, f, g, o.
    """

    def __init__(self, inputs: int, n: int) -> None:
        super().__init__()
        self.weight_ih_l0 = nn.Parameter(torch.empty(4 * n, inputs))
        self.weight_hh_l0 = nn.Parameter(torch.empty(4 * n, n))

    def forward(self, x: Tensor, state: State) -> State:
        """Return h_t and c_t from x_t [N, inputs], h_{t-1} and c_{t-1}."""
        h, c = state
        i, f, g, o = (x @ self.weight_ih_l0.T + h @ self.weight_hh_l0.T).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class GRU(nn.Module):
    """A layer of GRU cells (Cho et al. 2014), in the form of ``torch.nn.GRU``, with rows r, z, n."""

    def __init__(self, inputs: int, n: int) -> None:
        super().__init__()
        self.weight_ih_l0 = nn.Parameter(torch.empty(3 * n, inputs))
        self.weight_hh_l0 = nn.Parameter(torch.empty(3 * n, n))

    def forward(self, x: Tensor, state: State) -> State:
        """Return h_t from x_t [N, inputs] and h_{t-1}."""
        (h,) = state
        r_x, z_x, n_x = (x @ self.weight_ih_l0.T).chunk(3, dim=1)
        r_h, z_h, n_h = (h @ self.weight_hh_l0.T).chunk(3, dim=1)
        r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
        new = torch.tanh(n_x + r * n_h)
        return ((1 - z) * new + z * h,)


class Stack(nn.Module):
    """Layers on top of each other, with dropout on the input of every layer and nowhere else."""

    def __init__(self, shape: ModelShape, inputs: int, dropout: float) -> None:
        super().__init__()
        layer = {"lstm": LSTM, "gru": GRU}[shape.cell]
        sizes = [inputs] + [shape.size] * (shape.layers - 1)
        self.layers = nn.ModuleList(layer(size, shape.size) for size in sizes)
        self.dropout = Dropout(dropout)

    def mask(self, T: int, like: Tensor) -> Tensor:
        """Draw dropout's mask for an input [N, m] at each of T steps, [T, N, m]."""
        mask = self.dropout.mask((T, *like.shape), like)
        return like.new_ones(T, *like.shape) if mask is None else mask

    def masks(self, T: int, state: list[State]) -> list[Tensor]:
        """Draw the masks for T steps of all layers but the first, whose input the caller masks."""
        return [self.mask(T, h) for h, *_ in state[:-1]]

    def forward(
        self, x: Tensor, state: list[State], masks: list[Tensor], t: int
    ) -> tuple[Tensor, list[State]]:
        """Take step t with x_t [N, inputs]; return the top layer's h_t [N, n] and all states."""
        after: list[State] = []
        for number, layer in enumerate(self.layers):
            if number:
                x = x * masks[number - 1][t]
            after.append(layer(x, state[number]))
            x = after[-1][0]
        return x, after


class Source(NamedTuple):
    """What the decoder attends to."""

    h_s: Tensor  # the encoder's top states, [N, M, n]; zero at padding
    s: Tensor  # position of each column in the sentence, [N, M]; outside 0 .. S - 1 at padding
    S: Tensor  # words of each sentence, [N, 1]

    @property
    def words(self) -> Tensor:
        """Which columns hold words, [N, M]."""
        return (self.s >= 0) & (self.s < self.S)


class Encoder(nn.Module):
    """Reads the source, padded on the left, from the zero state, which padding does not change."""

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.shape, self.reverse = shape, system.reverse
        self.embedding = nn.Embedding(vocabulary, shape.embedding_size)
        self.stack = Stack(shape, shape.embedding_size, system.dropout)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, list[State]]:
        """Return h_s, s (see ``Source``) and the last states, from ids [N, M] as read, lengths [N]."""
        (N, M), S = source.shape, lengths[:, None]
        read = torch.arange(M, device=source.device) - (M - S)  # 0 .. S - 1 in the order of reading
        x = self.embedding(source) * (read >= 0)[:, :, None]
        x = self.stack.dropout(x.transpose(0, 1))  # [M, N, e]
        zero = x.new_zeros(N, self.shape.size)
        state: list[State] = [(zero, zero) if self.shape.cell == "lstm" else (zero,)]
        state = state * self.shape.layers
        masks, top = self.stack.masks(M, state), []
        for column in range(M):
            h, state = self.stack(x[column], state, masks, column)
            top.append(h)
        return torch.stack(top, dim=1), S - 1 - read if self.reverse else read, state


class Attention(nn.Module):
    """Weights a_t over the source and the context c_t = sum_s a_t(s) h_s (sections 3.1 and 3.2)."""

    def __init__(self, system: System, shape: ModelShape) -> None:
        super().__init__()
        self.system, self.D, n = system, system.window_D or shape.window_D, shape.size
        self.sigma = self.D / 2
        self.context_size = n // 2 if system.score == "key_value" else n
        rows = {"dot": 0, "location": shape.location_slots}.get(str(system.score), n)
        columns = {"concat": n, "key_value": n - n // 2}.get(str(system.score))
        if rows:
            self.W_a = nn.Parameter(torch.empty(rows, n))
        if columns:
            self.U_a = nn.Parameter(torch.empty(n, columns))
        if system.score in ("concat", "additive", "self", "key_value"):
            self.v_a = nn.Parameter(torch.empty(n))
        if system.attention == "local_p":
            self.W_p = nn.Parameter(torch.empty(n, n))
            self.v_p = nn.Parameter(torch.empty(n))

    def forward(self, h: Tensor, source: Source, t: int) -> tuple[Tensor, Tensor]:
        """Return c_t and a_t [N, M] of step t = 0, 1, .. from h_t [N, n]."""
        a = (
            self.location(h, source)
            if self.system.score == "location"
            else self.content(h, source, t)
        )
        # Where h_s holds a key and a value, the value is its second half.
        values = source.h_s[:, :, -self.context_size :]
        return torch.einsum("nm,nmd->nd", a, values), a

    def location(self, h: Tensor, source: Source) -> Tensor:
        """Equation 8: softmax(W_a h_t) over a fixed number of slots, the first for the word read last.

        A sentence uses the first S slots. The weight of the others is lost.
        """
        a = torch.softmax(h @ self.W_a.T, dim=1)
        M, slots = source.s.shape[1], a.shape[1]
        a = nn.functional.pad(a.flip(1), (max(0, M - slots), 0))[:, -M:]
        return a * source.words

    def content(self, h: Tensor, source: Source, t: int) -> Tensor:
        """Equation 7, softmax of the scores, over all words or over a window around p_t."""
        _, s, S = source
        attended, gaussian = source.words, torch.ones_like(h[:, :1])
        if "unmasked_padding" in self.system.faults:
            attended = torch.ones_like(attended)
        if self.system.attention == "local_m":
            p = (S - 1).clamp(max=t)
            attended = attended & ((s - p).abs() <= self.D)
        if self.system.attention == "local_p":
            p = S * torch.sigmoid(torch.tanh(h @ self.W_p.T) @ self.v_p)[:, None]  # equation 9
            if "position_gradient" in self.system.faults:
                p = (p + p.detach()) / 2  # half the gradient
            attended = attended & ((s - p.floor()).abs() <= self.D)
            gaussian = torch.exp(-((s - p) ** 2) / (2 * self.sigma**2))
        scores = self.scores(h, source.h_s).masked_fill(~attended, -torch.inf)
        return torch.softmax(scores, dim=1) * gaussian  # equation 10

    def scores(self, h: Tensor, h_s: Tensor) -> Tensor:
        """Return score(h_t, h_s), [N, M].

        The last two scores are from the course report. What the report calls additive is concat here.
        """
        match self.system.score:
            case "dot":
                return dot(h, h_s)
            case "general" if "general_gradient" in self.system.faults:
                # The value is right, but h_s gets the gradient h_t in place of W_a h_t.
                return dot(h @ self.W_a.T, h_s.detach()) + dot(h.detach(), h_s - h_s.detach())
            case "general":
                return dot(h @ self.W_a.T, h_s)
            case "concat":  # the paper's W_a [h_t; h_s] is [W_a U_a] here
                return torch.tanh((h @ self.W_a.T)[:, None] + h_s @ self.U_a.T) @ self.v_a
            case "additive":  # the concat of the authors' program
                return torch.tanh((h @ self.W_a.T)[:, None] + h_s) @ self.v_a
            case "self":
                return torch.tanh(h_s @ self.W_a.T) @ self.v_a
            case "key_value":  # a state's first half is the key
                k_s = h_s[:, :, : -self.context_size]
                return torch.tanh((h @ self.W_a.T)[:, None] + k_s @ self.U_a.T) @ self.v_a
        raise NotImplementedError(f"the reference has no score {self.system.score!r}")


class OwnAttention(RegisteredAttention):
    """Attention with a score or a window of one's own, which is taken as it is, a step at a time."""

    def forward(self, h: Tensor, source: Source, t: int) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return c_t and a_t as ``Attention.forward`` does."""
        memory = self.remember(source.h_s, source.s, source.S[:, 0])
        c, a = super().forward(h[:, None], memory, torch.tensor([t], device=h.device))
        return c[:, 0], a[:, 0]


def attention_of(system: System, shape: ModelShape) -> Attention | OwnAttention:
    """Return attention as it is written out above, or with parts of one's own."""
    known = system.score in SCORES and system.attention in WINDOWS
    return Attention(system, shape) if known else OwnAttention(system, shape)


def dot(h: Tensor, h_s: Tensor) -> Tensor:
    """Return the products [N, M] of h [N, n] with each state of h_s [N, M, n]."""
    return torch.einsum("nd,nmd->nm", h, h_s)


class LuongDecoder(nn.Module):
    """Attention after the recurrence; the attentional vector h~_t predicts the next word."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        system, n, e = config.system, config.shape.size, config.shape.embedding_size
        self.feeding = system.input_feeding
        self.embedding = nn.Embedding(config.target_words, e)
        self.stack = Stack(config.shape, e + n if self.feeding else e, system.dropout)
        self.attention = attention_of(system, config.shape) if system.attention != "none" else None
        if self.attention is not None:
            self.W_c = nn.Parameter(torch.empty(n, self.attention.context_size + n))

    def forward(
        self, words: Tensor, state: list[State], source: Source
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ [N, T, n] and the weights [N, T, M], if any, from the decoder's inputs [N, T]."""
        T, h_tilde = words.shape[1], torch.zeros_like(state[-1][0])
        y = self.stack.dropout(self.embedding(words.T))  # [T, N, e]
        feeding_mask = self.stack.mask(T, h_tilde) if self.feeding else None
        masks, outputs, weights = self.stack.masks(T, state), [], []
        for t in range(T):
            # Section 3.3: the first layer reads [y_t; h~_{t-1}].
            x = y[t]
            if feeding_mask is not None:
                x = torch.cat([x, h_tilde * feeding_mask[t]], dim=1)
            h_tilde, state = self.stack(x, state, masks, t)
            if self.attention is not None:
                c, a = self.attention(h_tilde, source, t)
                h_tilde = torch.tanh(torch.cat([c, h_tilde], dim=1) @ self.W_c.T)  # equation 5
                weights.append(a)
            outputs.append(h_tilde)
        return torch.stack(outputs, dim=1), torch.stack(weights, dim=1) if weights else None


class BahdanauDecoder(nn.Module):
    """The course report's decoder attends before the recurrence: s_t = GRU([c_t; y_t], s_{t-1})."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        e = config.shape.embedding_size
        self.embedding = nn.Embedding(config.target_words, e)
        self.attention = attention_of(config.system, config.shape)
        inputs = self.attention.context_size + e
        self.stack = Stack(config.shape, inputs, config.system.dropout)

    def forward(self, words: Tensor, state: list[State], source: Source) -> tuple[Tensor, Tensor]:
        """Return s [N, T, n] and the weights [N, T, M], from the decoder's inputs [N, T]."""
        T = words.shape[1]
        y = self.stack.dropout(self.embedding(words.T))  # [T, N, e]
        context_mask = self.stack.mask(T, source.h_s[:, 0, : self.attention.context_size])
        masks, outputs, weights = self.stack.masks(T, state), [], []
        for t in range(T):
            c, a = self.attention(state[-1][0], source, t)  # s_{t-1} is the query
            s, state = self.stack(torch.cat([c * context_mask[t], y[t]], dim=1), state, masks, t)
            outputs.append(s)
            weights.append(a)
        return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


class Reference(nn.Module):
    """p(y_t | y_<t, x) = softmax(W_s h~_t) (equation 6), with the parameters of ``LuongNMT``."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        own = config.system.encoder != "recurrent"  # an encoder of one's own is taken as it is
        encoder = ENCODERS[config.system.encoder] if own else Encoder
        self.encoder = encoder(config.system, config.shape, config.source_words)
        decoder = LuongDecoder if config.shape.cell == "lstm" else BahdanauDecoder
        self.decoder = decoder(config)
        self.W_s = nn.Parameter(torch.empty(config.target_words, config.shape.size))

    def forward(
        self, source: Tensor, lengths: Tensor, words: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ [N, T, n] and the attention weights [N, T, M]; see ``LuongNMT.forward``."""
        h_s, s, state = self.encoder(source, lengths)
        h_tilde, weights = self.decoder(words, state, Source(h_s, s, lengths[:, None]))
        return h_tilde, weights

    def loss(self, h_tilde: Tensor, next_words: Tensor, lengths: Tensor) -> Tensor:
        """Return the sum of -log p of the next words [N, T]; each sentence has ``lengths`` [N] words."""
        real = torch.arange(next_words.shape[1], device=next_words.device) < lengths[:, None]
        logits = h_tilde[real] @ self.W_s.T
        return nn.functional.cross_entropy(logits, next_words[real], reduction="sum")
