"""Word alignment: IBM Model 1 with a prior that favours the diagonal, learned by EM.

Dyer, Chahuneau and Smith, "A Simple, Fast, and Effective Reparameterization of IBM Model 2" (NAACL
2013), with its precision lambda fixed at 4. The model of one direction says how a sentence
``e_1..e_I`` gives rise to ``f_1..f_J``: each ``f_j`` stems from no word with probability p0, else
from ``e_i`` with probability (1 - p0) exp(-lambda |i/I - j/J|) / Z_j, and is then drawn from
t(f | e_i).

A *cell* is a pair of words that stand in one sentence pair. The cells of sentence pairs of one
shape (I, J) form a dense array that holds the number of each cell's word pair among the distinct
ones. Both directions share these numbers, and E- and M-step are a few array operations.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from attnmt.data.links import Links

LAMBDA = 4.0
P0 = 0.08
BLOCK_CELLS = 1 << 20  # bounds the temporary arrays of one step

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class _Block(NamedTuple):
    """N sentence pairs of one shape. Word pairs are numbered over the whole text."""

    lines: Ints  # (N,) where the pairs stand in the text
    source: NDArray[np.int32]  # (N, I) word numbers
    target: NDArray[np.int32]  # (N, J)
    pairs: NDArray[np.int32]  # (N, I, J) word-pair numbers


class _Direction:
    """The model of one direction; ``e`` is the conditioning side, ``f`` the generated one."""

    def __init__(self, e_of_pair: Ints, words_e: int, words_f: int) -> None:
        """Start from uniform t.

        Args:
            e_of_pair: (P,) the conditioning word of every word pair.
            words_e, words_f: distinct words of the two sides.
        """
        self._e_of_pair = e_of_pair
        self._words_e = words_e
        self.t = np.full(len(e_of_pair), 1 / words_f)  # (P,) t(f | e)
        self.t_null = np.full(words_f, 1 / words_f)  # (F,) t(f | no word)
        self._reset()

    def _reset(self) -> None:
        self._counts = np.zeros_like(self.t)
        self._counts_null = np.zeros_like(self.t_null)

    def joint(self, pairs: NDArray[np.int32], f: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Return p(f_j, a_j = i), (N, I, J), and p(f_j, a_j = none), (N, J)."""
        _, length_e, length_f = pairs.shape
        p: Floats = self.t[pairs] * diagonal_prior(length_e, length_f)
        return p, P0 * self.t_null[f]

    def expect(self, pairs: NDArray[np.int32], f: NDArray[np.int32]) -> None:
        """E-step: add the expected counts of (N, I, J) cells and their (N, J) generated words."""
        p, p_null = self.joint(pairs, f)
        total = p.sum(axis=1) + p_null
        np.add.at(self._counts, pairs.ravel(), (p / total[:, None]).ravel())
        np.add.at(self._counts_null, f.ravel(), (p_null / total).ravel())

    def maximise(self) -> None:
        """M-step: t becomes the expected counts, normalised."""
        per_e = np.bincount(self._e_of_pair, weights=self._counts, minlength=self._words_e)
        self.t = self._counts / per_e[self._e_of_pair]
        self.t_null = self._counts_null / self._counts_null.sum()
        self._reset()

    def best(self, pairs: NDArray[np.int32], f: NDArray[np.int32]) -> Ints:
        """Return the most probable a_j, (N, J), -1 for none; of equal ones none, then the first."""
        p, p_null = self.joint(pairs, f)
        return np.where(p.max(axis=1) > p_null, p.argmax(axis=1), -1)


def diagonal_prior(length_e: int, length_f: int) -> Floats:
    """Return p(a_j = i), (I, J), whose columns sum to 1 - p0."""
    i = np.arange(1, length_e + 1)[:, None] / length_e
    j = np.arange(1, length_f + 1)[None, :] / length_f
    weight = np.exp(-LAMBDA * np.abs(i - j))
    prior: Floats = (1 - P0) * weight / weight.sum(axis=0)
    return prior


