"""The paper's model, which is trained and which translates. Read this file first.

Equations are those of Luong et al. (2015). N sentences have at most M source and T target words; a layer
has n cells and an embedding e numbers. No part has a bias. Derivatives are autograd's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from attnmt.config import Cell, ModelShape, System
from attnmt.errors import InputError
from attnmt.model.decoders import BahdanauDecoder, DecoderState, LuongDecoder
from attnmt.model.loss import SummedLoss
from attnmt.model.memory import Memory
from attnmt.model.parts import part
from attnmt.model.products import matmul, parameter
from attnmt.model.stack import State
from attnmt.text.batches import pad_source

Ids = NDArray[np.int32]  # of a sentence's words, in its own order


@dataclass(frozen=True)
class ModelConfig:
    """All that is needed to build a model: its system, its size, its vocabularies' sizes."""

    system: System
    shape: ModelShape
    source_words: int
    target_words: int


class Encoded(NamedTuple):
    """What the encoder hands to the decoder."""

    memory: Memory | None
    state: State


class LuongNMT(nn.Module):
    """p(y_t | y_<t, x) = softmax(W_s h~_t) (equation 6), h~_t being s_t in Bahdanau's order."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        sizes = config.shape.embedding_size, config.shape.size
        if config.system.tied_embeddings and len({*sizes}) > 1:
            raise InputError(
                f"tied_embeddings: embeddings of {sizes[0]} and layers of {sizes[1]} differ"
            )
        encoder = part("encoder", config.system.encoder)
        self.encoder = encoder(config.system, config.shape, config.source_words)
        decoders: dict[Cell, type[LuongDecoder | BahdanauDecoder]] = {
            "lstm": LuongDecoder,
            "gru": BahdanauDecoder,
        }
        self.decoder = decoders[config.shape.cell](config.system, config.shape, config.target_words)
        if not config.system.tied_embeddings:
            self.W_s = parameter(config.target_words, config.shape.size)

    def initialize(self, seed: int) -> None:
        """Draw every parameter from the uniform distribution over [-init, init]."""
        # This is the CPU's generator, so the draw is the same on every device.
        generator = torch.Generator().manual_seed(seed)
        limit = self.config.shape.init
        with torch.no_grad():
            for parameter in self.parameters():
                drawn = torch.empty(parameter.shape, dtype=parameter.dtype)
                parameter.copy_(drawn.uniform_(-limit, limit, generator=generator))

    def embeddings(self) -> list[nn.Embedding]:
        """Return the embeddings, which the authors leave out of the gradient norm."""
        return [self.encoder.embedding, self.decoder.embedding]

    def encode(self, source: Tensor, lengths: Tensor) -> Encoded:
        """Encode source ids [N, M], as read and padded on the left, of ``lengths`` words [N]."""
        values, positions, state = self.encoder(source, lengths)
        attention = self.decoder.attention
        memory = None if attention is None else attention.remember(values, positions, lengths)
        return Encoded(memory, state)

    def forward(
        self, source: Tensor, lengths: Tensor, words: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        """Return h~ [N, T, n] and the attention weights [N, T, M] (None without attention).

        Args:
            source: ids as read, padded on the left, [N, M].
            lengths: source words, [N].
            words: decoder inputs, ``<s>`` first, [N, T].
        """
        encoded = self.encode(source, lengths)
        h_tilde, weights = self.decoder(words, encoded.state, encoded.memory)
        return h_tilde, weights

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.decoder.embedding.weight.device

    @property
    def target_words(self) -> int:
        """The size of the target vocabulary."""
        return self.config.target_words

    @property
    def softmax_weight(self) -> Tensor:
        """W_s [V, n]; with tied embeddings, it is the target words' embeddings (Press and Wolf 2017)."""
        tied = self.config.system.tied_embeddings
        return self.decoder.embedding.weight if tied else self.W_s

    def start(self, sources: Sequence[Ids]) -> DecoderState:
        """Encode sentences; return one hypothesis of each, without words. The model is in eval mode."""
        source, lengths = pad_source(list(sources), self.config.system.reverse)
        return DecoderState(
            self.decoder, *self.encode(source.to(self.device), lengths.to(self.device))
        )

    def logits(self, h_tilde: Tensor) -> Tensor:
        """Return W_s h~, [..., V], in new memory."""
        return matmul(h_tilde, self.softmax_weight)

    def loss(self, h_tilde: Tensor, next_words: Tensor, lengths: Tensor) -> Tensor:
        """Return the sum of -log p of all target words, which training minimizes.

        Args:
            h_tilde: [N, T, n].
            next_words: the word that each step predicts, [N, T]; ``</s>`` is one of them.
            lengths: predicted words of each sentence, ``</s>`` included, [N].
        """
        real = torch.arange(next_words.shape[1], device=next_words.device) < lengths[:, None]
        words = next_words.masked_fill(~real, -1).flatten()
        total: Tensor = SummedLoss.apply(
            h_tilde.flatten(0, 1), self.softmax_weight, words, torch.is_grad_enabled()
        )
        return total


def parameter_count(config: ModelConfig) -> int:
    """Return the number of a model's parameters. The model is built without memory for its weights."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in LuongNMT(config).parameters())
