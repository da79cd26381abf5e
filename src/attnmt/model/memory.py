"""What the decoder attends to."""

from typing import NamedTuple, Self

from torch import Tensor


class Memory(NamedTuple):
    """N encoded sentences of at most M source words.

    Batches are padded on the left, and the encoder may read a sentence backwards.
    """

    values: Tensor  # h_s, or the part that is averaged, [N, M, context size]; zero at padding
    keys: Tensor  # what h_t is compared with, as the score prepares it, [N, ..]
    positions: Tensor  # each column's position in the sentence, [N, M]; 0 .. S - 1 at words only
    lengths: Tensor  # S, the number of source words, [N]
    words: Tensor  # which columns hold words, [N, 1, M]

    def select(self, rows: Tensor) -> Self:
        """Keep the sentences ``rows``."""
        return type(self)(*(part[rows] for part in self))
