"""Links of trained systems, and their error rates, on sentence pairs of one's own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnmt.config import Params
from attnmt.corpora.links import GoldLinks, Links, flipped, read_gold
from attnmt.corpora.normal_form import normalized
from attnmt.decoding.coverage import Coverage
from attnmt.decoding.pipeline import load_translator
from attnmt.errors import InputError
from attnmt.scoring.alignment import diagonal_links, score_links
from attnmt.scoring.metric import Score
from attnmt.text.reference_links import ReferenceLinks, cut_links
from attnmt.text.tokenizer import Tokenizer, tokenizer

Line = tuple[str, str]  # its place, for messages, and its text


@dataclass(frozen=True)
class OwnPairs:
    """Sentence pairs as tokens, and gold links where a person has made them.

    Attributes:
        gold: links from source to target; None if there are none.
    """

    sources: list[list[str]]
    targets: list[list[str]]
    gold: list[GoldLinks] | None

    @property
    def token_counts(self) -> list[tuple[int, int]]:
        """The numbers of tokens of each pair, source and target."""
        return list(zip(map(len, self.sources), map(len, self.targets), strict=True))

    @classmethod
    def of(
        cls,
        pairs: Iterable[tuple[Line, Line]],
        params: Params,
        links: Path | None = None,
        *,
        tokenized: bool = False,
        flip: bool = False,
    ) -> "OwnPairs":
        """Take lines of text, and links as :func:`read_gold` reads them.

        Args:
            pairs: source and target, in the experiment's languages, each with its place for messages.
            tokenized: whether the text is tokens with spaces between them, and not plain.
            flip: whether the sides of the links are exchanged.

        Raises:
            InputError: if there are no pairs; if a line of text has no words; or if a line of
                ``links`` holds anything but links.
        """
        both = [*pairs]
        if not both:
            raise InputError("no pairs to link; the text is empty")
        languages, split = params.languages, params.tokenize.split_hyphens
        sources, targets = (
            [_tokens(line, tokenizer(language, split), tokenized) for line in lines]
            for language, lines in zip(
                (languages.source, languages.target), zip(*both, strict=True), strict=True
            )
        )
        own = cls(sources, targets, None)
        if links is None:
            return own
        return cls(sources, targets, read_gold(links, languages.codes, own.token_counts, flip))


@dataclass(frozen=True)
class LinkedPairs:
    """The links of a system between the tokens of each pair, source-target.

    ``score`` is their error rate; None without gold links.
    """

    links: list[Links]
    coverage: list[Coverage]  # of source and target
    score: Score | None


def link_pairs(params: Params, name: str, pairs: OwnPairs, root: Path = Path()) -> LinkedPairs:
    """Link the tokens of sentence pairs by a system's attention, whatever its direction.

    A family may read only the last words of a sentence; then the first have no links, and the error
    rate is that of the others.

    Args:
        root: the folder of the system's files.

    Raises:
        InputError: if the system is not trained, or has no attention.
    """
    if not params.attends(name):
        raise InputError(f"--model: {name} has no attention, so it links no words")
    translator = load_translator(params, name, root)
    backward = params.direction(name) == "backward"
    texts = (pairs.targets, pairs.sources) if backward else (pairs.sources, pairs.targets)
    coverage = [Coverage(reader) for reader in (translator.source, translator.target)]
    units = [
        [side.read_tokens(words, f"line {n}") for n, words in enumerate(text, start=1)]
        for side, text in zip(coverage, texts, strict=True)
    ]
    links = translator.force(*units).links
    if backward:
        links, coverage = [flipped(line) for line in links], coverage[::-1]
    length = params.families[params.translators(name).family].encoding.length
    score = _score(params, links, pairs, length)
    if length is not None:
        firsts = [[max(0, n - length) for n in counts] for counts in pairs.token_counts]
        links = [
            [(i + first, j + other) for i, j in line]
            for line, (first, other) in zip(links, firsts, strict=True)
        ]
    return LinkedPairs(links, coverage, score)


def score_diagonal(params: Params, pairs: OwnPairs) -> Score | None:
    """Return the error rate of links that need no model; None without gold links."""
    return _score(params, diagonal_links(pairs.token_counts), pairs, None)


def _score(
    params: Params, links: Sequence[Links], pairs: OwnPairs, length: int | None
) -> Score | None:
    """Return the error rate against the gold links of the last ``length`` words of each sentence."""
    if pairs.gold is None:
        return None
    gold = pairs.gold
    if length is not None:
        both = zip(gold, pairs.token_counts, strict=True)
        gold = [cut_links(line, words, length) for line, words in both]
    samples = params.evaluation.bootstrap_samples
    return score_links(links, ReferenceLinks("gold", gold), samples)[0]


def _tokens(line: Line, rule: Tokenizer, tokenized: bool) -> list[str]:
    place, text = line
    tokens = rule.tokens_of(normalized(text).split()) if tokenized else rule.tokenize(text)
    if not tokens:
        raise InputError(f"{place}: no words in this line; take the pair out")
    return tokens
