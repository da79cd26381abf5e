"""From raw text to plain translations, by any model or ensemble of an experiment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attnmt.config import Params
from attnmt.corpora.links import Links
from attnmt.decoding.attention_offset import OFFSETS, load_offset
from attnmt.decoding.batched import force_all, search_all
from attnmt.decoding.forced_decoding import Forced
from attnmt.decoding.kept_attention import Attended, sampled_lines
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.reader import Reader, Units
from attnmt.decoding.search import Hypothesis, Search
from attnmt.decoding.unknown import replace_unknown
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.model.luong import Ids, LuongNMT
from attnmt.text.dictionary import read_dictionary
from attnmt.text.encoded import EncodedSets
from attnmt.text.tokenizer import tokenizer
from attnmt.text.vocabulary import EOS, SPECIAL, UNK
from attnmt.training.machine import give_back_large_blocks
from attnmt.training.saved import load_model

# Parameters; beside the products of so many, taking memory again and again costs nothing
LARGE = 100_000_000


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
    links: list[Links]  # between the words of each pair, source-target; empty without attention


class TranslationPipeline:
    """A model or an ensemble with the readers, the dictionary and the encoded text of its family.

    It does for any text what the stages do for a test set: from raw text to plain translations.
    """

    def __init__(
        self,
        models: Sequence[LuongNMT],
        source: Reader,
        target: Reader,
        data: EncodedSets,
        dictionary: Mapping[str, str],
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
        self.source, self.target = source, target
        self.data = data
        self.dictionary = dictionary
        self.options = options
        self._rule = tokenizer(target.language, split_hyphens=False)

    @property
    def attends(self) -> bool:
        """Whether any of the models has attention."""
        return any(model.decoder.attention is not None for model in self.models)

    def read_at(self, offset: int) -> None:
        """Link words, and replace unknown ones, by the weights ``offset`` steps after a word's own."""
        self.options = replace(self.options, attention_offset=offset)

    def translate(
        self, lines: Sequence[str], options: Search | None = None
    ) -> list[list[Translation]]:
        """Return the best translations of each raw line, the best first.

        A line without words has one translation, which is empty.

        ``options`` hold for this search only; None takes the pipeline's own.

        Raises:
            InputError: if ``lines`` is one text; or if a line is not text, or cannot be cut into pieces.
        """
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise InputError(f"{repr(lines)[:60]}: give a list of sentences")
        sentences = [self.source.units(line) for line in lines]
        return self.translate_units(sentences, options)

    def translate_units(
        self, sentences: Sequence[Units], options: Search | None = None
    ) -> list[list[Translation]]:
        """Return the best translations of each sentence of units; see :meth:`translate`."""
        options = options or self.options
        with_words = [units for units in sentences if units]
        ids = [self.source.ids(units) for units in with_words]
        found = zip(with_words, search_all(self.models, ids, options, self.batch_size), strict=True)
        translations = (
            [self._translation(one, source) for one in finished[: options.best]]
            for source, finished in found
        )
        empty = Translation("", [], [], [], [], 0.0, [])
        return [next(translations) if units else [empty] for units in sentences]

    def translate_set(self, name: str) -> list[list[Translation]]:
        """Return the best translations of each sentence of a set, the best first."""
        return self.translate_units(self.data.units(name, self.source.code))

    def force_decode_set(self, name: str) -> ForcedSet:
        """Return scores and links of a set's references."""
        return self.force(*self._sides(name))

    def force(self, sources: Sequence[Units], targets: Sequence[Units]) -> ForcedSet:
        """Return scores and links of translations that are given, one for each source sentence."""
        forced = self._force_units(sources, targets)
        links = self._links(forced, sources, targets, self.options.attention_offset)
        return ForcedSet([line.score for line in forced], links)

    def links_by_offset(self, name: str) -> list[list[Links]]:
        """Return the links of a set's references at each offset, of which one is to be chosen."""
        sides = self._sides(name)
        forced = self._force_units(*sides)
        return [self._links(forced, *sides, offset) for offset in OFFSETS]

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
        sentences = self.data.units(name, self.source.code)
        lines = sampled_lines(len(sentences), samples)
        sources = [sentences[line] for line in lines]
        if translations is None:
            references = self.data.units(name, self.target.code)
            targets = [references[line] for line in lines]
            target_ids = [*map(self.target.ids, targets)]
        else:
            best = [translations[line][0].ids for line in lines]
            targets = [self.target.vocabulary.decode(words) for words in best]
            target_ids = [np.array(words, dtype=np.int32) for words in best]
        forced = self._force([*map(self.source.ids, sources)], target_ids)
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

    def without_unknown(
        self, words: Sequence[str], source: Sequence[str], links: Links
    ) -> list[str]:
        """Return a translation with its unknown words replaced; see :func:`replace_unknown`."""
        return replace_unknown(words, source, links, self.dictionary, self._written)

    def _written(self, word: str) -> str:
        """Return a source word as the target's rule writes it; ``<unk>`` if it is no word there."""
        one, other = self.source.language, self.target.language
        if one.tokenize == other.tokenize:
            return word
        plain = tokenizer(one, split_hyphens=False).detokenize([word])
        return "".join(self._rule.tokens_of(plain.split())) or SPECIAL[UNK]

    def _sides(self, name: str) -> tuple[list[Units], list[Units]]:
        return self.data.units(name, self.source.code), self.data.units(name, self.target.code)

    def _force_units(self, sources: Sequence[Units], targets: Sequence[Units]) -> list[Forced]:
        return self._force([*map(self.source.ids, sources)], [*map(self.target.ids, targets)])

    def _links(
        self,
        forced: Sequence[Forced],
        sources: Sequence[Units],
        targets: Sequence[Units],
        offset: int,
    ) -> list[Links]:
        if not self.attends:
            return []
        return [
            self.data.links([(i, j) for j, i in enumerate(line.links(offset))], *pair)
            for line, *pair in zip(forced, sources, targets, strict=True)
        ]

    def _force(self, sources: Sequence[Ids], targets: Sequence[Ids]) -> list[Forced]:
        return force_all(self.models, sources, targets, self.batch_size)

    def _translation(self, hypothesis: Hypothesis, source: Units) -> Translation:
        units = self.target.vocabulary.decode(hypothesis.words)
        links = [(i, j) for j, i in enumerate(hypothesis.links)]
        links = self.data.links(links, source, units)
        words, read = self.data.words(units), self.data.words(source)
        replaced = self.without_unknown(words, read, links)
        text = self.plain(replaced)
        return Translation(text, words, replaced, read, links, hypothesis.score, hypothesis.words)


