"""The verb group: tense, mood and the parts of the verb in both languages, in no order yet.

The English tense decides the German form, by the same rule everywhere:

- present and progressive          -> Präsens
- simple past                      -> Perfekt; Präteritum for sein, haben, modals and the verbs
                                      flagged ``p`` in the tables (ging, kam, sagte, wusste ...)
                                      and for every verb after *als* and *bevor*
- present perfect, past perfect    -> Perfekt, Plusquamperfekt
- will; would                      -> werden; würde + infinitive
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from attnmt.grammar import english as en
from attnmt.grammar import german as de
from attnmt.grammar.entries import Verb, make_verb
from attnmt.grammar.words import English, EnglishWord, German, GermanWord


class Tense(Enum):
    """The English tense of a clause."""

    PRESENT = auto()
    PROGRESSIVE = auto()
    PAST = auto()
    PERFECT = auto()
    PLUPERFECT = auto()
    FUTURE = auto()
    CONDITIONAL = auto()
    NARRATIVE = auto()  # English past, German Präteritum of every verb, after als and bevor
    SUBJUNCTIVE = auto()  # English past, German Konjunktiv II of sein and haben, in if-clauses


class Modal(NamedTuple):
    """A modal verb in one tense; one with a ``lexical_base`` (want to) needs do-support."""

    english: tuple[str, ...]  # by agreement
    following: tuple[str, ...]  # "to", "like to"
    german: tuple[str, ...]
    lexical_base: str = ""
    past: bool = False


def _modal(
    english: str, german: tuple[str, ...], following: str = "", base: str = "", past: bool = False
) -> Modal:
    forms = tuple(english.split())
    return Modal(
        forms * 4 if len(forms) == 1 else forms, tuple(following.split()), german, base, past
    )


CAN = _modal("can", ("kann", "kann", "können", "können"))
MUST = _modal("must", ("muss", "muss", "müssen", "müssen"))
WANT = _modal("want wants want want", ("will", "will", "wollen", "wollen"), "to", "want")
SHOULD = _modal("should", de.preterite("sollte"))
LIKE = _modal("would", de.preterite("möchte"), "like to")
MAY = _modal("may", ("darf", "darf", "dürfen", "dürfen"))
COULD = _modal("could", de.preterite("konnte"), past=True)
HAD_TO = _modal("had", de.preterite("musste"), "to", "have", True)
WANTED = _modal("wanted", de.preterite("wollte"), "to", "want", True)
MUST_NOT = MAY._replace(english=MUST.english)  # "must not" forbids: darf nicht

BE: Final = make_verb("be was been", "sein ist war gewesen sein", "sp", "person", "predicate")
BECOME: Final = make_verb(
    "become became become", "werden wird wurde geworden sein", "sp", "person", "predicate"
)


class VerbGroup(NamedTuple):
    """The parts of a verb complex.

    In English these are the finite auxiliaries, which come before *not* and before an inverted subject,
    and all other words of the complex. In German they are the finite verb and the verbal words that
    close the clause.
    """

    auxiliary: English
    words: English
    finite: GermanWord
    closing: German


def verb_group(
    verb: Verb,
    tense: Tense,
    modal: Modal | None,
    agreement: int,
    support: bool,
    final: bool,
    negation: EnglishWord | None = None,
) -> VerbGroup:
    """Inflect a verb on both sides.

    ``support``: English is negated or inverted and so needs an auxiliary. ``final``: the German
    finite verb comes last, so that a separable particle stays attached. ``negation`` is the
    English *not*, which becomes *'t* where the auxiliary allows.
    """
    particles = [EnglishWord(text) for text in verb.english_particles]
    if modal is not None:
        return _modal_group(verb, modal, agreement, support, particles, negation)
    if tense is Tense.FUTURE:
        will = _auxiliary("will", negation)
        main = EnglishWord(verb.english_base)
        finite = GermanWord(de.WERDEN[agreement], (will,))
        infinitive = GermanWord(verb.particle + verb.infinitive, (main,), particles)
        return VerbGroup([will], [main, *particles], finite, [infinitive])
    if tense is Tense.CONDITIONAL:
        would = _auxiliary("would", negation)
        main = EnglishWord(verb.english_base)
        finite = GermanWord(de.WUERDE[agreement], (would,))
        infinitive = GermanWord(verb.particle + verb.infinitive, (main,), particles)
        return VerbGroup([would], [main, *particles], finite, [infinitive])
    if tense is Tense.PERFECT or tense is Tense.PLUPERFECT:
        past = tense is Tense.PLUPERFECT
        have = _auxiliary("had" if past else en.HAVE[agreement], negation)
        main = EnglishWord(verb.english_participle)
        finite = GermanWord(_perfect_auxiliary(verb, past)[agreement], (), (have,))
        participle = GermanWord(verb.participle, (main,), particles)
        return VerbGroup([have], [main, *particles], finite, [participle])
    return _simple_group(verb, tense, agreement, support, final, particles, negation)


def _simple_group(
    verb: Verb,
    tense: Tense,
    agreement: int,
    support: bool,
    final: bool,
    particles: English,
    negation: EnglishWord | None,
) -> VerbGroup:
    past = tense in (Tense.PAST, Tense.NARRATIVE, Tense.SUBJUNCTIVE)
    auxiliary: English = []
    if verb is BE:
        if tense is Tense.SUBJUNCTIVE:
            form = "were"
        else:
            form = (en.BE_PAST if past else en.BE_PRESENT)[agreement]
        main = _auxiliary(form, negation)
        auxiliary, words = [main], particles
    elif tense is Tense.PROGRESSIVE:
        auxiliary = [_auxiliary(en.BE_PRESENT[agreement], negation)]
        main = EnglishWord(verb.english_gerund)
        words = [main, *particles]
    elif support:
        auxiliary = [_auxiliary("did" if past else en.DO[agreement], negation)]
        main = EnglishWord(verb.english_base)
        words = [main, *particles]
    else:
        main = EnglishWord((verb.english_past if past else verb.english_present)[agreement])
        words = [main, *particles]
    helper = [] if verb is BE else auxiliary

    if tense is Tense.PAST and not verb.preterite:
        finite = GermanWord(_perfect_auxiliary(verb, False)[agreement], (), (*helper, main))
        return VerbGroup(
            auxiliary, words, finite, [GermanWord(verb.participle, (main,), particles)]
        )
    if tense is Tense.SUBJUNCTIVE:
        text = de.preterite("wäre" if verb is BE else "hätte")[agreement]
    else:
        text = (verb.past if past else verb.present)[agreement]
    if not verb.particle:
        return VerbGroup(auxiliary, words, GermanWord(text, (main,), (*helper, *particles)), [])
    if final:
        fused = GermanWord(verb.particle + text, (main,), (*helper, *particles))
        return VerbGroup(auxiliary, words, fused, [])
    particle = GermanWord(verb.particle, particles, () if particles else (main,))
    return VerbGroup(auxiliary, words, GermanWord(text, (main,), helper), [particle])


def _modal_group(
    verb: Verb,
    modal: Modal,
    agreement: int,
    support: bool,
    particles: English,
    negation: EnglishWord | None,
) -> VerbGroup:
    main = EnglishWord(verb.english_base)
    following = [EnglishWord(text) for text in modal.following]
    if not modal.lexical_base:
        first = _auxiliary(modal.english[agreement], negation)
        auxiliary, words, helper = [first], following, following
    elif support:
        do = _auxiliary("did" if modal.past else en.DO[agreement], negation)
        first = EnglishWord(modal.lexical_base)
        auxiliary, words, helper = [do], [first, *following], [do, *following]
    else:
        first = EnglishWord(modal.english[agreement])
        auxiliary, words, helper = [], [first, *following], following
    finite = GermanWord(modal.german[agreement], (first,), helper)
    infinitive = GermanWord(verb.particle + verb.infinitive, (main,), particles)
    return VerbGroup(auxiliary, [*words, main, *particles], finite, [infinitive])


def to_infinitive(verb: Verb) -> tuple[English, German]:
    """Return *to call* and *anzurufen*, or *to buy* and *zu kaufen*."""
    to = EnglishWord("to")
    main = EnglishWord(verb.english_base)
    particles = [EnglishWord(text) for text in verb.english_particles]
    english = [to, main, *particles]
    if verb.particle:
        fused = verb.particle + "zu" + verb.infinitive
        return english, [GermanWord(fused, (main,), (to, *particles))]
    return english, [GermanWord("zu", (to,)), GermanWord(verb.infinitive, (main,), particles)]


def _perfect_auxiliary(verb: Verb, past: bool) -> tuple[str, ...]:
    if verb.uses_sein:
        return de.SEIN_PAST if past else de.SEIN_PRESENT
    return de.HABEN_PAST if past else de.HABEN_PRESENT


def _auxiliary(text: str, negation: EnglishWord | None) -> EnglishWord:
    """Return an auxiliary, contracted if the negation is to be *'t* and English has such a form."""
    if negation is not None and negation.text == "'t":
        contracted = en.CONTRACTED.get(text)
        if contracted:
            return EnglishWord(contracted)
        negation.text = "not"
    return EnglishWord(text)
