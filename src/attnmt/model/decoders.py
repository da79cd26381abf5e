"""The two decoders and their running state: one hypothesis of a sentence in training, K in search.

Without input feeding, no step waits for attention. Training then computes all steps of a layer at once,
and attention takes the queries of all steps in one product.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention import Attention
from attnmt.model.dropout import Dropout
from attnmt.model.encoders import embedding
from attnmt.model.memory import Memory
from attnmt.model.products import Factor, parameter
from attnmt.model.stack import Stack, State, UnrolledLayers


class Decoder(nn.Module, ABC):
    """The base of both: the embedding of the words so far, the layers, and attention."""

    attention: Attention | None
    stack: Stack
    W_c: nn.Parameter | None

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__()
        self.embedding = embedding(vocabulary, shape.embedding_size)
        self.attention = Attention(system, shape) if system.attention != "none" else None
        self.output_dropout = Dropout(system.output_dropout)
        self.register_parameter("W_c", None)

    @abstractmethod
    def weights(self) -> tuple[Tensor, Tensor]:
        """Return the first layer's weights of what a step brings, [gates n, m], and of y_t."""

    @abstractmethod
    def step(self, now: "DecoderState", y: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Take the next step of N sentences from the embedded words y_t [N, K, e].

        In training y is None, because the layers know it for all steps.

        Returns:
            h~_t [N, K, n] (s_t in Bahdanau's order) and a_t [N, K, M], None without attention.
        """

    def forward(
        self, words: Tensor, state: State, memory: Memory | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ [N, T, n] and the weights [N, T, M] of all steps, given the words before each.

        Args:
            words: decoder inputs, ``<s>`` first, [N, T].
            state: the encoder's state after its last word.
            memory: the encoded source; None without attention.
        """
        y = self.stack.dropout(self.embedding(words.T))[:, :, None]  # [T, N, 1, e]
        now = DecoderState(self, memory, state, y)
        outputs, weights = zip(*(now.advance(None) for _ in y), strict=True)
        a = None if weights[0] is None else torch.cat(weights, dim=1)
        return torch.cat(outputs, dim=1), a


class LuongDecoder(Decoder):
    """Attention after the recurrence; the attentional vector h~_t predicts the next word.

    Without attention, h~_t is the top state h_t itself. With input feeding, the first layer reads
    [y_t; h~_{t-1}], and h~ is zero before the first step (section 3.3).
    """

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__(system, shape, vocabulary)
        n, e = shape.size, shape.embedding_size
        self.feeding = system.input_feeding
        inputs = e + n if self.feeding else e
        self.stack = Stack(shape.cell, inputs, n, shape.layers, system.dropout)
        if self.attention is not None:
            self.W_c = parameter(n, self.attention.score.context_size + n)

    def forward(
        self, words: Tensor, state: State, memory: Memory | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ and the weights; see ``Decoder.forward``."""
        if self.feeding:
            return super().forward(words, state, memory)
        h = self.stack(self.embedding(words.T), state)[0].transpose(0, 1)
        steps = torch.arange(words.shape[1], device=words.device)
        W_c = None if self.W_c is None else Factor(self.W_c)
        h_tilde, a = self.attend(h, memory, steps, W_c)
        return self.output_dropout(h_tilde), a

    def weights(self) -> tuple[Tensor, Tensor]:
        W_y, W_x = self.stack.layers[0].weight_ih_l0.tensor_split(
            [self.embedding.embedding_dim], dim=1
        )
        return W_x, W_y

    def step(self, now: "DecoderState", y: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Take the next step; see ``Decoder.step``."""
        h = now.recur(y, now.masked(now.fed) if self.feeding else None)
        h_tilde, a = self.attend(h, now.memory, now.index, now.W_c)
        now.fed = h_tilde = now.dropped(h_tilde)
        return h_tilde, a

    def attend(
        self, h: Tensor, memory: Memory | None, steps: Tensor, W_c: Factor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~_t = tanh(W_c [c_t; h_t]) (equation 5) and a_t from h_t [N, K, n]."""
        if self.attention is None or memory is None or W_c is None:
            return h, None
        c, a = self.attention(h, memory, steps)
        return torch.tanh(W_c(torch.cat([c, h], dim=-1))), a


class BahdanauDecoder(Decoder):
    """The course report's decoder attends before the recurrence: s_t = GRU([c_t; y_t], s_{t-1}).

    The query of the context c_t is the top state s_{t-1} (Bahdanau et al. 2015).
    """

    attention: Attention

    def __init__(self, system: System, shape: ModelShape, vocabulary: int) -> None:
        super().__init__(system, shape, vocabulary)
        inputs = self.attention.score.context_size + shape.embedding_size
        self.stack = Stack(shape.cell, inputs, shape.size, shape.layers, system.dropout)

    def weights(self) -> tuple[Tensor, Tensor]:
        m = self.attention.score.context_size
        W_x, W_y = self.stack.layers[0].weight_ih_l0.tensor_split([m], dim=1)
        return W_x, W_y

    def step(self, now: "DecoderState", y: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Take the next step; see ``Decoder.step``."""
        c, a = self.attention(now.state[-1][0], now.memory, now.index)
        return now.dropped(now.recur(now.masked(c), y)), a


class DecoderState:
    """The running state of a decoder: K hypotheses of each of N sentences, advanced by a word a step."""

    def __init__(
        self,
        decoder: Decoder,
        memory: Memory | None,
        state: State,
        y: Tensor | None = None,
    ) -> None:
        """Start with one hypothesis for each of N encoded sentences.

        Args:
            y: the embedded words of all steps that are trained, with dropout, [T, N, 1, e]; None in a
                search, where the decoder is in eval mode.
        """
        self.decoder, self.memory, self._first = decoder, memory, state
        self.state: State = tuple(tuple(part[:, None] for part in layer) for layer in state)
        self.fed = torch.zeros_like(self.state[-1][0])
        self.t = -1
        T = 0 if y is None else len(y)
        W_x, W_y = (None, None) if y is None else decoder.weights()
        self.layers = UnrolledLayers(decoder.stack, self.fed, W_x, W_y, y)
        self.W_c = None if decoder.W_c is None else Factor(decoder.W_c)
        self._masks = decoder.output_dropout.mask((T, *self.fed.shape), self.fed)

    @property
    def positions(self) -> Tensor | None:
        """The source position of each column of the weights, [N, M]; None without attention.

        In a sentence of S words, a column is a word if its position is in 0 .. S - 1, or else padding.
        """
        return None if self.memory is None else self.memory.positions

    @property
    def index(self) -> Tensor:
        """The step t as attention takes it, [1]."""
        return torch.full((1,), self.t, device=self.fed.device)

    def follow(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return what ``step`` does, [N, T, n] and [N, T, M], for all words [N, T] of one hypothesis."""
        h_tilde, weights = self.decoder(words, self._first, self.memory)
        return h_tilde, weights

    def step(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Advance the hypotheses by their last words [N, K]; return what ``Decoder.step`` does."""
        return self.advance(self.decoder.embedding(words))

    def advance(self, y: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Advance the hypotheses by their embedded last words [N, K, e]; in training y is None."""
        self.t += 1
        return self.decoder.step(self, y)

    def masked(self, x: Tensor) -> Tensor:
        """Return what a step brings to the first layer, [N, K, m], with dropout applied."""
        return self.layers.masked(x, self.t)

    def recur(self, *parts: Tensor | None) -> Tensor:
        """Replace the states of all layers by the next ones; return the top h.

        The first layer reads these parts, [N, K, ..], side by side.
        """
        x = torch.cat([part for part in parts if part is not None], dim=-1)
        h, self.state = self.layers(x, self.state, self.t)
        return h

    def dropped(self, output: Tensor) -> Tensor:
        """Return h~_t with this step's mask applied."""
        return output if self._masks is None else output * self._masks[self.t]

    def reorder(self, sentences: Tensor, parents: Tensor) -> None:
        """Keep ``sentences`` [R], ascending, and their hypotheses ``parents`` [R, K] in this order."""
        rows = sentences[:, None] * self.fed.shape[1] + parents

        def kept(part: Tensor) -> Tensor:
            return part.flatten(0, 1)[rows]

        self.state = tuple(tuple(map(kept, layer)) for layer in self.state)
        self.fed = kept(self.fed)
        if self.memory is not None and len(sentences) < len(self.memory.lengths):
            self.memory = self.memory.select(sentences)
