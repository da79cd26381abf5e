"""Noun phrases, names and prepositional phrases, built on both sides at once in a given case."""

from __future__ import annotations

from typing import Final

from attnmt.grammar import english as en
from attnmt.grammar import german as de
from attnmt.grammar.chance import Dice
from attnmt.grammar.determiners import (
    BARE,
    HER,
    HIS,
    NO,
    NUMERALS,
    OWNED,
    PLURAL_DETERMINERS,
    PRONOUNS,
    SEVERAL,
    SINGULAR_DETERMINERS,
    SOME,
    SUBJECT_DETERMINERS,
    SUBJECT_PLURAL_DETERMINERS,
    THE,
    THEIR,
    A,
    Determiner,
    Pronoun,
)
from attnmt.grammar.entries import Adjective, Adverbial, Noun
from attnmt.grammar.pools import shared_lexicon
from attnmt.grammar.words import English, EnglishWord, German, GermanWord, Phrase, pair

# How often a slot is filled from the open class. This decides how many words are unknown.
RARE_NAME_RATE: Final = 0.22
RARE_NOUN_RATE: Final = 0.03
COMPOUND_RATE: Final = 0.01
ADJECTIVE_RATE: Final = 0.26
POSSESSOR_RATE: Final = 0.07
POSTMODIFIER_RATE: Final = 0.07

COLORS: Final = frozenset({"red", "blue", "black", "white", "green"})
POSSESSABLE: Final = frozenset(
    {"kin", "thing", "clothes", "vehicle", "text", "animal", "idea", "furniture", "device"}
)
POSTMODIFIERS: Final = (  # noun class, English and German preposition before a city
    ("person", "from", "aus"),
    ("building", "in", "in"),
    ("story", "about", "über"),
    ("image", "of", "von"),
    ("group", "from", "aus"),
)


