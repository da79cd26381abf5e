"""How a model, or an ensemble, translates one sentence: what it read, weighed, tried and replaced."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from attnmt.config import LinkStep
from attnmt.decoding.ensemble import SHIFTS
from attnmt.decoding.pipeline import Pipeline
from attnmt.decoding.step_trace import Span, Trace, trace
from attnmt.decoding.text_translator import Translation, Units
from attnmt.decoding.unknown import unknown_places
from attnmt.errors import InputError
from attnmt.text.batches import make_batch
from attnmt.text.pieces import words_of_pieces
from attnmt.text.vocabulary import EOS, SPECIAL, Vocabulary

CANDIDATES = 5  # how many translations are explained if no number is given


@dataclass(frozen=True)
class Unit:
    """A word or a piece as a model reads or writes it."""

    text: str
    word: int  # the number of the word that it belongs to, from 0
    known: bool  # whether it is in the vocabulary; if not, the model reads <unk>


@dataclass(frozen=True)
class Replacement:
    """What stands in the place of an unknown word of a translation, and why."""

    word: int  # the number of the word in the translation, from 0
    source: int | None  # the source word that it is linked to, from 0; None if there is no link
    source_word: str
    by: Literal["dictionary", "copy", "nothing"]  # "nothing" if there is no link
    text: str


@dataclass(frozen=True)
class Explained:
    """One translation of the sentence, taken step by step; a reference is one, too."""

    text: str  # plain, unknown words replaced; a reference as it was given
    units: list[Unit]  # the last one is </s>, unless the search ended at the longest length
    score: float  # log p of all units
    log_p: list[float]  # one number for each unit
    weights: list[list[float]]  # [unit][source unit]; empty without attention
    spans: list[Span]  # where a local window stood at each step; may be empty
    replacements: list[Replacement]
    # The cells (row, column) of ``weights`` by which the replaced words were linked.
    read: list[tuple[int, int]]

    @property
    def mean(self) -> float:
        """Return log p per unit."""
        return self.score / len(self.units)


@dataclass(frozen=True)
class Explanation:
    """How one sentence is translated."""

    languages: tuple[str, str]
    members: int  # how many models translate together
    pieces: bool  # whether units are pieces of words
    reverse: bool  # whether the encoder reads the last word first
    attends: bool  # whether any of the models has attention
    window: str | None  # its name, such as local_p; None without attention, and for an ensemble
    D: int | None  # half the width of a local window; None if there is no such window
    step: LinkStep  # the step whose weights link a word
    beam: int
    source: list[Unit]
    words: list[str]  # the words of the source
    candidates: list[Explained]  # the best one first
    reference: Explained | None


def explain(
    pipeline: Pipeline,
    sentence: str,
    reference: str | None = None,
    candidates: int = CANDIDATES,
) -> Explanation:
    """Translate a raw sentence, and explain its best candidates and perhaps a reference.

    Args:
        sentence: plain text; it must have a word.
        reference: a translation of it, which is force-decoded.
        candidates: the number of candidates, at most.

    Raises:
        InputError: if the sentence or the reference has no word, or holds a mark that cannot be cut into
            pieces.
    """
    translator = pipeline.translator
    source = _units_of(pipeline.source.units(sentence), "sentence", sentence)
    targets: list[Units] = []
    if reference is not None:
        targets.append(_units_of(pipeline.target.units(reference), "reference", reference))
    options = translator.options
    options = replace(options, best=candidates, candidates=max(options.candidates, candidates))
    (translations,) = translator.translate([source], options)
    known = pipeline.target.vocabulary
    ids = [translation.ids for translation in translations]
    traces = _traces(pipeline, source, [*ids, *(known.encode(units) for units in targets)])
    explained = [
        _candidate(pipeline, translation, source, one)
        for translation, one in zip(translations, traces, strict=False)
    ]
    system, shape = translator.models[0].config.system, translator.models[0].config.shape
    alone = len(translator.models) == 1 and translator.attends
    return Explanation(
        languages=(translator.source, translator.target),
        members=len(translator.models),
        pieces=translator.data.pieces,
        reverse=system.reverse,
        attends=translator.attends,
        window=system.attention if alone else None,
        D=shape.window_D if alone and traces[0].spans else None,
        step=options.link_step,
        beam=options.beam,
        source=_units(source, pipeline.source.vocabulary, translator.data.pieces),
        words=translations[0].source,
        candidates=explained,
        reference=(
            _reference(pipeline, str(reference), targets[0], traces[-1]) if targets else None
        ),
    )


def _units_of(units: Units, what: str, text: str) -> Units:
    if not units:
        raise InputError(f"{what}: {text[:60]!r} has no words; give a sentence")
    return units


def _traces(pipeline: Pipeline, source: Units, targets: Sequence[list[int]]) -> list[Trace]:
    translator = pipeline.translator
    models = translator.models
    ids = np.array(pipeline.source.vocabulary.encode(source), dtype=np.int32)
    batch = make_batch(
        [ids] * len(targets),
        [np.array(target, dtype=np.int32) for target in targets],
        models[0].config.system.reverse,
    )
    return trace(models, batch.to(models[0].W_s.device), translator.options.average)


def _candidate(
    pipeline: Pipeline, translation: Translation, source: Units, one: Trace
) -> Explained:
    translator = pipeline.translator
    pieces, vocabulary = translator.data.pieces, pipeline.target.vocabulary
    units = _with_end(_units(vocabulary.decode(translation.ids), vocabulary, pieces))
    # The search gave no </s> to a translation that it cut off at the longest length (search.py).
    if len(translation.ids) >= 3 * (len(source) + 1) // 2:
        units = units[:-1]
        one = Trace(one.log_p[:-1], one.weights[:-1], one.spans[:-1])
    replacements = [
        _replacement(pipeline, translation, j) for j in unknown_places(translation.words)
    ]
    source_words = words_of_pieces(source) if pieces else range(len(source))
    shift, read = SHIFTS[translator.options.link_step], []
    for item in replacements if one.weights else ():
        for t in (t for t, unit in enumerate(units) if unit.word == item.word):
            row = min(t + shift, len(units) - 1)
            s = int(np.argmax(one.weights[row]))
            if source_words[s] == item.source:
                read.append((row, s))
    return _explained(translation.text, units, one, replacements, read)


def _reference(pipeline: Pipeline, text: str, target: Units, one: Trace) -> Explained:
    units = _units(target, pipeline.target.vocabulary, pipeline.translator.data.pieces)
    return _explained(text, _with_end(units), one, [], [])


def _explained(
    text: str,
    units: list[Unit],
    one: Trace,
    replacements: list[Replacement],
    read: list[tuple[int, int]],
) -> Explained:
    score = sum(one.log_p)
    return Explained(text, units, score, *one, replacements=replacements, read=read)


def _replacement(pipeline: Pipeline, translation: Translation, word: int) -> Replacement:
    """Say what ``replace_unknown`` did to a word."""
    source = next((i for i, j in translation.links if j == word), None)
    text = translation.replaced[word]
    if source is None:
        return Replacement(word, None, "", "nothing", text)
    source_word = translation.source[source]
    known = pipeline.translator.dictionary.best(source_word)
    return Replacement(word, source, source_word, "dictionary" if known else "copy", text)


def _units(units: Units, vocabulary: Vocabulary, pieces: bool) -> list[Unit]:
    words = words_of_pieces(units) if pieces else range(len(units))
    return [Unit(text, word, text in vocabulary) for text, word in zip(units, words, strict=True)]


def _with_end(units: list[Unit]) -> list[Unit]:
    """Add ``</s>``, which every step after the last word predicts."""
    return [*units, Unit(SPECIAL[EOS], units[-1].word + 1 if units else 0, True)]
