"""Clauses with content: verbs with plausible subjects, objects, times, places and relative clauses."""

from __future__ import annotations

from typing import Final

from attnmt.grammar import german as de
from attnmt.grammar.chance import Dice, Weighted
from attnmt.grammar.clauses import Clause, Role
from attnmt.grammar.determiners import POSSESSIVES, THE
from attnmt.grammar.entries import Complement, Noun, Verb
from attnmt.grammar.phrases import PhraseBuilder
from attnmt.grammar.verbgroup import (
    CAN,
    COULD,
    HAD_TO,
    LIKE,
    MAY,
    MUST,
    MUST_NOT,
    SHOULD,
    WANT,
    WANTED,
    Modal,
    Tense,
)
from attnmt.grammar.verbpools import PAST, PRESENT, noun_classes, place_classes, shared_verbs
from attnmt.grammar.words import EnglishWord, German, GermanWord, Phrase, pair

NEGATION_RATE: Final = 0.10
TIME_RATE: Final = 0.20
PLACE_RATE: Final = 0.05
MANNER_RATE: Final = 0.10
RELATIVE_RATE: Final = 0.095
COORDINATION_RATE: Final = 0.05
DEEPEST_RELATIVE: Final = 2
POSSESSIVE_WORDS: Final = frozenset(english for english, _ in POSSESSIVES)

PRESENT_MODALS: Final = Weighted([CAN, WANT, MUST, SHOULD, LIKE, MAY], [9, 8, 6, 5, 5, 1])
PAST_MODALS: Final = Weighted([COULD, HAD_TO, WANTED], [3, 4, 4])


