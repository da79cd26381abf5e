"""How a model, or an ensemble, translates one sentence: what it read, weighed, tried and replaced."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnmt.decoding.forced_decoding import force
from attnmt.decoding.pipeline import Translation, TranslationPipeline
from attnmt.decoding.reader import Units
from attnmt.decoding.unknown import unknown_places
from attnmt.errors import InputError
from attnmt.model.luong import Ids, LuongNMT
from attnmt.model.memory import Memory
from attnmt.text.pieces import words_of_pieces
from attnmt.text.vocabulary import EOS, SPECIAL, Vocabulary


class Span(NamedTuple):
    """Where a local window stood at one step."""

    p: float  # p_t, a position in the source, counted from 0; with local-p it may lie between words
    first: int  # the first and the last source position inside the window
    last: int


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
    # Where a local window stood at each step. There is none where all words are attended to, and for an
    # ensemble, whose members' windows differ.
    spans: list[Span]
    replacements: list[Replacement] = field(default_factory=list)
    # The cells (row, column) of ``weights`` by which the replaced words were linked.
    read: list[tuple[int, int]] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """Return log p per unit."""
        return self.score / len(self.units)


@dataclass(frozen=True)
class Explanation:
    """How one sentence is translated."""

    members: int  # how many models translate together
    order: str  # in which the encoder reads the source
    attends: bool  # whether any of the models has attention
    window: str | None  # its name, such as local_p; None without attention, and for an ensemble
    D: int | None  # half the width of a local window; None if there is no such window
    attention_offset: int  # a word is linked by the weights this many steps after its own
    beam: int
    source: list[Unit]
    candidates: list[Explained]  # the best one first
    reference: Explained | None


def explain(
    translator: TranslationPipeline,
    sentence: str,
    reference: str | None = None,
    candidates: int = 5,
) -> Explanation:
    """Translate a raw sentence, and explain its best candidates and perhaps a reference.

    Raises:
        InputError: if the sentence or the reference has no word, or holds a mark that cannot be cut into
            pieces.
    """
    vocabulary = translator.target.vocabulary
    source = _units_of(translator.source.units(sentence), "sentence", sentence)
    given = []
    if reference is not None:
        units = _units_of(translator.target.units(reference), "reference", reference)
        given.append((units, vocabulary.encode(units)))
    options = translator.options.n_best(candidates)
    (translations,) = translator.translate_units([source], options)
    taken = _force(
        translator, source, [(vocabulary.decode(t.ids), t.ids) for t in translations] + given
    )
    system, attention = translator.models[0].config.system, translator.models[0].decoder.attention
    alone = len(translator.models) == 1 and translator.attends
    return Explanation(
        members=len(translator.models),
        order=system.order,
        attends=translator.attends,
        window=system.attention if alone else None,
        D=attention.window.D if alone and attention and taken[0].spans else None,
        attention_offset=options.attention_offset,
        beam=options.beam,
        source=_units(source, translator.source.vocabulary, translator.data.pieces),
        candidates=[
            _candidate(translator, translation, source, one)
            for translation, one in zip(translations, taken, strict=False)
        ],
        reference=replace(taken[-1], text=str(reference)) if given else None,
    )


def _units_of(units: Units, what: str, text: str) -> Units:
    if not units:
        raise InputError(f"{what}: {text[:60]!r} has no words; give a sentence")
    return units


def _force(
    translator: TranslationPipeline, source: Units, targets: Sequence[tuple[Units, list[int]]]
) -> list[Explained]:
    """Take the steps of targets, each with its ids; texts and replacements are still missing."""
    vocabulary, models = translator.target.vocabulary, translator.models
    read = translator.source.ids(source)
    ids = [np.array(target, dtype=np.int32) for _, target in targets]
    spans = spans_of(models[0], read, ids) if len(models) == 1 else [[] for _ in ids]
    forced = force(models, [read] * len(ids), ids)
    taken = []
    for (target, _), one, windows in zip(targets, forced, spans, strict=True):
        units = _units(target, vocabulary, translator.data.pieces)
        units.append(Unit(SPECIAL[EOS], units[-1].word + 1 if units else 0, True))
        weights = one.weights.tolist() if translator.attends else []
        taken.append(Explained("", units, sum(one.log_p), one.log_p, weights, windows))
    return taken


def _candidate(
    translator: TranslationPipeline, translation: Translation, source: Units, one: Explained
) -> Explained:
    """Add what the search and the dictionary did."""
    # The search gave no </s> to a translation that it cut off at the longest length (search.py).
    if len(translation.ids) >= translator.options.limits(len(source)).most:
        log_p = one.log_p[:-1]
        one = replace(
            one,
            units=one.units[:-1],
            score=sum(log_p),
            log_p=log_p,
            weights=one.weights[:-1],
            spans=one.spans[:-1],
        )
    replacements = [
        _replacement(translator, translation, j) for j in unknown_places(translation.words)
    ]
    source_words = words_of_pieces(source) if translator.data.pieces else range(len(source))
    offset, read = translator.options.attention_offset, []
    for item in replacements if one.weights else ():
        for t in (t for t, unit in enumerate(one.units) if unit.word == item.word):
            row = min(t + offset, len(one.units) - 1)
            s = int(np.argmax(one.weights[row]))
            if source_words[s] == item.source:
                read.append((row, s))
    return replace(one, text=translation.text, replacements=replacements, read=read)


def _replacement(
    translator: TranslationPipeline, translation: Translation, word: int
) -> Replacement:
    """Say what ``replace_unknown`` did to a word."""
    source = next((i for i, j in translation.links if j == word), None)
    text = translation.replaced[word]
    if source is None:
        return Replacement(word, None, "", "nothing", text)
    source_word = translation.source[source]
    known = translator.dictionary.get(source_word)
    return Replacement(word, source, source_word, "dictionary" if known else "copy", text)


def _units(units: Units, vocabulary: Vocabulary, pieces: bool) -> list[Unit]:
    words = words_of_pieces(units) if pieces else range(len(units))
    return [Unit(text, word, text in vocabulary) for text, word in zip(units, words, strict=True)]


@torch.inference_mode()
def spans_of(model: LuongNMT, source: Ids, targets: Sequence[Ids]) -> list[list[Span]]:
    """Return the spans of each translation, ``</s>`` included; none where all words are attended to."""
    # The copy has the same tensors. A hook on the model itself would see what other threads ask, too.
    model = copy.deepcopy(model, {id(tensor): tensor for tensor in model.parameters()})
    attention = model.decoder.attention
    seen: list[tuple[Tensor, Memory, Tensor]] = []  # the arguments of each call of attention
    if attention is None:
        return [[] for _ in targets]
    attention.register_forward_pre_hook(lambda _, given: seen.append(given))
    force([model], [source] * len(targets), targets)
    parts = []
    for h, memory, steps in seen:
        p = attention.window.centers(h, memory, steps)
        if p is None:
            return [[] for _ in targets]
        # The window of local-p is the one around floor(p_t); that of local-m stands at a whole number.
        inside = attention.window.around(p[:, :, None].floor(), memory) & memory.words
        s, S = memory.positions[:, None], memory.lengths.max()
        first, last = s.masked_fill(~inside, S).amin(2), s.masked_fill(~inside, -1).amax(2)
        parts.append(torch.stack([part.to(h.dtype) for part in (p, first, last)], dim=2))
    return [
        [Span(p, int(first), int(last)) for p, first, last in row[: len(target) + 1]]
        for row, target in zip(torch.cat(parts, dim=1).tolist(), targets, strict=True)
    ]
