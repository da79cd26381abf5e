"""Words in, words out: the search and the forced decoder on text as a family reads it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np

from attnmt.config import Language, LinkStep, Params
from attnmt.corpora.links import Links
from attnmt.decoding.batched import force_all, translate
from attnmt.decoding.history import Candidate
from attnmt.decoding.kept_attention import Attended, sampled_lines
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.search import Search
from attnmt.decoding.unknown import replace_unknown
from attnmt.layout import Layout
from attnmt.model.translator import Ids, Translator
from attnmt.text.dictionary import Dictionary
from attnmt.text.encoded import EncodedSets
from attnmt.text.tokenizer import tokenizer
from attnmt.text.vocabulary import EOS, SPECIAL, Vocabulary
from attnmt.training.saved import load_model

LINK_STEPS: tuple[LinkStep, ...] = get_args(LinkStep)
Units = list[str]  # a sentence as models read it: words or pieces


class Translation(NamedTuple):
    """One translation of a sentence."""

    text: str  # plain: unknown words replaced, hyphens joined, detokenized
    words: list[str]  # with <unk>
    replaced: list[str]  # unknown words replaced
    source: list[str]  # the words that were read
    links: Links  # between words, source-target; empty without attention
    score: float  # log p
    ids: list[int]  # what the search found, as ids of words or pieces


class ForcedSet(NamedTuple):
    """What the models say about a set's references."""

    scores: list[float]  # log p of each reference
    # Each sentence's links between words, source-target, by the step at which they are
    # read; empty without attention.
    links: dict[LinkStep, list[Links]]


class TextTranslator:
    """A model or an ensemble with the vocabularies, the dictionary and the text that it works on."""

    def __init__(
        self,
        models: Sequence[Translator],
        sides: tuple[Language, Language],
        data: EncodedSets,
        dictionary: Dictionary,
        options: Search,
        batch_size: int,
    ) -> None:
        """Take models of one family and direction, in eval mode, and what they read and write.

        ``batch_size`` does not change translations. A model that attends to padding translates one
        sentence at a time.
        """
        faulty = any("unmasked_padding" in model.config.system.faults for model in models)
        self.batch_size = 1 if faulty else batch_size
        self.models = models
        self.data = data
        self.dictionary = dictionary
        self.options = options
        self.sides = sides
        self.source, self.target = (side.code for side in sides)
        self._vocabularies = {k: data.vocabulary(k) for k in (self.source, self.target)}
        self._rule = tokenizer(sides[1], split_hyphens=False)

    @property
    def attends(self) -> bool:
        """Whether any of the models has attention."""
        return any(model.decoder.attention is not None for model in self.models)

    def read_at(self, step: LinkStep) -> None:
        """Link the words of translations, and replace unknown ones, by the weights of ``step``."""
        self.options = replace(self.options, link_step=step)

    def translate(
        self, sentences: Sequence[Units], options: Search | None = None
    ) -> list[list[Translation]]:
        """Return the best translations of each sentence, the best first. No sentence may be empty.

        ``options`` hold for this search only; None takes the translator's own.
        """
        options = options or self.options
        ids = _ids(self._vocabularies[self.source], sentences)
        finished = translate(self.models, ids, options, self.batch_size)
        return [
            [self._translation(candidate, source) for candidate in candidates[: options.best]]
            for candidates, source in zip(finished, sentences, strict=True)
        ]

    def translate_set(self, name: str) -> list[list[Translation]]:
        """Return the best translations of each sentence of a set, the best first."""
        return self.translate(self.data.units(name, self.source))

    def force_set(self, name: str) -> ForcedSet:
        """Return scores and links of a set's references."""
        return self.force(*(self.data.units(name, side) for side in (self.source, self.target)))

    def force(self, sources: Sequence[Units], targets: Sequence[Units]) -> ForcedSet:
        """Return scores and links of translations that are given, one for each source sentence."""
        units = [sources, targets]
        source_ids, target_ids = (
            _ids(self._vocabularies[side], text)
            for side, text in zip((self.source, self.target), units, strict=True)
        )
        average = self.options.average
        forced = force_all(self.models, source_ids, target_ids, self.batch_size, average)
        links: dict[LinkStep, list[Links]] = {}
        for step in LINK_STEPS if self.attends else ():
            links[step] = [
                self.data.links([(i, j) for j, i in enumerate(line.links(step))], *pair)
                for line, *pair in zip(forced, *units, strict=True)
            ]
        return ForcedSet([line.score for line in forced], links)

    def attention_to(
        self, name: str, samples: int, translations: Sequence[Sequence[Translation]] | None = None
    ) -> list[Attended]:
        """Return the attention weights of some sentences of a set; the models must have attention.

        Args:
            name: the set.
            samples: how many sentences, evenly spread.
            translations: those of the whole set, the best of each sentence first. The best are
                force-decoded, id by id; None takes the references.
        """
        sentences = self.data.units(name, self.source)
        lines = sampled_lines(len(sentences), samples)
        sources = [sentences[line] for line in lines]
        vocabulary = self._vocabularies[self.target]
        if translations is None:
            references = self.data.units(name, self.target)
            targets = [references[line] for line in lines]
            target_ids = _ids(vocabulary, targets)
        else:
            best = [translations[line][0].ids for line in lines]
            targets = [vocabulary.decode(words) for words in best]
            target_ids = [np.array(words, dtype=np.int32) for words in best]
        source_ids = _ids(self._vocabularies[self.source], sources)
        forced = force_all(self.models, source_ids, target_ids, self.batch_size)
        return [
            Attended(
                line=line,
                source=source,
                target=[*target, SPECIAL[EOS]],
                weights=one.weights.astype(float).round(4).tolist(),
            )
            for line, source, target, one in zip(lines, sources, targets, forced, strict=True)
        ]

    def plain(self, words: Sequence[str]) -> str:
        """Return tokens as plain text: hyphens joined, detokenized."""
        return self._rule.detokenize(words)

    def _translation(self, candidate: Candidate, source: Units) -> Translation:
        units = self._vocabularies[self.target].decode(candidate.words)
        links = [(i, j) for j, i in enumerate(candidate.links)]
        links = self.data.links(links, source, units)
        words, read = self.data.words(units), self.data.words(source)
        replaced = replace_unknown(words, read, links, self.dictionary)
        text = self.plain(replaced)
        return Translation(text, words, replaced, read, links, candidate.score, candidate.words)


