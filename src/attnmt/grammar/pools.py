"""The lexicon as phrases draw from it: nouns by semantic class, names, adjectives, adverbials."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from attnmt.grammar import openclass
from attnmt.grammar.chance import Weighted
from attnmt.grammar.entries import (
    Adjective,
    Noun,
    read_adjectives,
    read_adverbials,
    read_nouns,
)


class Pool(NamedTuple):
    """The nouns of some classes: frequent ones, rare ones and compounds."""

    frequent: Weighted[Noun]
    rare: Weighted[Noun] | None
    compounds: Weighted[Noun] | None


class Lexicon:
    """All nouns, names and modifiers, with the pools that phrases draw from."""

    def __init__(self) -> None:
        self.nouns = read_nouns("nouns.tsv")
        rare = read_nouns("rare_nouns.tsv")
        self.compounds = openclass.rare_order(openclass.compounds(self.nouns, rare))
        self.rare = openclass.rare_order(rare + openclass.learned_nouns())
        self.adjectives = read_adjectives()
        self.adverbials = read_adverbials()
        self.female = openclass.given_names(openclass.FEMALE)
        self.male = openclass.given_names(openclass.MALE)
        self.surnames = openclass.surnames()
        self.cities = openclass.cities()
        self._pools: dict[tuple[str, ...], Pool] = {}
        self._adjective_pools: dict[Noun, Weighted[Adjective] | None] = {}

    def pool(self, classes: tuple[str, ...]) -> Pool:
        """Return the pool of the nouns in any of the classes."""
        pool = self._pools.get(classes)
        if pool is None:
            frequent = _of_classes(self.nouns, classes)
            if not frequent:
                raise ValueError(f"no noun belongs to any of {classes}")
            rare, compounds = (_of_classes(nouns, classes) for nouns in (self.rare, self.compounds))
            pool = self._pools[classes] = Pool(
                Weighted.listed(frequent, 3.0),
                Weighted.zipf(rare, openclass.ZIPF_OFFSET_NOUNS) if rare else None,
                Weighted.zipf(compounds, openclass.ZIPF_OFFSET_COMPOUNDS) if compounds else None,
            )
        return pool

    def adjectives_for(self, noun: Noun) -> Weighted[Adjective] | None:
        """Return the adjectives that suit a noun, or None."""
        if noun not in self._adjective_pools:
            suitable = [
                adjective
                for adjective in self.adjectives
                if not set(noun.classes).isdisjoint(adjective.classes)
                and not noun.german[0].lower().startswith(adjective.predicative)  # junger Junge
            ]
            self._adjective_pools[noun] = Weighted.listed(suitable, 4.0) if suitable else None
        return self._adjective_pools[noun]


def _of_classes(nouns: Iterable[Noun], classes: tuple[str, ...]) -> list[Noun]:
    return [noun for noun in nouns if not set(classes).isdisjoint(noun.classes)]


@lru_cache(maxsize=1)
def shared_lexicon() -> Lexicon:
    """Return the lexicon, read once for each process."""
    return Lexicon()