class ClauseBuilder(PhraseBuilder):
    """Builds the content of clauses."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(dice)
        self.verbs = shared_verbs()
        self.depth = 0
        self.past = False  # whether the sentence is about the past; set again for each sentence

    def clause(
        self,
        subject: Phrase | None = None,
        verb: Verb | None = None,
        gap: bool = False,
        negatable: bool = True,
        dated: bool = True,
        tense: Tense | None = None,
    ) -> Clause:
        """Build a clause.

        ``gap`` leaves out the first complement (or the place), because the sentence has it elsewhere.
        ``dated`` allows adverbials, and ``tense`` fixes the tense.
        """
        dice = self.dice
        if verb is None:
            verb = dice.pick(self.verbs.any if subject is None else self.verbs.personal)
        if subject is None:
            subject = self.subject(verb)
        modal = None
        if tense is None:
            tense, modal = self.tense(verb)
            is_episode = not dated and verb.purposeful and not verb.stative
            if is_episode and tense is Tense.PRESENT and modal is None:
                tense = Tense.PROGRESSIVE
        clause = Clause(verb, subject, tense, modal)
        habit = tense is Tense.PRESENT and modal is None and not verb.stative
        if negatable and not habit and dice.random() < NEGATION_RATE:
            self.negate(clause)
        self.complements(clause, gap)
        if dated:
            self.circumstances(clause, habit)
        return clause

    def negate(self, clause: Clause) -> None:
        """Negate a clause; complements added later may turn *nicht* into *kein*."""
        clause.negation = EnglishWord("'t" if self.dice.random() < 0.5 else "not")
        clause.nicht = True
        if clause.modal is MUST:
            clause.modal = MUST_NOT

    def tense(self, verb: Verb) -> tuple[Tense, Modal | None]:
        """Choose a tense, or a modal, that suits the verb and the time of the sentence."""
        dice = self.dice
        point = dice.random()
        if not verb.purposeful or verb.stative or verb.subjects[0] not in ("person", "group"):
            if self.past:
                return Tense.PAST, None
            return (Tense.FUTURE if point < 0.1 and not verb.stative else Tense.PRESENT), None
        if self.past:
            if point < 0.72:
                return Tense.PAST, None
            if point < 0.86:
                return Tense.PERFECT, None
            return Tense.PAST, dice.pick(PAST_MODALS)
        if point < 0.30:
            return Tense.PROGRESSIVE, None
        if point < 0.48:
            return Tense.PRESENT, None
        if point < 0.66:
            return Tense.FUTURE, None
        return Tense.PRESENT, dice.pick(PRESENT_MODALS)

    def complements(self, clause: Clause, gap: bool) -> None:
        """Add what the verb governs."""
        verb = clause.verb
        last = len(verb.complements) - 1
        for position, complement in enumerate(verb.complements):
            if gap:
                gap = False
                continue
            negation = clause.negation if clause.nicht else None
            phrase = self.argument(complement, clause.subject, negation, light=position < last)
            if complement.german:
                role = Role.PREPOSITIONAL
            else:
                role = Role.ACCUSATIVE if complement.case == de.ACCUSATIVE else Role.DATIVE
            clause.add(role, phrase)
        if verb.frame and not gap:
            goals = place_classes(verb, "dir")
            if goals:
                clause.add(Role.DIRECTION, self.direction(goals))
            else:
                places = place_classes(verb, "loc")
                if places:
                    clause.add(Role.DIRECTION, self.location(places))

    def circumstances(self, clause: Clause, habit: bool) -> None:
        """Add adverbials that suit the tense."""
        dice = self.dice
        tense = clause.tense
        pools = self.verbs.adverbials
        if habit:
            if dice.random() < 0.6:
                clause.add(Role.FREQUENCY, self.adverbial(dice.pick(pools["frequency", PRESENT])))
            else:
                clause.add(Role.TIME, self.adverbial(dice.pick(pools["time", PRESENT])))
        elif tense is not Tense.PERFECT and dice.random() < TIME_RATE:
            if clause.modal is not None:
                when = PAST if clause.modal.past else "future"
            elif tense is Tense.PAST:
                when = PAST
            elif tense is Tense.PROGRESSIVE:
                when = "now"
            else:
                when = "future"
            if tense is not Tense.PRESENT or clause.modal is not None:
                clause.add(Role.TIME, self.adverbial(dice.pick(pools["time", when])))
        if clause.verb.manner and dice.random() < MANNER_RATE:
            many = clause.subject.agreement >= de.FIRST_PLURAL
            entry = dice.pick(pools["manner", PAST])
            if many or entry.english != ("together",):
                clause.add(Role.MANNER, self.adverbial(entry))
        elif not clause.verb.stative and not clause.verb.frame and dice.random() < PLACE_RATE:
            if dice.random() < 0.4:
                place = self.adverbial(dice.pick(pools["place", PAST]))
            else:
                place = self.location(("city", "place"))
            clause.add(Role.PLACE, place)

    def subject(self, verb: Verb) -> Phrase:
        """Build a subject that can do what the verb says."""
        dice = self.dice
        kind = verb.subjects[0]
        if len(verb.subjects) > 1 and dice.random() < 0.3:
            kind = verb.subjects[1 + dice.below(len(verb.subjects) - 1)]
        if kind != "person":
            noun = self.noun((kind,))
            return self.related(self.noun_phrase(noun, de.NOMINATIVE), noun)
        return self.person(de.NOMINATIVE)

    def person(self, case: int) -> Phrase:
        """Build a phrase for persons: a pronoun, a name, a family member or a noun phrase."""
        dice = self.dice
        point = dice.random()
        if point < 0.34 and case == de.NOMINATIVE:
            return self.pronoun(case)
        if point < 0.56:
            phrase = self.person_name(case)
        elif point < 0.68:
            noun = self.noun(("kin",))
            phrase = self.noun_phrase(noun, case, plural=False)
        else:
            noun = self.noun(("person",))
            phrase = self.related(self.noun_phrase(noun, case), noun)
        if not phrase.relative and dice.random() < COORDINATION_RATE * self.richness:
            if dice.random() < 0.5:
                second = self.person_name(case)
            else:
                second = self.noun_phrase(self.noun(("kin",)), case, phrase.owner, plural=False)
            phrase = self.coordinate(phrase, second)
        return phrase

    def argument(
        self,
        complement: Complement,
        subject: Phrase,
        negation: EnglishWord | None,
        light: bool,
    ) -> Phrase:
        """Build an object or prepositional object; a ``light`` one takes no relative clause."""
        dice = self.dice
        classes = complement.classes
        point = dice.random()
        if "name" in classes and point < 0.4:
            phrase = self.person_name(complement.case)
        elif "city" in classes and point < 0.4:
            phrase = self.city()
        elif "person" in classes and point > 0.8:
            phrase = self.pronoun(complement.case, subject)
        else:
            is_direct = not complement.german and complement.case == de.ACCUSATIVE
            absorbing = negation if is_direct else None
            noun = self.noun(noun_classes(classes))
            phrase = self.noun_phrase(noun, complement.case, subject.owner, absorbing)
            if not light:
                phrase = self.related(phrase, noun)
            if (
                not (light or phrase.negates or phrase.relative)
                and point < COORDINATION_RATE * self.richness
            ):
                second = self.noun(noun_classes(classes))
                if second is not noun and second.classes[0] == noun.classes[0]:
                    second_phrase = self.noun_phrase(second, complement.case, subject.owner)
                    phrase = self.coordinate(phrase, second_phrase)
        if complement.german:
            return self.prepositional(complement.english, complement.german, phrase)
        if complement.english:
            preposition = EnglishWord(complement.english)
            phrase.english = [preposition, *phrase.english]
            first = phrase.german[0]
            first.possible = (*first.possible, preposition)
            phrase.pronoun = phrase.pronoun and complement.case == de.DATIVE
        return phrase

    def direction(self, classes: tuple[str, ...]) -> Phrase:
        """Build a phrase for where somebody goes: to Berlin, to the station."""
        if classes == ("city",):
            return self.prepositional("to", "nach", self.city())
        noun = self.noun(classes)
        assert noun.place is not None
        phrase = self.place_phrase(noun, noun.place.to_case)
        return self.prepositional("to", noun.place.to_german, phrase)

    def location(self, classes: tuple[str, ...]) -> Phrase:
        """Build a phrase for where something happens: in Berlin, at the station."""
        if "city" in classes and ("place" not in classes or self.dice.random() < 0.5):
            return self.prepositional("in", "in", self.city())
        noun = self.noun(noun_classes(classes))
        assert noun.place is not None
        phrase = self.place_phrase(noun, de.DATIVE)
        return self.prepositional(noun.place.at_english, noun.place.at_german, phrase)

    def place_phrase(self, noun: Noun, case: int) -> Phrase:
        """Build a place in the singular."""
        determiner = THE if self.dice.random() < 0.7 else None
        phrase = self.noun_phrase(noun, case, determiner=determiner, plural=False)
        return self.related(phrase, noun)

    def related(self, phrase: Phrase, noun: Noun) -> Phrase:
        """Give some noun phrases a relative clause."""
        dice = self.dice
        if (
            self.depth < DEEPEST_RELATIVE
            and not phrase.negates
            and "kin" not in noun.classes
            and dice.random() < RELATIVE_RATE * self.richness / (1 + self.depth)
            and phrase.english[0].text not in POSSESSIVE_WORDS
        ):
            self.depth += 1
            self._relate(phrase, noun)
            self.depth -= 1
        return phrase

    def _relate(self, phrase: Phrase, noun: Noun) -> None:
        column = de.PLURAL if phrase.agreement == de.THIRD_PLURAL else noun.gender
        is_person = "person" in noun.classes
        if is_person and self.dice.random() < 0.6:
            who, der = pair("who", de.RELATIVE[de.NOMINATIVE][column])
            gap = Phrase([who], [der], phrase.agreement, phrase.owner)
            clause = self.clause(subject=gap, dated=self.dated_relative())
            english, german = clause.subordinate(subject_is_link=True)
            self._attach(phrase, [who, *english], [der, *german])
            return
        if noun.place is not None and self.dice.random() < 0.4:
            verb = self.dice.pick(self.verbs.located)
            if "place" not in place_classes(verb, "loc"):
                return
            clause = self.clause(
                verb=verb, subject=self.person(de.NOMINATIVE), gap=True, dated=False
            )
            preposition, praeposition = pair(noun.place.at_english, noun.place.at_german)
            which, der = pair("which", de.RELATIVE[de.DATIVE][column])
            english, german = clause.subordinate()
            self._attach(phrase, [preposition, which, *english], [praeposition, der, *german])
            return
        choice = self.verbs.with_object(noun.classes)
        if choice is None:
            return
        verb = self.dice.pick(choice)
        complement = verb.complements[0]
        subject = self.person(de.NOMINATIVE)
        if is_person and subject.owner == phrase.owner:
            subject = self.pronoun(de.NOMINATIVE)
        clause = self.clause(verb=verb, subject=subject, gap=True, dated=self.dated_relative())
        english, german = clause.subordinate()
        relative = EnglishWord("whom" if is_person else "which" if complement.english else "that")
        der = GermanWord(de.RELATIVE[complement.case][column], (relative,))
        marker, markierung = [relative], [der]
        if complement.english:
            preposition = EnglishWord(complement.english)
            marker.insert(0, preposition)
            if complement.german:
                markierung.insert(0, GermanWord(complement.german, (preposition,)))
            else:
                der.possible = (preposition,)
        elif complement.german:
            markierung.insert(0, GermanWord(complement.german, (), (relative,)))
        self._attach(phrase, [*marker, *english], [*markierung, *german])

    def dated_relative(self) -> bool:
        """Say whether a relative clause may have adverbials of its own."""
        return self.depth == 1 and self.dice.random() < 0.35

    @staticmethod
    def _attach(phrase: Phrase, english: list[EnglishWord], german: German) -> None:
        phrase.english = [*phrase.english, *english]
        phrase.relative = [GermanWord(","), *german, GermanWord(",")]
