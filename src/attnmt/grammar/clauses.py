"""Clauses: what is said (a verb with its constituents) and how each language orders it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from attnmt.grammar import german as de
from attnmt.grammar.entries import Verb
from attnmt.grammar.verbgroup import Modal, Tense, VerbGroup, to_infinitive, verb_group
from attnmt.grammar.words import English, EnglishWord, German, GermanWord, Phrase


class Role(Enum):
    """What a constituent does in its clause; the values rank it in English and in German.

    The German order is: pronouns, time, place, objects in a case, *nicht*, manner, and then whatever is
    closest to the verb. English puts the objects next to the verb and time last.
    """

    FREQUENCY = (0, 4)
    TIME = (7, 3)
    PLACE = (6, 5)
    DATIVE = (1, 6)
    ACCUSATIVE = (2, 7)
    MANNER = (5, 9)
    PREPOSITIONAL = (3, 10)
    DIRECTION = (4, 11)
    PREDICATE = (3, 12)


NICHT_RANK: Final = 8
TIME_RANK_BEFORE_NICHT: Final = 7.5
PRONOUN_RANKS: Final = {Role.ACCUSATIVE: 1, Role.DATIVE: 2}
_ENGLISH_RANK: Final = {role: role.value[0] for role in Role}
_GERMAN_RANK: Final = {role: role.value[1] for role in Role}


class Constituent(NamedTuple):
    """A phrase and its role in the clause."""

    role: Role
    phrase: Phrase


def _english_rank(constituent: Constituent) -> int:
    return _ENGLISH_RANK[constituent.role]


def _german_rank(constituent: Constituent) -> float:
    role, phrase = constituent
    if phrase.pronoun and role in PRONOUN_RANKS:
        return PRONOUN_RANKS[role]
    return _GERMAN_RANK[role]


def _german_rank_before_nicht(constituent: Constituent) -> float:
    """Return the usual rank, but put time after the objects: *hat den Tisch gestern nicht gekauft*."""
    rank = _german_rank(constituent)
    return TIME_RANK_BEFORE_NICHT if constituent.role is Role.TIME else rank


class Clause:
    """A verb with its subject and constituents, in no order yet.

    ``negation`` is the English *not*; German *nicht* is added unless a determiner *kein* has
    absorbed it.
    """

    __slots__ = (
        "constituents", "modal", "negation", "nicht", "realized", "subject", "tense", "verb",
    )  # fmt: skip

    def __init__(
        self, verb: Verb, subject: Phrase, tense: Tense, modal: Modal | None = None
    ) -> None:
        self.verb = verb
        self.subject = subject
        self.tense = tense
        self.modal = modal
        self.negation: EnglishWord | None = None
        self.nicht = False
        self.constituents: list[Constituent] = []
        self.realized: VerbGroup | None = None  # the verb as it was last inflected

    def add(self, role: Role, phrase: Phrase) -> None:
        """Add a constituent."""
        self.constituents.append(Constituent(role, phrase))
        if phrase.negates:
            self.nicht = False

    def group(self, inverted: bool, final: bool) -> VerbGroup:
        """Inflect the verb."""
        self.realized = verb_group(
            self.verb,
            self.tense,
            self.modal,
            self.subject.agreement,
            inverted or self.negation is not None,
            final,
            self.negation,
        )
        return self.realized

    def english_predicate(self, group: VerbGroup, subject: Sequence[EnglishWord] = ()) -> English:
        """Return auxiliary, an inverted subject, negation, verb and constituents, in this order."""
        words = [*group.auxiliary, *subject]
        if self.negation is not None:
            if self.negation.text == "'t":
                words.insert(len(group.auxiliary), self.negation)
            else:
                words.append(self.negation)
        verb_words = group.words
        constituents = sorted(self.constituents, key=_english_rank)
        if len(constituents) > 1 and any(c.role is Role.FREQUENCY for c in constituents):
            frequency = next(c for c in constituents if c.role is Role.FREQUENCY)
            words += frequency.phrase.english
            constituents.remove(frequency)
        elif constituents and constituents[0].role is Role.FREQUENCY:
            words += constituents.pop(0).phrase.english
        particles = self.verb.english_particles
        if len(particles) == 1 and constituents:
            role, phrase = constituents[0]
            if phrase.pronoun and role is Role.ACCUSATIVE:  # pick him up
                words += [*verb_words[:-1], *phrase.english, verb_words[-1]]
                verb_words = []
                del constituents[0]
        words += verb_words
        for _, phrase in constituents:
            words += phrase.english
        return words

    def german_middle(self, closing: Sequence[GermanWord]) -> German:
        """Return the middle field, then the verbs that end the clause and what comes after them."""
        nicht_is_due = self.nicht
        constituents = sorted(
            self.constituents, key=_german_rank_before_nicht if nicht_is_due else _german_rank
        )
        words: German = []
        after: German = []
        last = constituents[-1] if constituents else None
        if self.verb.reflexive:
            verbal = closing or ([self.realized.finite] if self.realized else [])
            verb_word = [word for wort in verbal for word in wort.sure][-1:]
            words.append(GermanWord(de.REFLEXIVE[self.subject.agreement], (), verb_word))
        for constituent in constituents:
            if nicht_is_due and _german_rank(constituent) > NICHT_RANK:
                words.append(self._nicht())
                nicht_is_due = False
            phrase = constituent.phrase
            words += phrase.german
            if phrase.relative:
                if constituent is last and closing and not nicht_is_due:
                    after = phrase.relative
                else:
                    words += phrase.relative
        if nicht_is_due:
            words.append(self._nicht())
        return [*words, *closing, *after]

    def _nicht(self) -> GermanWord:
        assert self.negation is not None
        return GermanWord("nicht", (self.negation,))

    def main(self, front: Constituent | None = None) -> tuple[English, German]:
        """Order a statement: the German verb is second, after the subject or ``front``."""
        subject = self.subject
        group = self.group(False, False)
        if front is None:
            english = [*subject.english, *self.english_predicate(group)]
            first = [*subject.inline(), group.finite]
        else:
            self.constituents.remove(front)
            english = [*front.phrase.english]
            if len(english) > 2 and front.role is Role.TIME:
                english.append(EnglishWord(","))
            english += subject.english
            english += self.english_predicate(group)
            first = [*front.phrase.inline(), group.finite, *subject.inline()]
        return english, [*first, *self.german_middle(group.closing)]

    def after_clause(self) -> tuple[English, German]:
        """Order a statement whose first position is taken by a subordinate clause."""
        group = self.group(False, False)
        english = [*self.subject.english, *self.english_predicate(group)]
        german = [group.finite, *self.subject.inline(), *self.german_middle(group.closing)]
        return english, german

    def question(self) -> tuple[English, German]:
        """Order a yes/no question, or what follows a fronted question word."""
        group = self.group(True, False)
        english = self.english_predicate(group, self.subject.english)
        german = [group.finite, *self.subject.inline(), *self.german_middle(group.closing)]
        return english, german

    def request(self) -> tuple[English, German]:
        """Order a request to *you*. Only German has a word for the person."""
        group = self.group(False, False)
        verb_word = group.finite.sure
        sie = [GermanWord(word.text, (), verb_word) for word in self.subject.german]
        german = [group.finite, *sie, *self.german_middle(group.closing)]
        return self.english_predicate(group), german

    def continuation(self, first: Clause) -> tuple[English, German]:
        """Order a second predicate of the same subject, without the auxiliaries that it shares.

        ``first`` is the clause before this one. It is already ordered.
        """
        first_group = first.realized
        assert first_group is not None
        group = self.group(False, False)
        finite = group.finite
        if group.auxiliary and _texts(group.auxiliary) == _texts(first_group.auxiliary):
            shared = dict(zip(group.auxiliary, first_group.auxiliary, strict=True))
            finite.sure = [shared.get(word, word) for word in finite.sure]
            finite.possible = [shared.get(word, word) for word in finite.possible]
            group = group._replace(auxiliary=[])
        english = self.english_predicate(group)
        german = self.german_middle(group.closing)
        if group.closing and first_group.closing and finite.text == first_group.finite.text:
            linked = (*first_group.finite.possible, *finite.possible)
            first_group.finite.possible = tuple(dict.fromkeys(linked))
            return english, german
        return english, [finite, *german]

    def subordinate(self, subject_is_link: bool = False) -> tuple[English, German]:
        """Order a clause with the German finite verb last.

        ``subject_is_link`` says that the subject is a relative pronoun or a question word, which is
        placed before the clause.
        """
        group = self.group(False, True)
        english = self.english_predicate(group)
        closing = [*group.closing, group.finite]
        german = self.german_middle(closing)
        if subject_is_link:
            return english, german
        return [*self.subject.english, *english], [*self.subject.inline(), *german]

    def infinitive(self) -> tuple[English, German]:
        """Order an infinitive with *to* and *zu*."""
        words, closing = to_infinitive(self.verb)
        english = self.english_predicate(VerbGroup([], words, closing[0], []))
        return english, self.german_middle(closing)


def _texts(words: English) -> list[str]:
    return [word.text for word in words]
