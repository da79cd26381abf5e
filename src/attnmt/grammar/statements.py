"""Sentences of one main clause, and two joined by *and* or *but*."""

from __future__ import annotations

from typing import Final, TypeAlias

from attnmt.grammar import determiners as det
from attnmt.grammar import english as en
from attnmt.grammar import german as de
from attnmt.grammar.builder import ClauseBuilder
from attnmt.grammar.chance import Dice, Weighted
from attnmt.grammar.clauses import Clause, Role
from attnmt.grammar.determiners import HER, HIS, PRONOUNS, Pronoun
from attnmt.grammar.entries import make_verb
from attnmt.grammar.verbgroup import BE, BECOME, Tense
from attnmt.grammar.verbpools import PAST
from attnmt.grammar.words import English, EnglishWord, German, GermanWord, Phrase, pair

Sides: TypeAlias = tuple[English, German]

FRONTING_RATE: Final = 0.45
JOINING_RATE: Final = 0.16  # how often a statement goes on with "and" or "but"

COST: Final = make_verb("cost cost cost", "kosten kostet kostete gekostet haben", "s", "thing", "")
PRICES: Final = Weighted.zipf(["20", "50", "100", "300", "15", "80", "200", "500", "40"], 2.0)
RAIN: Final = make_verb(
    "rain rained rained", "regnen regnet regnete geregnet haben", "", "thing", ""
)
SNOW: Final = make_verb(
    "snow snowed snowed", "schneien schneit schneite geschneit haben", "", "thing", ""
)
FIRST_OCCUPATION: Final = 4  # the nouns for persons begin with man, woman, child and friend