def load_translator(
    params: Params,
    name: str,
    root: Path | str = Path(),
    *,
    beam: int | None = None,
    n_best: int = 1,
    with_offset: bool = True,
) -> TranslationPipeline:
    """Load a model or an ensemble of an experiment.

    Below ``root`` it reads ``data/<experiment>/encoded/<family>/{vocab.*,codes,summary.json}``,
    ``data/<experiment>/dictionary/<source>-<target>.tsv``,
    ``models/<experiment>/<member>/weights.safetensors`` of every member and, where there is attention,
    ``translations/<experiment>/<name>/offset.json``.

    Args:
        beam: replaces the experiment's beam; None keeps it.
        n_best: how many translations of a sentence are searched for.
        with_offset: whether attention is read at the offset that the stage translate chose. If not, it
            is read at a word's own step, until ``read_at`` says otherwise.

    Raises:
        InputError: if the experiment has no such model, a file is missing (naming the command that
            makes it) or damaged, a model was trained on other data or by other settings, or ``beam``,
            ``n_best`` is not valid.
    """
    root = Path(root)
    translator_files(params, name, root, with_offset=with_offset)  # refuses what is missing
    layout, decoding = Layout(params.experiment, root), params.decoding
    ensemble = params.translators(name)
    family, direction = ensemble.family, params.trainings[ensemble.members[0]].direction
    data = EncodedSets(layout.encoded(family))
    source, target = (
        Reader(params, family, data, language) for language in params.languages.sides(direction)
    )
    options = Search(
        beam=decoding.beam if beam is None else beam,
        candidates=decoding.candidates,
        rules=decoding,
    ).n_best(n_best)
    models = [load_model(params, member, data, root) for member in ensemble.members]
    if sum(weight.numel() for model in models for weight in model.parameters()) > LARGE:
        give_back_large_blocks()
    dictionary = read_dictionary(
        layout.dictionary_file(*params.sides(name)),
        lowercase=params.families[family].encoding.lowercase,
    )
    batch_size = params.machine.decode_batch
    translator = TranslationPipeline(models, source, target, data, dictionary, options, batch_size)
    if with_offset and translator.attends:
        translator.read_at(load_offset(params, name, root))
    return translator
