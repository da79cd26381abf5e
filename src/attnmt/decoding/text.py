"""Words in, words out: the search and the forced decoder on the sets of a family."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

from attnmt.config import LinkStep
from attnmt.data.encoded import EncodedSets
from attnmt.data.lexicon import Lexicon
from attnmt.data.links import Links
from attnmt.decoding.ensemble import link_shift
from attnmt.decoding.search import Candidate, Search
from attnmt.decoding.translate import Ids, force_all, translate
from attnmt.decoding.unknown import replace_unknown
from attnmt.model.translator import Translator

READINGS: tuple[LinkStep, ...] = get_args(LinkStep)


class Translation(NamedTuple):
    """One translation of a sentence."""

    words: list[str]  # with <unk>
    replaced: list[str]  # unknown words replaced
    links: Links  # of words, source-target; none without attention
    score: float  # log p


class ForcedSet(NamedTuple):
    """What is said of the references of a set."""

    scores: list[float]  # log p of each
    # Of words, source-target, of each sentence, by the reading of the attention; no key without it.
    links: dict[LinkStep, list[Links]]


class TextTranslator:
    """A model or an ensemble with the text, the vocabularies and the dictionary that it works on."""

    def __init__(
        self,
        models: Sequence[Translator],
        data: EncodedSets,
        lexicon: Lexicon,
        options: Search,
        batch_size: int,
    ) -> None:
        """Take models of one family, in eval mode; ``batch_size`` changes no translation."""
        self.models = models
        self.data = data
        self.lexicon = lexicon
        self.options = options
        self.batch_size = batch_size
        self.source, self.target = models[0].config.system.direction.split("-")
        self.vocabulary = data.vocabulary(self.target)

    def translate_set(self, name: str) -> list[list[Translation]]:
        """Return the translations of each sentence of a set, the best first."""
        units = self.data.units(name, self.source)
        found = translate(self.models, self._ids(name, self.source), self.options, self.batch_size)
        return [
            [self._translation(candidate, source) for candidate in candidates]
            for candidates, source in zip(found, units, strict=True)
        ]

    def force_set(self, name: str) -> ForcedSet:
        """Return scores and links of a set's references."""
        sources, targets = (self._ids(name, side) for side in (self.source, self.target))
        forced = force_all(self.models, sources, targets, self.batch_size, self.options.average)
        units = [self.data.units(name, side) for side in (self.source, self.target)]
        links: dict[LinkStep, list[Links]] = {}
        for step in READINGS if forced[0].attended else ():
            shift = link_shift(self.models, step)
            links[step] = [
                self.data.links([(i, j) for j, i in enumerate(line.links(shift))], *pair)
                for line, *pair in zip(forced, *units, strict=True)
            ]
        return ForcedSet([line.score for line in forced], links)

    def _translation(self, candidate: Candidate, source: list[str]) -> Translation:
        units = self.vocabulary.decode(candidate.words)
        links = [(i, j) for j, i in enumerate(candidate.links)]
        links = self.data.links(links, source, units)
        words = self.data.words(units)
        replaced = replace_unknown(words, self.data.words(source), links, self.lexicon)
        return Translation(words, replaced, links, candidate.score)

    def _ids(self, name: str, language: str) -> list[Ids]:
        text = self.data.text(name, language)
        return [text[i] for i in range(len(text))]
