"""Alignment error rates of trained systems on sentence pairs that are not part of an experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attnmt.config import Language, Languages, LinkStep, Params
from attnmt.corpora.gold_links import read_gold
from attnmt.corpora.links import GoldLinks, Links, flipped
from attnmt.corpora.normal_form import normalized
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.decoding.link_step import Reading, load_reading
from attnmt.decoding.reader import Reader, Units
from attnmt.decoding.text_translator import load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines
from attnmt.scoring.alignment import diagonal_links, score_links
from attnmt.scoring.metric import Score
from attnmt.scoring.reference_links import ReferenceLinks, cut_links
from attnmt.text.tokenizer import tokenizer


@dataclass(frozen=True)
class OwnPairs:
    """Tokenized sentence pairs, and gold links where a person has made them.

    Attributes:
        gold: links from source to target; None if there are none.
        notes: how the gold links were read, where that is not plain.
    """

    sources: list[list[str]]
    targets: list[list[str]]
    gold: list[GoldLinks] | None
    notes: list[str]

    @property
    def word_counts(self) -> list[tuple[int, int]]:
        """The numbers of words of each pair, source and target."""
        return list(zip(map(len, self.sources), map(len, self.targets), strict=True))

    @classmethod
    def read(
        cls,
        source: Path,
        target: Path,
        links: Path | None,
        languages: Languages,
        *,
        flip: bool = False,
    ) -> "OwnPairs":
        """Read two files of tokens, and links in any format that :func:`read_gold` reads.

        Args:
            languages: those of ``source`` and ``target``.
            flip: whether the sides of the links are exchanged.

        Raises:
            InputError: if a file cannot be read; if the files do not fit each other; if a line of text
                has no words; or if a line of ``links`` holds anything but links.
        """
        count_parallel_lines([source, target])
        sources, targets = _tokens(source, languages.source), _tokens(target, languages.target)
        pairs = cls(sources, targets, None, [])
        if links is None:
            return pairs
        words = pairs.word_counts
        gold = read_gold(links, languages.codes, len(words), words, flip)
        return cls(sources, targets, gold.links, gold.notes)


@dataclass(frozen=True)
class LinkedPairs:
    """The links of a system, source-target, by the step at which attention is read.

    ``reading`` says which step the authors' program reads, and which one was chosen in the stage
    translate. ``scores`` is empty without gold links.
    """

    links: dict[LinkStep, list[Links]]
    reading: Reading
    scores: dict[LinkStep, Score]


def link_pairs(params: Params, name: str, pairs: OwnPairs) -> LinkedPairs:
    """Link the words of sentence pairs by a system's attention, whatever its direction.

    Raises:
        InputError: if the system is not trained, or has no attention.
    """
    if not params.attends(name):
        raise InputError(f"--model: {name} has no attention, so it links no words")
    translator, reading = load_translator(params, name), load_reading(params, name)
    backward = translator.source.code != params.languages.source.code
    texts = (pairs.targets, pairs.sources) if backward else (pairs.sources, pairs.targets)
    forced = translator.force(
        _units(translator.source, texts[0]), _units(translator.target, texts[1])
    )
    links = {
        step: [flipped(line) for line in lines] if backward else lines
        for step, lines in forced.links.items()
    }
    length = params.families[params.translators(name).family].encoding.length
    scores = {step: _score(params, lines, pairs, length) for step, lines in links.items()}
    return LinkedPairs(links, reading, {step: one for step, one in scores.items() if one})


def score_diagonal(params: Params, pairs: OwnPairs) -> Score | None:
    """Return the error rate of links that need no model; None without gold links."""
    return _score(params, diagonal_links(pairs.word_counts), pairs, None)


def _score(
    params: Params, links: Sequence[Links], pairs: OwnPairs, length: int | None
) -> Score | None:
    """Return the error rate against the gold links of the last ``length`` words of each sentence."""
    if pairs.gold is None:
        return None
    gold = pairs.gold
    if length is not None:
        both = zip(gold, pairs.word_counts, strict=True)
        gold = [cut_links(line, words, length) for line, words in both]
    samples = params.evaluation.bootstrap_samples
    return score_links(links, ReferenceLinks("gold", gold), samples)[0]


def _tokens(file: Path, language: Language) -> list[list[str]]:
    rule = tokenizer(language, split_hyphens=False)
    lines = [rule.tokens_of(normalized(line).split()) for line in iter_lines(file)]
    if [] in lines:
        raise InputError(f"{file}:{lines.index([]) + 1}: no words in this line; take the pair out")
    return lines


def _units(reader: Reader, text: Sequence[Sequence[str]]) -> list[Units]:
    return [reader.units_of(words, f"line {n}") for n, words in enumerate(text, start=1)]