class PhraseBuilder:
    """Builds noun phrases, names and adverbials."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.lexicon = shared_lexicon()
        self.richness = 1.0  # scales the rates of modifiers; set again for each sentence

    def noun(self, classes: tuple[str, ...]) -> Noun:
        """Draw a noun of any of the classes."""
        pool = self.lexicon.pool(classes)
        point = self.dice.random()
        if point < RARE_NOUN_RATE and pool.rare:
            return self.dice.pick(pool.rare)
        if point > 1.0 - COMPOUND_RATE and pool.compounds:
            return self.dice.pick(pool.compounds)
        return self.dice.pick(pool.frequent)

    def noun_phrase(
        self,
        noun: Noun,
        case: int,
        owner: int = -1,
        negation: EnglishWord | None = None,
        determiner: Determiner | None = None,
        plural: bool | None = None,
    ) -> Phrase:
        """Build a noun phrase.

        ``owner`` is the possessive that may refer back to the subject. ``negation`` is the English
        *not* that an indefinite phrase absorbs into *kein*.
        """
        dice = self.dice
        if plural is None:
            plural = bool(noun.german_plural) and dice.random() < 0.2
        possessor = None
        if determiner is None:
            if dice.random() < POSSESSOR_RATE * self.richness and _can_be_possessed(noun):
                possessor = self.possessor("kin" in noun.classes)
                determiner = BARE if len(possessor.german) == 1 else THE
            else:
                determiner = self.determiner(noun, case, plural, owner)
        if negation is not None and (determiner is SOME or determiner is SEVERAL):
            determiner = BARE
        column = de.PLURAL if plural else noun.gender
        head = [EnglishWord(text) for text in (noun.english_plural if plural else noun.english)]
        forms = noun.german_plural if plural else noun.german
        german_head = GermanWord(forms[case], head)

        endings = determiner.adjective
        english: English = []
        german: German = []
        negates = negation is not None and (determiner is A or determiner is BARE)
        if negates:
            endings = de.MIXED
        for adjective in self.adjectives(noun):
            word = EnglishWord(adjective.english)
            english.append(word)
            german.append(GermanWord(adjective.german[endings[case][column]], (word,)))
        english += head
        german.append(german_head)

        if negates:
            self._negate(determiner, negation, case, column, plural, english, german)
        elif possessor is not None:
            self._possess(possessor, determiner, case, column, english, german)
        else:
            text = determiner.english_plural if plural else determiner.english
            if text:
                if determiner is A:
                    text = en.indefinite_article(english[0].text)
                word = EnglishWord(text)
                english.insert(0, word)
                german.insert(0, GermanWord(determiner.german[case][column], (word,)))
        phrase = Phrase(
            english,
            german,
            de.THIRD_PLURAL if plural else de.THIRD,
            _owner(noun, plural),
            determiner is THE and not negates,
        )
        phrase.negates = negates
        if possessor is None and dice.random() < POSTMODIFIER_RATE * self.richness:
            self._postmodify(phrase, noun)
        return phrase

    def determiner(self, noun: Noun, case: int, plural: bool, owner: int) -> Determiner:
        """Choose a determiner that suits the noun."""
        dice = self.dice
        if "kin" in noun.classes:
            if owner < 0:
                owner = dice.below(len(OWNED))
            if owner == HIS and "hers" in noun.classes:
                owner = HER
            elif owner == HER and "his" in noun.classes:
                owner = HIS
            return OWNED[owner]
        point = dice.random()
        if not noun.german_plural:
            if "field" in noun.classes or point < 0.6:
                return BARE
            return THE
        if owner >= 0 and point < 0.3 and _can_be_possessed(noun) and "person" not in noun.classes:
            return OWNED[owner]
        point = dice.random()
        is_subject = case == de.NOMINATIVE
        if plural:
            for limit, determiner in (
                SUBJECT_PLURAL_DETERMINERS if is_subject else PLURAL_DETERMINERS
            ):
                if point < limit:
                    return determiner
            return dice.pick(NUMERALS)
        for limit, determiner in SUBJECT_DETERMINERS if is_subject else SINGULAR_DETERMINERS:
            if point < limit:
                return determiner
        return OWNED[dice.below(len(OWNED))] if _can_be_possessed(noun) else THE

    def adjectives(self, noun: Noun) -> list[Adjective]:
        """Draw no adjective, one, or one and a color."""
        dice = self.dice
        if dice.random() > ADJECTIVE_RATE * self.richness:
            return []
        pool = self.lexicon.adjectives_for(noun)
        if pool is None:
            return []
        first = dice.pick(pool)
        if first.english not in COLORS and dice.random() < 0.15:
            second = dice.pick(pool)
            if second.english in COLORS:
                return [first, second]
        return [first]

    def possessor(self, named: bool) -> Phrase:
        """Build a possessor: a name (its German ends in -s) or a genitive noun phrase."""
        dice = self.dice
        if named or dice.random() < 0.5:
            name = self.given_name()[0]
            if name[-1] not in "sxz":
                word = EnglishWord(name)
                return Phrase([word], [GermanWord(name + "s", (word,))])
        if not named and dice.random() < 0.5:
            noun = dice.pick(self.lexicon.pool(("kin",)).frequent)
            determiner = OWNED[dice.below(len(OWNED))]
        else:
            noun = self.noun(("person",))
            determiner = THE
        article = EnglishWord(determiner.english)
        head = [EnglishWord(text) for text in noun.english]
        english = [article, *head]
        german = [
            GermanWord(determiner.german[de.GENITIVE][noun.gender], (article,)),
            GermanWord(noun.german[de.GENITIVE], head),
        ]
        return Phrase(english, german)

    def _possess(
        self,
        possessor: Phrase,
        determiner: Determiner,
        case: int,
        column: int,
        english: English,
        german: German,
    ) -> None:
        genitive = EnglishWord("'s")
        english[:0] = [*possessor.english, genitive]
        first = possessor.german[0]
        first.possible = (genitive,)
        if determiner is BARE:
            german.insert(0, first)
        else:
            german.insert(0, GermanWord(determiner.german[case][column], (), (genitive,)))
            german += possessor.german

    def _negate(
        self,
        determiner: Determiner,
        negation: EnglishWord | None,
        case: int,
        column: int,
        plural: bool,
        english: English,
        german: German,
    ) -> None:
        assert negation is not None
        if determiner is A and not plural:
            article = EnglishWord(en.indefinite_article(english[0].text))
        else:
            article = EnglishWord("any")
        english.insert(0, article)
        german.insert(0, GermanWord(NO.german[case][column], (negation,), (article,)))

    def _postmodify(self, phrase: Phrase, noun: Noun) -> None:
        for kind, english, german in POSTMODIFIERS:
            if kind in noun.classes:
                added = self.prepositional(english, german, self.city())
                phrase.english += added.english
                phrase.german += added.german
                return

    def given_name(self) -> tuple[str, int]:
        """Draw a first name and the possessive that refers back to it."""
        dice = self.dice
        names, owner = (
            (self.lexicon.female, HER) if dice.random() < 0.5 else (self.lexicon.male, HIS)
        )
        rare = dice.random() < RARE_NAME_RATE
        return dice.pick(names.rare if rare else names.frequent), owner

    def person_name(self, case: int) -> Phrase:
        """Build a person's name: Anna, Anna Telmann, or Mr. Telmann."""
        dice = self.dice
        point = dice.random()
        if point < 0.12:
            title, titel, owner = (
                ("Mr.", "Herr" if case == de.NOMINATIVE else "Herrn", HIS)
                if dice.random() < 0.5
                else ("Mrs.", "Frau", HER)
            )
            words = [pair(title, titel)]
        else:
            name, owner = self.given_name()
            words = [pair(name, name)]
        if point < 0.22:
            surname = dice.pick(self.lexicon.surnames)
            words.append(pair(surname, surname))
        english, german = (list(side) for side in zip(*words, strict=True))
        return Phrase(english, german, de.THIRD, owner)

    def city(self) -> Phrase:
        """Build the name of a city."""
        cities = self.lexicon.cities
        rare = self.dice.random() < RARE_NAME_RATE
        name = self.dice.pick(cities.rare if rare else cities.frequent)
        word, wort = pair(name, name)
        return Phrase([word], [wort])

    def pronoun(self, case: int, exclude: Phrase | None = None) -> Phrase:
        """Build a personal pronoun that cannot be confused with the excluded subject."""
        pronoun = PRONOUNS[self.dice.below(len(PRONOUNS))]
        if case == de.NOMINATIVE:
            english, german = pronoun.subject
        else:
            if exclude is not None and _clashes(pronoun, exclude):
                pronoun = PRONOUNS[1] if exclude.agreement != de.THIRD else PRONOUNS[4]
            english = pronoun.object
            german = pronoun.accusative if case == de.ACCUSATIVE else pronoun.dative
        word, wort = pair(english, german)
        return Phrase([word], [wort], pronoun.agreement, pronoun.possessive, pronoun=True)

    def prepositional(self, english: str, german: str, phrase: Phrase) -> Phrase:
        """Put a preposition before a noun phrase, contracting it with a German article."""
        before: English = []
        if english:
            word, wort = pair(english, german)
            before = [word]
        else:
            word = phrase.english[0]
            wort = GermanWord(german, (), (word,))
        following = phrase.german
        if phrase.contracts:
            contracted = de.CONTRACTIONS.get((german, following[0].text))
            if contracted:
                article = following[0]
                wort = GermanWord(contracted, wort.sure, (*article.sure, *article.possible))
                following = following[1:]
        german_words = [wort, *following]
        result = Phrase([*before, *phrase.english], german_words, phrase.agreement, phrase.owner)
        result.relative = phrase.relative
        return result

    def coordinate(self, first: Phrase, second: Phrase) -> Phrase:
        """Join two noun phrases by *and*."""
        word, wort = pair("and", "und")
        result = Phrase(
            [*first.english, word, *second.english],
            [*first.inline(), wort, *second.german],
            de.FIRST_PLURAL if de.FIRST in (first.agreement, second.agreement) else de.THIRD_PLURAL,
            THEIR,
        )
        result.relative = second.relative
        return result

    def adverbial(self, entry: Adverbial) -> Phrase:
        """Build a fixed adverbial."""
        english = [EnglishWord(text) for text in entry.english]
        german = [
            GermanWord(
                text,
                [english[i] for i, j, sure in entry.links if j == place and sure],
                [english[i] for i, j, sure in entry.links if j == place and not sure],
            )
            for place, text in enumerate(entry.german)
        ]
        return Phrase(english, german)


def _can_be_possessed(noun: Noun) -> bool:
    return not POSSESSABLE.isdisjoint(noun.classes)


def _owner(noun: Noun, plural: bool) -> int:
    if "person" not in noun.classes and "kin" not in noun.classes:
        return -1
    if plural:
        return THEIR
    return (HIS, HER, -1)[noun.gender]


def _clashes(pronoun: Pronoun, subject: Phrase) -> bool:
    same = pronoun.possessive == subject.owner
    both_we = {pronoun.agreement, subject.agreement} <= {de.FIRST, de.FIRST_PLURAL}
    return same or both_we
