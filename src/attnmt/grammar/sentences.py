"""All sentence patterns and their shares: those of the other modules, questions and requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attnmt.grammar import determiners as det
from attnmt.grammar import german as de
from attnmt.grammar.chance import Dice, Weighted
from attnmt.grammar.clauses import Role
from attnmt.grammar.complexes import ComplexBuilder
from attnmt.grammar.determiners import PRONOUNS, YOUR
from attnmt.grammar.entries import Verb
from attnmt.grammar.statements import Sides
from attnmt.grammar.verbgroup import Tense
from attnmt.grammar.words import English, EnglishWord, German, GermanWord, Phrase, pair

PLAIN_RICHNESS: Final = 0.4
RICH_RICHNESS: Final = 3.0
PAST_RATE: Final = 0.52
RICH_RATE: Final = 0.10


class SentenceBuilder(ComplexBuilder):
    """Builds whole sentences."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(dice)
        self.asked = self.verbs.by_rank(
            [
                verb
                for verb in self.verbs.personal.items
                if len(verb.complements) == 1
                and not verb.complements[0].english
                and not verb.complements[0].german
                and "name" not in verb.complements[0].classes
                and "city" not in verb.complements[0].classes
            ]
        )
        self.patterns: Weighted[Callable[[], Sides]] = Weighted(
            [
                self.statement, self.description, self.reason, self.report, self.intention,
                self.two_predicates, self.yes_no_question, self.word_question, self.request,
                self.existence, self.comparison, self.condition, self.purpose, self.quotation,
                self.price, self.judgment, self.weather,
            ],
            [58, 8, 7, 5, 5, 3, 3, 4, 3, 2, 2, 1, 1.5, 0.5, 1.5, 1, 1],
        )  # fmt: skip

    def sentence(self) -> Sides:
        """Build a sentence of any length, with its final punctuation."""
        dice = self.dice
        self.past = dice.random() < PAST_RATE
        self.richness = RICH_RICHNESS if dice.random() < RICH_RATE else PLAIN_RICHNESS
        return dice.pick(self.patterns)()

    def yes_no_question(self) -> Sides:
        """Build *did Anna buy the car?*"""
        verb = self.dice.pick(self.verbs.any)
        subject = self.subject(verb)
        if subject.agreement == de.FIRST:
            subject = self.pronoun_for(PRONOUNS[YOUR])
        clause = self.clause(subject, verb, negatable=False)
        return self.closed(clause.question(), "?")

    def word_question(self) -> Sides:
        """Build a question with who, what, which, where, when or why."""
        dice = self.dice
        point = dice.random()
        if point < 0.2:
            word, wort = pair("who", "wer")
            clause = self.clause(Phrase([word], [wort]), negatable=False)
            return self.closed(clause.main(), "?")
        if point < 0.45:
            return self.object_question()
        if point < 0.7:
            verb = dice.pick(self.verbs.directed if dice.random() < 0.6 else self.verbs.located)
            word, wort = pair("where", "wohin" if "dir" in verb.frame[0] else "wo")
            clause = self.clause(None, verb, gap=True, negatable=False, dated=False)
        elif point < 0.85:
            word, wort = pair("why", "warum")
            clause = self.clause()
        else:
            word, wort = pair("when", "wann")
            verb = dice.pick(self.verbs.dynamic)
            tense = Tense.PAST if self.past else Tense.FUTURE
            clause = self.clause(None, verb, negatable=False, dated=False, tense=tense)
        english, german = clause.question()
        return self.closed(([word, *english], [wort, *german]), "?")

    def object_question(self) -> Sides:
        """Build a question about an object: what, whom, which book, how many books."""
        dice = self.dice
        verb = dice.pick(self.asked)
        complement = verb.complements[0]
        point = dice.random()
        if point < 0.5:
            if "person" in complement.classes:
                words = [pair("who", "wen" if complement.case == de.ACCUSATIVE else "wem")]
            else:
                words = [pair("what", "was")]
        else:
            noun = self.noun(complement.classes)
            column = noun.gender
            if point < 0.75 and noun.german_plural and complement.case == de.ACCUSATIVE:
                words = [pair("how", "wie"), pair("many", "viele")]
                column = de.PLURAL
            else:
                form = det.WHICH.german[complement.case][column]
                words = [pair("which", form)]
            many = column == de.PLURAL
            head = [EnglishWord(text) for text in (noun.english_plural if many else noun.english)]
            forms = noun.german_plural if many else noun.german
            asked, gefragt = (list(side) for side in zip(*words, strict=True))
            return self.asking(
                verb, [*asked, *head], [*gefragt, GermanWord(forms[complement.case], head)]
            )
        asked, gefragt = (list(side) for side in zip(*words, strict=True))
        return self.asking(verb, asked, gefragt)

    def asking(self, verb: Verb, asked: English, gefragt: German) -> Sides:
        """Build a question in which the ``asked`` object stands in front."""
        subject = self.person(de.NOMINATIVE)
        clause = self.clause(subject, verb, gap=True, negatable=False)
        english, german = clause.question()
        return self.closed(([*asked, *english], [*gefragt, *german]), "?")

    def request(self) -> Sides:
        """Build *please open the window*."""
        self.past = False
        you = self.pronoun_for(PRONOUNS[YOUR])
        clause = self.clause(
            you, self.dice.pick(self.verbs.purposeful), negatable=False, dated=False,
            tense=Tense.PRESENT,
        )  # fmt: skip
        clause.constituents = [c for c in clause.constituents if c.role is not Role.FREQUENCY]
        please, bitte = pair("please", "bitte")
        english, german = clause.request()
        return self.closed(([please, *english], [bitte, *german]), ".")