class Aligner:
    """Aligns the words of a parallel text with each other.

    Links are those that both directions hold most probable: precise rather than complete, which is
    what a dictionary wants. Memory: 4 bytes a cell, about 50 a distinct word pair.

    Attributes:
        words_e, words_f: the distinct source and target words.
        pair_e, pair_f: (P,) source and target word of every distinct word pair, by number.
        forward, backward: the models of both directions.
    """

    def __init__(self, sentences: Iterable[tuple[list[str], list[str]]], iterations: int) -> None:
        """Learn both directions by ``iterations`` of EM from pairs of tokenised sentences.

        Sentences are not empty. The result depends on nothing but the arguments.
        """
        source, target = _Side(), _Side()
        for tokens_e, tokens_f in sentences:
            source.add(tokens_e)
            target.add(tokens_f)
        self.words_e, self.words_f = list(source.numbers), list(target.numbers)
        self._blocks, keys = _blocks(source, target)
        pair_e, pair_f = np.divmod(keys, len(self.words_f))
        self.pair_e, self.pair_f = pair_e, pair_f
        self.forward = _Direction(pair_e, len(self.words_e), len(self.words_f))
        self.backward = _Direction(pair_f, len(self.words_f), len(self.words_e))
        for _ in tqdm(range(iterations), "EM", disable=None):
            for block in self._blocks:
                self.forward.expect(block.pairs, block.target)
                self.backward.expect(block.pairs.transpose(0, 2, 1), block.source)
            self.forward.maximise()
            self.backward.maximise()

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return sum(len(block.lines) for block in self._blocks)

    def links(self) -> list[Links]:
        """Return the links of every sentence pair, in the order of the text."""
        links: list[Links] = [[] for _ in range(len(self))]
        for block, n, i, j in self._linked():
            for line, *link in np.stack([block.lines[n], i, j], axis=1).tolist():
                links[line].append((link[0], link[1]))
        return links

    def linked_words(self) -> Counter[tuple[str, str]]:
        """Return how often each source word is linked to each target word."""
        counts = np.zeros(len(self.pair_e), dtype=np.int64)
        for block, n, i, j in self._linked():
            np.add.at(counts, block.pairs[n, i, j], 1)
        return Counter(
            {
                (self.words_e[self.pair_e[k]], self.words_f[self.pair_f[k]]): int(counts[k])
                for k in np.flatnonzero(counts)
            }
        )

    def _linked(self) -> Iterator[tuple[_Block, Ints, Ints, Ints]]:
        """Yield each block with its links: row n, source position i, target position j."""
        for block in self._blocks:
            to_e = self.forward.best(block.pairs, block.target)  # (N, J)
            to_f = self.backward.best(block.pairs.transpose(0, 2, 1), block.source)  # (N, I)
            positions = np.arange(block.target.shape[1])
            agreed = (to_e >= 0) & (np.take_along_axis(to_f, to_e.clip(0), axis=1) == positions)
            n, j = np.nonzero(agreed)
            yield block, n, to_e[n, j], j


class _Side:
    """One language's sentences as word numbers, in one array."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._ids = array("i")
        self._offsets = array("q", [0])

    def add(self, tokens: list[str]) -> None:
        numbers = self.numbers
        self._ids.extend(numbers.setdefault(token, len(numbers)) for token in tokens)
        self._offsets.append(len(self._ids))

    def lengths(self) -> Ints:
        offsets = np.frombuffer(self._offsets, dtype=np.int64)
        return offsets[1:] - offsets[:-1]

    def rows(self, lines: Ints, length: int) -> NDArray[np.int32]:
        """Return sentences of one length, (N, length)."""
        starts = np.frombuffer(self._offsets, dtype=np.int64)[lines]
        rows: NDArray[np.int32] = np.frombuffer(self._ids, dtype=np.int32)[
            starts[:, None] + np.arange(length)
        ]
        return rows


def _blocks(source: _Side, target: _Side) -> tuple[list[_Block], Ints]:
    """Cut the text into blocks of one shape and number its distinct word pairs.

    Returns:
        the blocks, and (P,) the key of every word pair, ascending: source number times target words
        plus target number.
    """
    blocks = []
    keys, fresh = np.empty(0, dtype=np.int64), [np.empty(0, dtype=np.int64)]
    for lines, length_e, length_f in _shapes(source.lengths(), target.lengths()):
        e, f = source.rows(lines, length_e), target.rows(lines, length_f)
        blocks.append((lines, e, f))
        fresh.append(np.unique(_keys(e, f, target)))
        # merging only when the new keys outnumber the old bounds memory at a small multiple of P
        if sum(map(len, fresh)) > max(len(keys), 8 * BLOCK_CELLS):
            keys, fresh = np.unique(np.concatenate([keys, *fresh])), []
    keys = np.unique(np.concatenate([keys, *fresh]))
    number = [np.searchsorted(keys, _keys(e, f, target)).astype(np.int32) for _, e, f in blocks]
    return [_Block(*block, pairs) for block, pairs in zip(blocks, number, strict=True)], keys


def _shapes(lengths_e: Ints, lengths_f: Ints) -> Iterator[tuple[Ints, int, int]]:
    """Yield lines of one shape, in their order, at most about BLOCK_CELLS cells at once."""
    order = np.lexsort((lengths_f, lengths_e))
    shapes = np.stack([lengths_e, lengths_f], axis=1)[order]
    borders = np.flatnonzero((shapes[1:] != shapes[:-1]).any(axis=1)) + 1
    for lines in np.split(order, borders):
        length_e, length_f = int(lengths_e[lines[0]]), int(lengths_f[lines[0]])
        step = max(1, BLOCK_CELLS // (length_e * length_f))
        for start in range(0, len(lines), step):
            yield lines[start : start + step], length_e, length_f


def _keys(e: NDArray[np.int32], f: NDArray[np.int32], target: _Side) -> Ints:
    """Return the key of every cell, (N, I, J)."""
    return e.astype(np.int64)[:, :, None] * len(target.numbers) + f[:, None, :]
