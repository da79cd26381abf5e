"""What a model costs, from the shapes of its matrices: parameters, work of training, memory.

Work counts only the products of matrices, as ``torch.utils.flop_counter`` does: one product in the
forward pass and two in the backward pass, one for each factor. The classes of attention's score and
window count their own products. These are left out: products with a vector (v_a, v_p), operations on
single elements (gates, tanh, softmax, dropout), the look-up of embeddings, clipping, the update, and
padding.
"""

from dataclasses import astuple, dataclass

import torch

from attnmt.config import Cell
from attnmt.model.attention.layer import parts
from attnmt.model.logits import CHUNK
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.text_size import Lengths

GATES: dict[Cell, int] = {"lstm": 4, "gru": 3}
BYTES = 4  # bytes of a number in single precision
# Vectors of a layer's size that back-propagation keeps for each word: input, gates, states. An unrolled
# decoder also keeps its input beside the state, the mask, and the factors of its backward steps.
KEPT_BY_SCAN, KEPT_BY_STEPS = 8, 13


@dataclass(frozen=True)
class Work:
    """Multiply-adds of the forward pass for one target word, by the part of the model that does them."""

    encoder: float
    decoder: float
    attention: float  # from comparing h_t with the source to h~_t
    output: float

    @property
    def forward(self) -> float:
        """Multiply-adds of all parts."""
        return float(sum(astuple(self)))

    @property
    def training_flop(self) -> float:
        """Floating-point operations, forward and backward. A multiply-add counts as two."""
        return 2 * 3 * self.forward


def parameters(config: ModelConfig) -> int:
    """Return the number of parameters, counted on a model without storage."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Translator(config).parameters())


def work(config: ModelConfig, lengths: Lengths) -> Work:
    """Return what one target word costs in sentence pairs of these lengths.

    If ``lengths`` are the means of a text, the part of attention that grows with the source comes out a
    little low, because long sources have long targets.
    """
    shape, n = config.shape, config.shape.size
    a_target_word = lengths.source / lengths.target  # source words for each
    return Work(
        encoder=_recurrent(config, shape.embedding_size) * a_target_word,
        decoder=_recurrent(config, _decoder_input(config)),
        attention=_attention(config, lengths),
        output=n * config.target_words,
    )


def training_memory(config: ModelConfig, pairs: int, lengths: Lengths) -> int:
    """Return roughly the bytes that a training holds on a GPU, without those of libraries.

    Args:
        pairs: sentence pairs of the batch that takes the most memory.
        lengths: words of its sentences.
    """
    shape, n = config.shape, config.shape.size
    stepped = config.system.input_feeding or shape.cell == "gru"
    a_source_word = shape.layers * n * KEPT_BY_SCAN
    a_target_word: float = shape.layers * n * (KEPT_BY_STEPS if stepped else KEPT_BY_SCAN)
    if config.system.score is not None:
        score, _ = parts(config.system, shape)
        a_target_word += score.operations(lengths.source).kept
    activations = lengths.source * a_source_word + lengths.target * a_target_word
    weights = 2 * parameters(config)  # and their gradients
    return int(BYTES * (weights + pairs * activations + CHUNK["cuda"]))


def _recurrent(config: ModelConfig, inputs: int) -> int:
    """Return the multiply-adds of one step of all layers."""
    n, layers = config.shape.size, config.shape.layers
    return GATES[config.shape.cell] * n * ((inputs + n) + (layers - 1) * (n + n))


def _decoder_input(config: ModelConfig) -> int:
    """Return the size of what the decoder's first layer reads."""
    e = config.shape.embedding_size
    if config.shape.cell == "gru":
        return e + _context_size(config)
    return e + config.shape.size if config.system.input_feeding else e


def _context_size(config: ModelConfig) -> int:
    score, _ = parts(config.system, config.shape)
    return score.context_size


def _attention(config: ModelConfig, lengths: Lengths) -> float:
    """Return the multiply-adds of attention for a target word."""
    if config.system.score is None:
        return 0.0
    n, S = config.shape.size, lengths.source
    score, window = parts(config.system, config.shape)
    operations = score.operations(S)
    total = operations.source_word * S / lengths.target
    total += operations.target_word + S * score.context_size
    total += window.operations()
    if config.shape.cell == "lstm":
        total += n * (n + score.context_size)  # W_c
    return total
