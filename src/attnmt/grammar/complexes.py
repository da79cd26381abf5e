"""Sentences of several clauses: subordinate clauses, infinitives, shared subjects, speech."""

from __future__ import annotations

from typing import Final, NamedTuple

from attnmt.grammar import determiners as det
from attnmt.grammar import german as de
from attnmt.grammar.chance import Dice, Weighted
from attnmt.grammar.clauses import Clause, Role
from attnmt.grammar.determiners import PRONOUNS
from attnmt.grammar.entries import Verb, make_verb
from attnmt.grammar.statements import Sides, StatementBuilder
from attnmt.grammar.verbgroup import BE, Tense
from attnmt.grammar.words import EnglishWord, GermanWord, Phrase, pair

HAVE: Final = make_verb("have had had", "haben hat hatte gehabt haben", "sp", "person", "")
JUDGMENTS: Final = (
    ("good", "gut"),
    ("important", "wichtig"),
    ("strange", "seltsam"),
    ("true", "wahr"),
)


class Subordinator(NamedTuple):
    """A conjunction in both languages, and the tenses that it asks for in the two clauses.

    ``main`` is the tense of the main clause, ``inner`` that of the clause that the conjunction opens.
    """

    english: str
    german: str
    main: Tense | None = None
    inner: Tense | None = None


BECAUSE: Final = Subordinator("because", "weil")
ALTHOUGH: Final = Subordinator("although", "obwohl")
PAST_SUBORDINATORS: Final = Weighted(
    [
        BECAUSE,
        Subordinator("when", "als", Tense.PAST, Tense.NARRATIVE),
        ALTHOUGH,
        Subordinator("before", "bevor", Tense.PAST, Tense.NARRATIVE),
        Subordinator("after", "nachdem", Tense.PAST, Tense.PLUPERFECT),
    ],
    [8, 7, 4, 3, 3],
)
PRESENT_SUBORDINATORS: Final = Weighted(
    [
        BECAUSE,
        Subordinator("if", "wenn", Tense.FUTURE, Tense.PRESENT),
        ALTHOUGH,
        Subordinator("while", "während", Tense.PROGRESSIVE, Tense.PROGRESSIVE),
    ],
    [7, 6, 4, 2],
)


