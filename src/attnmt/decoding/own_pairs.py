"""Links of a trained system between the tokens of sentence pairs of one's own."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped
from attnmt.corpora.normal_form import normalized
from attnmt.decoding.coverage import Coverage
from attnmt.decoding.pipeline import load_translator
from attnmt.errors import InputError
from attnmt.text.tokenizer import Tokenizer, tokenizer

Line = tuple[str, str]  # its place, for messages, and its text


class LinkedPairs(NamedTuple):
    """Sentence pairs as tokens, and the links between the tokens of each pair, source-target."""

    sources: list[list[str]]
    targets: list[list[str]]
    links: list[Links]
    coverage: list[Coverage]  # of source and target


def link_pairs(
    params: Params,
    name: str,
    pairs: Iterable[tuple[Line, Line]],
    root: Path = Path(),
    *,
    tokenized: bool = False,
) -> LinkedPairs:
    """Link the tokens of sentence pairs by a system's attention, whatever its direction.

    A family may read only the last words of a sentence; then the first have no links.

    Raises:
        InputError: if the system is not trained, or has no attention; if there are no pairs; or if a
            line has no words.
    """
    if not params.attends(name):
        raise InputError(f"--model: {name} has no attention, so it links no words")
    both = [*pairs]
    if not both:
        raise InputError("no pairs to link; the text is empty")
    languages = params.languages.source, params.languages.target
    sources, targets = (
        [
            _tokens(line, tokenizer(language, params.tokenize.split_hyphens), tokenized)
            for line in side
        ]
        for language, side in zip(languages, zip(*both, strict=True), strict=True)
    )
    translator = load_translator(params, name, root)
    backward = params.direction(name) == "backward"
    texts = (targets, sources) if backward else (sources, targets)
    coverage = [Coverage(reader) for reader in (translator.source, translator.target)]
    units = [
        [side.read_tokens(words, f"line {n}") for n, words in enumerate(text, start=1)]
        for side, text in zip(coverage, texts, strict=True)
    ]
    links = translator.force(*units).links
    if backward:
        links, coverage = [flipped(line) for line in links], coverage[::-1]
    if length := params.families[params.translators(name).family].encoding.length:
        firsts = [
            [max(0, len(side) - length) for side in pair]
            for pair in zip(sources, targets, strict=True)
        ]
        links = [
            [(i + first, j + other) for i, j in line]
            for line, (first, other) in zip(links, firsts, strict=True)
        ]
    return LinkedPairs(sources, targets, links, coverage)


def _tokens(line: Line, rule: Tokenizer, tokenized: bool) -> list[str]:
    place, text = line[0], normalized(line[1])
    tokens = rule.tokens_of(text.split()) if tokenized else rule.tokenize(text)
    if not tokens:
        raise InputError(f"{place}: no words in this line; take the pair out")
    return tokens
