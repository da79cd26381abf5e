"""Learn the merges of byte-pair encoding: those that subword-nmt learns, in less time.

The method is that of Sennrich, Haddow and Birch (ACL 2016). subword-nmt counts a pair of symbols again
if its merge gives a symbol that the word has already, and it forgets part of the count of a rare
pair. Both decide which merges come first, so both are done here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

Symbols = list[str]
Pair = tuple[str, str]

WORD_END = "</w>"  # subword-nmt's mark at the end of a word's last symbol
LEAST = 2  # times that a merged pair must occur
CLEANED_EVERY = 100  # merges


def learn_merges(words: Iterable[tuple[str, int]]) -> Iterator[Pair]:
    """Yield the most frequent pair of symbols, merge it in all words, and so on.

    Of equally frequent pairs, the one that comes last in the alphabet is merged first.

    Args:
        words: each word and how often it occurs, the most frequent first.
    """
    pairs = _Pairs([([*word[:-1], word[-1] + WORD_END], count) for word, count in words])
    done = 0
    while (pair := pairs.best(done)) is not None:
        yield pair
        pairs.merge(pair)
        if done % CLEANED_EVERY == 0:
            pairs.set_rare_aside()
        done += 1


class _Pairs:
    """How often each pair of symbols occurs in the words, and in which words.

    To find the best pair among few, pairs below a threshold are set aside, as subword-nmt does.
    """

    def __init__(self, words: list[tuple[Symbols, int]]) -> None:
        self._words = words
        self._frequent: defaultdict[Pair, int] = defaultdict(int)
        self._places: defaultdict[Pair, defaultdict[int, int]] = defaultdict(_zeros)
        for number, (symbols, count) in enumerate(words):
            for pair in pairwise(symbols):
                self._frequent[pair] += count
                self._places[pair][number] += 1
        self._all: dict[Pair, int] = dict(self._frequent)
        self._threshold = max(self._frequent.values(), default=0) / 10

    def best(self, done: int) -> Pair | None:
        """Return the pair to merge after ``done`` merges; None if no pair occurs often enough."""
        most = max(self._frequent.values(), default=0)
        if not self._frequent or (done and most < self._threshold):
            self.set_rare_aside()
            self._frequent = defaultdict(int, self._all)
            most = max(self._frequent.values(), default=0)
            self._threshold = most * done / (done + 10_000)
            self.set_rare_aside()
        if most < LEAST:
            return None
        return max([pair for pair, count in self._frequent.items() if count == most])

    def set_rare_aside(self) -> None:
        """Keep only pairs that are as frequent as the threshold; note the counts of the others."""
        rare = [pair for pair, count in self._frequent.items() if count < self._threshold]
        for pair in rare:
            count = self._frequent.pop(pair)
            # A pair that was aside before has a negative count if it only lost places meanwhile.
            self._all[pair] = self._all[pair] + count if count < 0 else count

    def merge(self, pair: Pair) -> None:
        """Merge a pair in all words that have it."""
        first, second = pair
        merged = first + second
        places = self._places.pop(pair)
        for number, times in places.items():
            if times > 0:
                old, count = self._words[number]
                new = self._without(old, first, second, merged, number, count)
                self._words[number] = new, count
                self._add_around(new, merged, number, count)
        self._frequent[pair] = 0

    def _without(
        self, old: Symbols, first: str, second: str, merged: str, number: int, count: int
    ) -> Symbols:
        """Return a word's symbols after a merge; take away the pairs that its places had around them."""
        frequent, places = self._frequent, self._places
        new: Symbols = []
        last, at = len(old) - 1, 0
        while at <= last:
            symbol = old[at]
            if symbol != first or at == last or old[at + 1] != second:
                new.append(symbol)
                at += 1
                continue
            if at:
                around = old[at - 1], first
                frequent[around] -= count
                places[around][number] -= 1
            at += 2
            # If the pair follows at once, it takes away the pair between the two.
            if at <= last and not (old[at] == first and at < last and old[at + 1] == second):
                around = second, old[at]
                frequent[around] -= count
                places[around][number] -= 1
            new.append(merged)
        return new

    def _add_around(self, new: Symbols, merged: str, number: int, count: int) -> None:
        """Add the pairs around each place of a merged symbol."""
        frequent, places = self._frequent, self._places
        last, at = len(new) - 1, -1
        for _ in range(new.count(merged)):
            at = new.index(merged, at + 1)
            if at:
                around = new[at - 1], merged
                frequent[around] += count
                places[around][number] += 1
            if at < last and new[at + 1] != merged:
                around = merged, new[at + 1]
                frequent[around] += count
                places[around][number] += 1


def _zeros() -> defaultdict[int, int]:
    return defaultdict(int)
