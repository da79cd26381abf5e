"""The bilingual lexicon: entries with all their forms, read from the tables in ``tables/``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attnmt.grammar import english as en
from attnmt.grammar import german as de

_TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The prepositions that mean *at* a place, and the German one that means *to* it, with its case."""

    at_english: str
    at_german: str
    to_german: str
    to_case: int


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun; English forms may be several words, German ones are indexed by case."""

    english: tuple[str, ...]
    english_plural: tuple[str, ...]
    german: tuple[str, ...]
    german_plural: tuple[str, ...]  # empty for mass nouns
    gender: int
    classes: tuple[str, ...]
    place: Place | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective; ``german`` maps an ending to the inflected form."""

    english: str
    predicative: str
    german: dict[str, str]
    classes: tuple[str, ...]
    comparative_english: tuple[str, ...]
    comparative_german: str


@dataclass(frozen=True, slots=True, eq=False)
class Complement:
    """What a verb governs: an English preposition or "", a German one or "", a case, classes."""

    english: str
    german: str
    case: int
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb pair; finite forms are indexed by agreement."""

    english_present: tuple[str, ...]
    english_past: tuple[str, ...]
    english_base: str
    english_participle: str
    english_gerund: str
    english_particles: tuple[str, ...]
    present: tuple[str, ...]
    past: tuple[str, ...]
    infinitive: str
    participle: str
    particle: str  # the particle of a separable verb, else ""
    uses_sein: bool
    stative: bool
    preterite: bool
    reflexive: bool
    manner: bool
    purposeful: bool
    subjects: tuple[str, ...]
    complements: tuple[Complement, ...]
    frame: tuple[str, ...]  # the words of the frame that are not complements: dir, loc, that ...


@dataclass(frozen=True, slots=True, eq=False)
class Adverbial:
    """A fixed adverbial with its word links, each as (English, German, is sure)."""

    english: tuple[str, ...]
    german: tuple[str, ...]
    kind: str
    tenses: str
    links: tuple[tuple[int, int, bool], ...]


_CASES = {"acc": de.ACCUSATIVE, "dat": de.DATIVE}
_GENDERS = {"m": de.MASCULINE, "f": de.FEMININE, "n": de.NEUTER}
_TO_CASES = {"zu": de.DATIVE, "in": de.ACCUSATIVE, "an": de.ACCUSATIVE, "auf": de.ACCUSATIVE}


def table_rows(table: str) -> Iterator[str]:
    """Yield the rows of a table that are not comments."""
    with (_TABLES / table).open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                yield line.strip()


def read_nouns(table: str) -> list[Noun]:
    """Read ``nouns.tsv`` or a table like it, in order of frequency."""
    nouns = []
    for row in table_rows(table):
        english, german, gender, plural, classes, *notes = row.split()
        note = dict(part.split("=") for part in notes)
        place = None
        if "at" in note:
            at_english, at_german = note["at"].split("/")
            place = Place(at_english, at_german, note["to"], _TO_CASES[note["to"]])
        nouns.append(
            make_noun(
                (english,),
                (note.get("pl") or en.plural(english),),
                german,
                gender,
                plural,
                tuple(classes.split(",")),
                place,
            )
        )
    return nouns


def make_noun(
    english: tuple[str, ...],
    english_plural: tuple[str, ...],
    german: str,
    gender: str,
    plural: str,
    classes: tuple[str, ...],
    place: Place | None = None,
) -> Noun:
    """Inflect a noun from the columns of ``nouns.tsv``."""
    column = _GENDERS[gender[0]]
    plural = german if plural == "=" else plural
    return Noun(
        english,
        english_plural,
        de.noun_singular(german, column, plural, gender.endswith("w")),
        () if plural == "!" else de.noun_plural(plural),
        column,
        classes,
        place,
    )


def compound(modifier: str, german_modifier: str, head: Noun) -> Noun:
    """Join a modifier to a noun: *oak* + table is *Eichen* + tisch, inflected as its head."""

    def join(form: str) -> str:
        return german_modifier + form[0].lower() + form[1:]

    return Noun(
        (modifier, *head.english),
        (modifier, *head.english_plural),
        tuple(join(form) for form in head.german),
        tuple(join(form) for form in head.german_plural),
        head.gender,
        head.classes,
        head.place,
    )


def read_adjectives() -> list[Adjective]:
    """Read ``adjectives.tsv``, in order of frequency."""
    adjectives = []
    for row in table_rows("adjectives.tsv"):
        english, predicative, stem, classes, comparative = row.split()
        more, mehr = ("", "") if comparative == "-" else comparative.split("/")
        adjectives.append(
            Adjective(
                english,
                predicative,
                {ending: stem + ending for ending in ("e", "en", "em", "er", "es")},
                tuple(classes.split(",")),
                tuple(more.split("_")) if more else (),
                mehr,
            )
        )
    return adjectives


def read_verbs(table: str) -> list[Verb]:
    """Read ``verbs.tsv`` or ``clause_verbs.tsv``, in order of frequency."""
    return [make_verb(*(cell.strip() for cell in row.split(" | "))) for row in table_rows(table)]


def make_verb(english: str, german: str, flags: str, subjects: str, frame: str) -> Verb:
    """Inflect a verb from the columns of ``verbs.tsv``."""
    base, past, english_participle, *particles = english.split()
    infinitive, third, preterite, participle, auxiliary = german.split()
    particle, _, stem = infinitive.rpartition("|")
    complements = []
    frame_words = []
    for part in frame.split():
        if "/" in part:
            complements.append(_complement(part))
        else:
            frame_words.append(part)
    third_person = en.third_person(base)
    return Verb(
        (base, third_person, base, base),
        (past,) * 4,
        base,
        english_participle,
        en.gerund(base),
        tuple(particles),
        de.present(stem, third),
        de.preterite(preterite),
        stem,
        participle,
        particle,
        auxiliary == "sein",
        "s" in flags,
        "p" in flags,
        "r" in flags,
        "m" in flags,
        "u" not in flags,
        tuple(subjects.split(",")),
        tuple(complements),
        tuple(frame_words),
    )


def _complement(part: str) -> Complement:
    government, classes = part.split("=")
    english, german = government.split("/")
    preposition, _, case = german.rpartition("+")
    return Complement(
        "" if english == "-" else english,
        preposition,
        _CASES[case],
        tuple(classes.split(",")),
    )


def read_adverbials() -> list[Adverbial]:
    """Read ``adverbials.tsv``, in order of frequency."""
    adverbials = []
    for row in table_rows("adverbials.tsv"):
        english, german, kind, tenses, *links = (cell.strip() for cell in row.split("|"))
        words, worte = tuple(english.split()), tuple(german.split())
        if links:
            linked = tuple(
                (int(link[0]), int(link[2]), link[1] == "-") for link in links[0].split()
            )
        elif len(words) == len(worte):
            linked = tuple((position, position, True) for position in range(len(words)))
        else:
            raise ValueError(f"the adverbial needs explicit links: {row}")
        adverbials.append(Adverbial(words, worte, kind, tenses, linked))
    return adverbials
