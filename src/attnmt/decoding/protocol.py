"""What the search and the forced decoder ask of a model.

They ask a model for ``start``, ``logits`` and ``target_words``, and its hypotheses for ``step`` and
``reorder``. :class:`attnmt.model.translator.Translator` has them. A model of another kind, such as a
transformer or a table of n-grams, inherits from the two classes here, and nothing else in this package
changes.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Ids = NDArray[np.int32]


class Hypotheses(Protocol):
    """K hypotheses of each of N sentences: the words so far, as the model remembers them."""

    @property
    def positions(self) -> Tensor | None:
        """The source position that each column of the weights stands for, [N, M].

        In a sentence of S words, a column is a word if its position is in 0 .. S - 1, or else padding.
        The positions are None if there are no weights.
        """
        return None

    @abstractmethod
    def step(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Extend every hypothesis by a word of ``words`` [N, K].

        Returns:
            Two tensors. The first, [N, K, n], is what ``Model.logits`` reads, and holds until the next
            step. The second, [N, K, M], has the weights of the source by which words are linked. It is
            None if the model links no words.
        """

    @abstractmethod
    def reorder(self, sentences: Tensor, parents: Tensor) -> None:
        """Keep ``sentences`` [n], ascending, and their hypotheses ``parents`` [n, K] in this order."""

    def follow(self, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return what ``step`` does, [N, T, n] and [N, T, M], for the words [N, T] of one hypothesis.

        Call it before any step. A model that can take all of them at once may do so.
        """
        outputs, weights = [], []
        for word in words.split(1, dim=1):
            h, a = self.step(word)
            outputs.append(h.clone())
            weights += [] if a is None else [a]
        return torch.cat(outputs, dim=1), torch.cat(weights, dim=1) if weights else None


class Model(Protocol):
    """A model that gives the next word's probability. Ids are those of its vocabularies."""

    @property
    def device(self) -> torch.device:
        """Where its tensors are."""
        return torch.device("cpu")

    @property
    @abstractmethod
    def target_words(self) -> int:
        """The size of the target vocabulary, V."""

    @abstractmethod
    def start(self, sources: Sequence[Ids]) -> Hypotheses:
        """Read N sentences, and return one hypothesis of each, without words."""

    @abstractmethod
    def logits(self, h: Tensor) -> Tensor:
        """Return the logits or log p of each word, [.., V], a new tensor, from h [.., n] of a step."""