class ComplexBuilder(StatementBuilder):
    """Builds sentences of several clauses."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(dice)
        clause_verbs = self.verbs.clause_verbs
        self.taking = {
            kind: self.verbs.by_rank([verb for verb in clause_verbs if kind in verb.frame])
            for kind in ("that", "whether", "question", "to")
        }

    def content(self, subject: Phrase | None = None) -> Clause:
        """Build a clause of any kind, which is then subordinated or joined to another."""
        if subject is None:
            point = self.dice.random()
            if point < 0.2:
                return self.copula()
            if point < 0.25:
                return self.weather_clause()
        return self.clause(subject)

    def reason(self) -> Sides:
        """Build a main clause with an adverbial clause after or before it."""
        dice = self.dice
        kind = dice.pick(PAST_SUBORDINATORS if self.past else PRESENT_SUBORDINATORS)
        if kind.main is None:
            main = self.clause(dated=False)
        else:
            main = self.clause(verb=dice.pick(self.verbs.dynamic), dated=False, tense=kind.main)
        subject = self.resumed(main.subject)
        if kind.inner is None:
            clause = self.content(subject)
        elif kind.inner is Tense.PRESENT and dice.random() < 0.4:
            clause = self.copula() if dice.random() < 0.5 else self.weather_clause(Tense.PRESENT)
        else:
            clause = self.clause(
                subject,
                dice.pick(self.verbs.dynamic),
                negatable=False,
                dated=False,
                tense=kind.inner,
            )
        link, bindewort = pair(kind.english, kind.german)
        english, german = clause.subordinate()
        english = [link, *english]
        german = [bindewort, *german]
        if dice.random() < 0.35:
            comma = EnglishWord(",")
            after, danach = main.after_clause()
            return self.closed(
                ([*english, comma, *after], [*german, GermanWord(",", (comma,)), *danach])
            )
        before, davor = main.main()
        sides = [*before, *english], [*davor, GermanWord(","), *german, GermanWord(",")]
        return self.closed(self.joined(sides))

    def resumed(self, subject: Phrase) -> Phrase | None:
        """Return a pronoun if the next clause is to have the same subject, and otherwise None."""
        if subject.owner < 0 or self.dice.random() < 0.5:
            return None
        return self.pronoun_for(PRONOUNS[subject.owner])

    def report(self) -> Sides:
        """Build a sentence such as *he says that ...*, *he knows who ...* or *he asks whether ...*."""
        dice = self.dice
        point = dice.random()
        kind = "that" if point < 0.62 else "whether" if point < 0.8 else "question"
        verb = dice.pick(self.taking[kind])
        subject = self.person(de.NOMINATIVE)
        main = self.clause(subject, verb, dated=False, negatable=kind != "question")
        if kind == "whether" and main.negation is None and verb.english_base == "know":
            self.negate(main)
        english, german = main.main()
        if kind == "question":
            inner = self.indirect_question()
        else:
            clause = self.content(self.resumed(subject))
            word, wort = pair(kind, "dass" if kind == "that" else "ob")
            side, seite = clause.subordinate()
            inner = [word, *side], [wort, *seite]
        comma, komma = GermanWord(","), GermanWord(",")
        sides = [*english, *inner[0]], [*german, comma, *inner[1], komma]
        return self.closed(self.joined(sides))

    def indirect_question(self) -> Sides:
        """Build *why Anna is tired*, *where he lives*, *who bought the car*."""
        dice = self.dice
        point = dice.random()
        if point < 0.3:
            word, wort = pair("who", "wer")
            clause = self.clause(Phrase([word], [wort]), dated=False)
            english, german = clause.subordinate()
            return english, german
        if point < 0.6:
            verb = dice.pick(self.verbs.directed if dice.random() < 0.6 else self.verbs.located)
            word, wort = pair("where", "wohin" if "dir" in verb.frame[0] else "wo")
            clause = self.clause(None, verb, gap=True, negatable=False, dated=False)
        elif point < 0.8:
            word, wort = pair("why", "warum")
            clause = self.clause(dated=False)
        else:
            word, wort = pair("when", "wann")
            clause = self.clause(None, dice.pick(self.verbs.dynamic), negatable=False, dated=False)
        english, german = clause.subordinate()
        return [word, *english], [wort, *german]

    def intention(self) -> Sides:
        """Build a sentence in which somebody tries to do something."""
        dice = self.dice
        subject = self.person(de.NOMINATIVE)
        tense = Tense.PAST if self.past else Tense.PRESENT
        main = self.clause(subject, dice.pick(self.taking["to"]), dated=False, tense=tense)
        inner = self.infinitive(subject, self.verbs.purposeful)
        english, german = self.ordered(main)
        return self.closed(([*english, *inner[0]], [*german, GermanWord(","), *inner[1]]))

    def infinitive(self, subject: Phrase, verbs: Weighted[Verb]) -> Sides:
        """Build *to buy a car*, *ein Auto zu kaufen*, done by the subject of the main clause."""
        clause = self.clause(
            subject, self.dice.pick(verbs), negatable=False, dated=False,
            tense=Tense.FUTURE,
        )  # fmt: skip
        return clause.infinitive()

    def purpose(self) -> Sides:
        """Build a sentence in which somebody goes somewhere in order to do something."""
        subject = self.person(de.NOMINATIVE)
        verb = self.dice.pick(self.verbs.directed)
        english, german = self.ordered(self.clause(subject, verb, negatable=False))
        inner, innen = self.infinitive(subject, self.verbs.tasks)
        in_order = [EnglishWord("in"), EnglishWord("order")]
        um = GermanWord("um", in_order)
        return self.closed(([*english, *in_order, *inner], [*german, GermanWord(","), um, *innen]))

    def two_predicates(self) -> Sides:
        """Build *she opened the door and called her brother*."""
        first = self.clause(verb=self.dice.pick(self.verbs.dynamic), negatable=False)
        verb = first.verb
        while verb is first.verb:
            verb = self.dice.pick(self.verbs.dynamic)
        tense = first.tense
        if first.modal is not None and first.modal.following:
            first.modal = None
            tense = first.tense = Tense.PAST if self.past else Tense.FUTURE
        second = self.clause(first.subject, verb, negatable=False, dated=False, tense=tense)
        second.modal = first.modal
        english, german = first.main()
        more, mehr = second.continuation(first)
        word, wort = pair("and", "und")
        return self.closed(([*english, word, *more], [*german, wort, *mehr]))

    def condition(self) -> Sides:
        """Build *if I had time, I would go*."""
        dice = self.dice
        self.past = False
        subject = self.person(de.NOMINATIVE)
        if dice.random() < 0.5:
            condition = Clause(HAVE, subject, Tense.SUBJUNCTIVE)
            noun = dice.pick(self.lexicon.pool(("have",)).frequent)
            more, mehr = pair("more", "mehr")
            phrase = self.noun_phrase(noun, de.ACCUSATIVE, determiner=det.BARE)
            if dice.random() < 0.5:
                phrase.english.insert(0, more)
                phrase.german.insert(0, mehr)
            condition.add(Role.ACCUSATIVE, phrase)
        else:
            condition = Clause(BE, subject, Tense.SUBJUNCTIVE)
            word, wort = pair(*self.state_words())
            condition.add(Role.PREDICATE, Phrase([word], [wort]))
        main_subject = (
            self.pronoun_for(PRONOUNS[subject.owner])
            if subject.owner >= 0
            else self.person(de.NOMINATIVE)
        )
        main = self.clause(
            main_subject, dice.pick(self.verbs.dynamic), dated=False, tense=Tense.CONDITIONAL
        )
        english, german = condition.subordinate()
        word, wort = pair("if", "wenn")
        comma = EnglishWord(",")
        after, danach = main.after_clause()
        return self.closed(
            (
                [word, *english, comma, *after],
                [wort, *german, GermanWord(",", (comma,)), *danach],
            )
        )

    def state_words(self) -> tuple[str, str]:
        """Draw a predicate adjective for a person."""
        adjective = self.dice.pick(self.states)
        return adjective.english, adjective.predicative

    def judgment(self) -> Sides:
        """Build *it is important that he helps us*."""
        dice = self.dice
        it, es = pair("it", "es")
        main = Clause(BE, Phrase([it], [es]), Tense.PAST if self.past else Tense.PRESENT)
        word, wort = pair(*JUDGMENTS[dice.below(len(JUDGMENTS))])
        main.add(Role.PREDICATE, Phrase([word], [wort]))
        english, german = main.main()
        that, dass = pair("that", "dass")
        side, seite = self.content().subordinate()
        return self.closed(([*english, that, *side], [*german, GermanWord(","), dass, *seite]))

    def quotation(self) -> Sides:
        """Build *“I am tired,” said Anna*."""
        speaker = self.person_name(de.NOMINATIVE)
        english, german = self.ordered(self.content())
        opening, oeffnend = pair("“", "„")
        comma = EnglishWord(",")
        closing, schliessend = pair("”", "“")
        said, sagte = pair("said", "sagte")
        english = [opening, *english, comma, closing, *speaker.english, said]
        german = [oeffnend, *german, schliessend, GermanWord(",", (comma,)), sagte, *speaker.german]
        return self.closed((english, german))