class StatementBuilder(ClauseBuilder):
    """Builds statements."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(dice)
        lexicon = self.lexicon
        self.states = Weighted.listed([a for a in lexicon.adjectives if "person" in a.classes], 3.0)
        self.compared = Weighted.listed([a for a in self.states.items if a.comparative_german], 3.0)
        people = lexicon.pool(("person",)).frequent.items
        self.occupations = {
            gender: Weighted.listed(
                [noun for noun in people[FIRST_OCCUPATION:] if noun.gender == gender], 3.0
            )
            for gender in (de.MASCULINE, de.FEMININE)
        }

    def statement(self) -> Sides:
        """Build a main clause, sometimes joined to another."""
        return self.closed(self.joined(self.ordered(self.clause())))

    def ordered(self, clause: Clause) -> Sides:
        """Order a main clause, sometimes with something other than the subject in front."""
        dice = self.dice
        heavy = any(constituent.phrase.relative for constituent in clause.constituents)
        for constituent in clause.constituents:
            if constituent.role is Role.TIME and (heavy or dice.random() < FRONTING_RATE):
                return clause.main(constituent)
            if (
                clause.subject.pronoun
                and constituent.role is Role.ACCUSATIVE
                and constituent.phrase.english[0].text in ("this", "these")
                and not constituent.phrase.relative
                and dice.random() < FRONTING_RATE
            ):
                return clause.main(constituent)
        return clause.main()

    def joined(self, sides: Sides) -> Sides:
        """Sometimes add a second main clause with *and* or *but*."""
        dice = self.dice
        if dice.random() > JOINING_RATE * self.richness:
            return sides
        english, german = sides
        more = self.ordered(self.clause())
        comma = EnglishWord(",")
        if dice.random() < 0.5:
            word, wort = pair("and", "und")
            if german[-1].text == ",":  # it closes a subordinate clause
                german = [*german[:-1], GermanWord(",", (comma,))]
            return [*english, comma, word, *more[0]], [*german, wort, *more[1]]
        word, wort = pair("but", "aber")
        german = [*german, GermanWord(",", (comma,)), wort, *more[1]]
        return [*english, comma, word, *more[0]], german

    def description(self) -> Sides:
        """Build a sentence that says what a person or thing is, was or became."""
        return self.closed(self.ordered(self.copula()))

    def copula(self) -> Clause:
        """Build a clause with a predicate adjective or noun."""
        dice = self.dice
        tense = Tense.PAST if self.past else Tense.PRESENT
        if dice.random() < 0.5:
            if dice.random() < 0.3:
                subject = self.acquaintance()
                verb = BECOME if self.past and dice.random() < 0.5 else BE
                clause = Clause(verb, subject, tense)
                clause.add(Role.PREDICATE, self.occupation(subject))
                return clause
            subject = self.person(de.NOMINATIVE)
            adjective = dice.pick(self.states)
        else:
            noun = self.noun(("thing", "clothes", "building", "text", "idea", "vehicle", "event"))
            subject = self.related(self.noun_phrase(noun, de.NOMINATIVE), noun)
            pool = self.lexicon.adjectives_for(noun)
            assert pool is not None
            adjective = dice.pick(pool)
        clause = Clause(BE, subject, tense)
        if dice.random() < 0.15:
            self.negate(clause)
        english, german = pair(adjective.english, adjective.predicative)
        phrase = Phrase([english], [german])
        if adjective.comparative_german and dice.random() < 0.25:
            very, sehr = pair("very", "sehr")
            phrase = Phrase([very, english], [sehr, german])
        clause.add(Role.PREDICATE, phrase)
        return clause

    def acquaintance(self) -> Phrase:
        """Build a subject of known sex: he, Anna, my sister."""
        dice = self.dice
        point = dice.random()
        if point < 0.25:
            return self.pronoun_for(PRONOUNS[HIS if dice.random() < 0.5 else HER])
        if point < 0.65:
            return self.person_name(de.NOMINATIVE)
        return self.noun_phrase(self.noun(("kin",)), de.NOMINATIVE, plural=False)

    def occupation(self, subject: Phrase) -> Phrase:
        """Build *a famous engineer* for a subject of the same sex."""
        gender = de.MASCULINE if subject.owner == HIS else de.FEMININE
        noun = self.dice.pick(self.occupations[gender])
        phrase = self.noun_phrase(noun, de.NOMINATIVE, determiner=det.A, plural=False)
        if phrase.english[1].text == noun.english[0]:  # German: ist Lehrerin, with no article
            del phrase.german[0]
            head = phrase.german[0]
            head.possible = (*head.possible, phrase.english[0])
        return phrase

    def comparison(self) -> Sides:
        """Build a sentence that compares two persons or things: *Anna is older than her sister*."""
        dice = self.dice
        if dice.random() < 0.5:
            subject = self.acquaintance()
            relative = self.noun(("kin",))
            standard = self.noun_phrase(relative, de.NOMINATIVE, subject.owner, plural=False)
            adjective = dice.pick(self.compared)
        else:
            noun = self.noun(("vehicle", "clothes", "device", "animal"))
            pool = self.lexicon.adjectives_for(noun)
            assert pool is not None
            adjective = dice.pick(pool)
            if not adjective.comparative_german:
                return self.description()
            first = det.THIS if dice.random() < 0.5 else det.OWNED[dice.below(6)]
            second = det.OWNED[dice.below(6)]
            subject = self.noun_phrase(noun, de.NOMINATIVE, determiner=first, plural=False)
            standard = self.noun_phrase(noun, de.NOMINATIVE, determiner=second, plural=False)
        tense = Tense.PAST if self.past else Tense.PRESENT
        clause = Clause(BE, subject, tense)
        more = [EnglishWord(text) for text in adjective.comparative_english]
        than, als = pair("than", "als")
        clause.add(
            Role.PREDICATE,
            Phrase(
                [*more, than, *standard.english],
                [GermanWord(adjective.comparative_german, more), als, *standard.german],
            ),
        )
        return self.closed(clause.main())

    def existence(self) -> Sides:
        """Build a sentence with *there is* and *es gibt*."""
        dice = self.dice
        noun = self.noun(("place", "person", "animal", "food", "drink"))
        plural = bool(noun.german_plural) and dice.random() < 0.5
        past = self.past
        if dice.random() < 0.3:
            determiner = det.NO
        elif plural:
            determiner = (det.MANY, det.SEVERAL, det.SOME)[dice.below(3)]
        else:
            determiner = det.A if noun.german_plural else det.BARE
        phrase = self.noun_phrase(noun, de.ACCUSATIVE, determiner=determiner, plural=plural)
        there = EnglishWord("there")
        form = (en.BE_PAST if past else en.BE_PRESENT)[phrase.agreement]
        be = EnglishWord(form)
        at = self.location(("city",) if noun.place is not None else ("city", "place"))
        english = [there, be, *phrase.english, *at.english]
        gibt = GermanWord("gab" if past else "gibt", (be,))
        if dice.random() < 0.5:
            german = [*at.inline(), gibt, GermanWord("es", (), (there,)), *phrase.inline()]
            english = [*at.english, EnglishWord(","), there, be, *phrase.english]
        else:
            es = GermanWord("es", (), (there,))
            german = [es, gibt, *at.inline(), *phrase.inline()]
        return self.closed((english, german))

    def price(self) -> Sides:
        """Build *the table costs 300 euros*."""
        dice = self.dice
        noun = self.noun(("thing", "furniture", "clothes"))
        subject = self.noun_phrase(noun, de.NOMINATIVE, plural=False)
        clause = Clause(COST, subject, Tense.PAST if self.past else Tense.PRESENT)
        amount = dice.pick(PRICES)
        number, zahl = pair(amount, amount)
        euros, euro = pair("euros", "Euro")
        clause.add(Role.ACCUSATIVE, Phrase([number, euros], [zahl, euro]))
        return self.closed(clause.main())

    def weather(self) -> Sides:
        """Build *it is raining now*."""
        dice = self.dice
        clause = self.weather_clause()
        when = self.verbs.adverbials["time", PAST if clause.tense is Tense.PAST else "now"]
        clause.add(Role.TIME, self.adverbial(dice.pick(when)))
        return self.closed(self.ordered(clause))

    def weather_clause(self, tense: Tense | None = None) -> Clause:
        """Build *it is raining* or *it is snowing*."""
        if tense is None:
            tense = Tense.PAST if self.past else Tense.PROGRESSIVE
        it, es = pair("it", "es")
        verb = RAIN if self.dice.random() < 0.6 else SNOW
        return Clause(verb, Phrase([it], [es]), tense)

    @staticmethod
    def pronoun_for(pronoun: Pronoun) -> Phrase:
        """Build a subject pronoun."""
        word, wort = pair(*pronoun.subject)
        return Phrase([word], [wort], pronoun.agreement, pronoun.possessive, pronoun=True)

    @staticmethod
    def closed(sides: Sides, mark: str = ".") -> Sides:
        """Add the final punctuation."""
        point, punkt = pair(mark, mark)
        return [*sides[0], point], [*sides[1], punkt]
