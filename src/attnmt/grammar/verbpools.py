"""Verbs indexed by what they govern, and adverbials by the tense they suit."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from attnmt.grammar.chance import Weighted
from attnmt.grammar.entries import Adverbial, Verb, read_verbs
from attnmt.grammar.pools import shared_lexicon

VERB_OFFSET: Final = 12.0
PAST, PRESENT, ANY = "past", "present", "any"  # tense columns of the adverbials


class VerbLexicon:
    """Verbs indexed by what they govern, and adverbials by tense."""

    def __init__(self) -> None:
        self.verbs = read_verbs("verbs.tsv")
        self.clause_verbs = read_verbs("clause_verbs.tsv")
        self.personal = self.by_rank([v for v in self.verbs if v.subjects[0] == "person"])
        self.any = self.by_rank(self.verbs)
        self.dynamic = self.by_rank(
            [v for v in self.verbs if v.subjects[0] == "person" and not v.stative]
        )
        self.purposeful = self.by_rank(
            [v for v in self.dynamic.items if v.purposeful and v.frame != ("intr",)]
        )
        self.tasks = self.by_rank([v for v in self.purposeful.items if not v.frame])
        self.located = self.by_rank([v for v in self.verbs if place_classes(v, "loc")])
        self.directed = self.by_rank([v for v in self.verbs if place_classes(v, "dir")])
        self._by_object: dict[tuple[str, ...], Weighted[Verb] | None] = {}
        self.adverbials: dict[tuple[str, str], Weighted[Adverbial]] = {}
        entries = shared_lexicon().adverbials
        for kind in ("time", "frequency", "manner", "place"):
            for tense in (PAST, PRESENT, "now", "future"):
                suitable = [
                    entry for entry in entries if entry.kind == kind and entry.tenses == tense
                ]
                if tense in (PAST, "future"):
                    suitable += [e for e in entries if e.kind == kind and e.tenses == ANY]
                if suitable:
                    self.adverbials[kind, tense] = Weighted.listed(suitable, 4.0)

    @staticmethod
    def by_rank(verbs: list[Verb]) -> Weighted[Verb]:
        """Weight verbs by their rank in the list."""
        return Weighted.listed(verbs, VERB_OFFSET)

    def with_object(self, classes: tuple[str, ...]) -> Weighted[Verb] | None:
        """Return personal verbs whose one complement may be a noun of the classes."""
        if classes not in self._by_object:
            suitable = [
                verb
                for verb in self.personal.items
                if len(verb.complements) == 1
                and not set(classes).isdisjoint(verb.complements[0].classes)
            ]
            self._by_object[classes] = self.by_rank(suitable) if suitable else None
        return self._by_object[classes]


@lru_cache(maxsize=1)
def shared_verbs() -> VerbLexicon:
    """Return the verbs, read once for each process."""
    return VerbLexicon()


@cache
def place_classes(verb: Verb, kind: str) -> tuple[str, ...]:
    """Return the classes of a verb's ``dir=`` or ``loc=`` complement."""
    for part in verb.frame:
        name, _, classes = part.partition("=")
        if name == kind:
            return tuple(classes.split(","))
    return ()


@cache
def noun_classes(classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the classes that nouns fill, leaving names and cities aside."""
    return tuple(name for name in classes if name not in ("name", "city"))