def _ids(vocabulary: Vocabulary, sentences: Sequence[Units]) -> list[Ids]:
    return [np.array(vocabulary.encode(units), dtype=np.int32) for units in sentences]


def authors_step(models: Sequence[Translator]) -> LinkStep:
    """Return the step at which the authors' program reads the weights that link a word.

    The score says which one (``Score.authors_step``): the word's own step or the next, where the word
    is the input. An ensemble is read at the next step if any member is. A GRU computes its weights
    before its step, so they are read at the word's own step, whatever the score is.
    """
    late = any(
        model.config.shape.cell == "lstm"
        and model.decoder.attention is not None
        and model.decoder.attention.score.authors_step == "next"
        for model in models
    )
    return "next" if late else "same"


def load_translator(
    params: Params,
    name: str,
    root: Path = Path(),
    *,
    beam: int | None = None,
    n_best: int | None = None,
) -> TextTranslator:
    """Load a model or an ensemble of an experiment, with the encoded data and the dictionary.

    Its attention is read as the authors' program reads it, until ``read_at`` says otherwise.

    Args:
        root: the folder that holds data/ and models/.
        beam: replaces the experiment's beam; None keeps it.
        n_best: replaces the experiment's ``n_best``; None keeps it.

    Raises:
        InputError: if the experiment has no such model, a file is missing (naming the command that
            makes it) or damaged, a model was trained on other data or by other settings, or ``beam`` or
            ``n_best`` is no number of a search.
    """
    translator_files(params, name, root, with_reading=False)
    layout, decoding = Layout(params.experiment, root), params.decoding
    ensemble = params.translators(name)
    family, direction = ensemble.family, params.models[ensemble.members[0]].direction
    encoded, dictionary = layout.encoded(family), layout.dictionary_file(*params.sides(name))
    data = EncodedSets(encoded)
    options = Search(
        beam=decoding.beam if beam is None else beam,
        candidates=decoding.candidates,
        average=ensemble.average,
    ).n_best(decoding.n_best if n_best is None else n_best)
    models = [load_model(params, member, data, root) for member in ensemble.members]
    return TextTranslator(
        models,
        params.languages.sides(direction),
        data,
        Dictionary.load(dictionary, lowercase=params.families[family].encoding.lowercase),
        replace(options, link_step=authors_step(models)),
        params.machine.decode_batch,
    )
