"""Parameters for text that a person brings. Tokens, sizes and recipe are proposed from the text."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate, takewhile
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from attnmt.config import Language, Languages, Rule
from attnmt.corpora.parallel import Files
from attnmt.files.text_file import iter_lines
from attnmt.text.moses import has_rules, languages
from attnmt.text.tokenizer import SPACE, tokenizer
from attnmt.text.vocabulary import SPECIAL

TEMPLATE = "params.yaml.jinja"
SAMPLE = 20_000  # of a longer text, at least this many evenly spread lines are looked at
COVERED = 0.97  # the share of the text's tokens that the vocabulary should know
STEP = 500  # the size of a vocabulary is a multiple of it
SPACELESS = 0.02  # a text with a smaller share of white space is taken for one without spaces
# The most tokens of a training sentence: by rule, and for all other rules LONGEST_WORDS
LONGEST, LONGEST_WORDS = {"characters": 150}, 50


@dataclass(frozen=True)
class Size:
    """The size of a model."""

    layers: int
    size: int
    vocabulary: int  # the most words that the vocabulary takes from the text


# A larger text can teach a larger model. A key is the most tokens that a training text of this size has,
# on the side that has more of them. The last size is the paper's.
SIZES: dict[float, Size] = {
    150_000: Size(1, 128, 4_000),
    600_000: Size(1, 256, 8_000),
    3_000_000: Size(2, 256, 10_000),
    20_000_000: Size(2, 512, 30_000),
    math.inf: Size(4, 1000, 50_000),
}


@dataclass(frozen=True)
class Proposal:
    """Parameters that suit a text."""

    languages: Languages
    pairs: int
    tokens: Mapping[str, int]  # by language code
    size: Size
    vocabulary: int
    max_length: int


def propose_language(code: str, lines: Iterable[str]) -> Language:
    """Return the language of some text, given by its code, with its name and a rule that suits it."""
    text = "".join(lines)
    rule: Rule = "moses" if has_rules(code) else "plain"
    if sum(map(str.isspace, text)) < SPACELESS * len(text):
        rule = "characters"
    return Language(code=code, name=languages().get(code, code), tokenize=rule)


def propose(pair: Languages, train: Files, pairs: int) -> Proposal:
    """Propose parameters for a training text.

    Args:
        train: the files of source and target.
        pairs: how many of their lines are to be trained on.
    """
    sides = zip((pair.source, pair.target), train, strict=True)
    counts = {side.code: _count(side, file, pairs) for side, file in sides}
    largest = max(tokens for tokens, _ in counts.values())
    size = next(size for most, size in SIZES.items() if largest <= most)
    covering = max(_covering(words, size.vocabulary) for _, words in counts.values())
    rules = {pair.source.tokenize, pair.target.tokenize}
    return Proposal(
        languages=pair,
        pairs=pairs,
        tokens={code: tokens for code, (tokens, _) in counts.items()},
        size=size,
        vocabulary=STEP * math.ceil((covering + len(SPECIAL)) / STEP),
        max_length=max(LONGEST.get(rule, LONGEST_WORDS) for rule in rules),
    )


def _count(language: Language, file: Path, pairs: int) -> tuple[int, Counter[str]]:
    """Estimate the number of tokens in ``pairs`` lines of a file, from evenly spread lines.

    Return this number, and how often each token occurs in these lines.
    """
    rule, nth = tokenizer(language, split_hyphens=False), max(1, pairs // SAMPLE)
    words: Counter[str] = Counter()
    lines = 0
    for number, line in enumerate(iter_lines(file)):
        if number % nth == 0:
            words.update(rule.tokenize(line))
            lines += 1
    words.pop(SPACE, None)
    return round(words.total() * pairs / lines), words


def _covering(words: Counter[str], most: int) -> int:
    """Return how many of the most frequent words make up COVERED of a sample, at most ``most``."""
    known = accumulate(count for _, count in words.most_common(most))
    entries = sum(1 for _ in takewhile(lambda count: count < COVERED * words.total(), known))
    return min(most, len(words), entries + 1)


def params_text(
    experiment: str,
    proposal: Proposal,
    tests: list[str],
    systems: list[str],
    families: list[str],
) -> str:
    """Return the text of a parameter file. ``families`` are those that the systems belong to."""
    template = (files("attnmt.planning") / TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)
    return environment.from_string(template).render(
        experiment=experiment,
        proposal=proposal,
        tests=tests,
        systems=systems,
        families=families,
    )
