"""Parameters for text that a person brings. Tokens, sizes and recipe are proposed from the text."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate, takewhile
from typing import get_args

from jinja2 import Environment, StrictUndefined

from attnmt.config import Language, Languages, Rule, Tokenize
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.parallel import Files
from attnmt.corpora.writing import tokenized_already, written_without_spaces
from attnmt.planning.training_text import TrainingText
from attnmt.text.tokens import Reason
from attnmt.text.vocabulary import SPECIAL

TEMPLATE = "params.yaml.jinja"
COVERED = 0.97  # the share of the text's tokens that the vocabulary should know
TWICE = 2  # a word that the text has less often cannot be learned, and <unk> must be
STEP = 50  # the size of a vocabulary is a multiple of it, unless it is smaller
MOST_LINKS = 3  # a pair of words that is linked this often gets into the dictionary
BATCH, UPDATES = 32, 1_000  # pairs in a batch; the batches that a training should have at least
EPOCHS, MOST_EPOCHS = 10, 40  # the paper's, and those of a small text
MOSES = ("en", "de")  # the paper's languages, which get the paper's tokens
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
    pairs: int  # those that will be trained on
    left_out: Mapping[Reason, int]  # the other pairs of the training text
    every: int  # the text was counted in every nth pair; 1 if all numbers are exact
    tokens: Mapping[str, int]  # of the pairs that will be trained on, by language code
    size: Size
    vocabulary: int
    min_count: int  # of the dictionary
    max_length: int
    epochs: int
    batch: int = BATCH


def propose_language(code: str, lines: Iterable[str]) -> Language:
    """Return the language of some text, given by any of its codes, with its name and a rule."""
    known, text = language_code(code), list(lines)
    rule: Rule = "moses" if known in MOSES else "words"
    if tokenized_already(text):
        rule = "none"
    elif written_without_spaces(text):
        rule = "characters"
    name = language_name(known) or code
    return Language(
        code=code, name=name if code in (known, name) else f"{name} ({code})", tokenize=rule
    )


def propose(pair: Languages, train: Files) -> Proposal:
    """Propose parameters for a training text.

    Args:
        train: the files of source and target, without the pairs that are held out.

    Raises:
        InputError: if no pair of the text would be trained on.
    """
    rules = {pair.source.tokenize, pair.target.tokenize}
    max_length = max(LONGEST.get(rule, LONGEST_WORDS) for rule in rules)
    settings = Tokenize(split_hyphens=False, max_length=max_length)
    text = TrainingText.read(pair, train, settings, "train")
    looked_at = text.words()
    tokens = {code: text.whole(words.total()) for code, words in looked_at.items()}
    size = next(size for most, size in SIZES.items() if max(tokens.values()) <= most)
    words = {
        code: Counter({word: text.whole(count) for word, count in counts.items()})
        for code, counts in looked_at.items()
    }
    # There are fewer characters than words, so they do not limit the vocabulary of a side with words.
    sides = (pair.source, pair.target)
    with_words = [words[side.code] for side in sides if side.tokenize != "characters"]
    vocabulary = _vocabulary(with_words or [*words.values()], size.vocabulary)
    return Proposal(
        languages=pair,
        pairs=text.pairs,
        left_out={why: text.whole(text.left_out[why]) for why in get_args(Reason)},
        every=text.every,
        tokens=tokens,
        size=size,
        vocabulary=vocabulary,
        min_count=_min_count([*words.values()], vocabulary),
        max_length=max_length,
        epochs=min(MOST_EPOCHS, max(EPOCHS, math.ceil(UPDATES * BATCH / text.pairs))),
    )


def _vocabulary(sides: Sequence[Counter[str]], most: int) -> int:
    """Return the number of entries that know COVERED of the texts, at most ``most`` words.

    Only words that occur TWICE on their side have an entry. All others become ``<unk>``, so that the
    models learn what to do with it.
    """
    covering = max(_covering(words, most) for words in sides)
    repeated = min(sum(count >= TWICE for count in words.values()) for words in sides)
    entries = min(covering, repeated) + len(SPECIAL)
    return entries // STEP * STEP if entries > STEP else max(entries, len(SPECIAL) + 1)


def _covering(words: Counter[str], most: int) -> int:
    """Return how many of the most frequent words make up COVERED of a text, at most ``most``."""
    known = accumulate(count for _, count in words.most_common(most))
    entries = sum(1 for _ in takewhile(lambda count: count < COVERED * words.total(), known))
    return min(most, len(words), entries + 1)


def _min_count(sides: Sequence[Counter[str]], vocabulary: int) -> int:
    """Return how often words must be linked, so that words outside the vocabulary have translations.

    The most frequent of these words has one if half of its links agree.
    """
    known = vocabulary - len(SPECIAL)
    outside = [sorted(words.values(), reverse=True)[known:] for words in sides]
    most = min((counts[0] for counts in outside if counts), default=1)
    return min(MOST_LINKS, max(1, most // 2))


def params_text(
    experiment: str,
    proposal: Proposal,
    tests: list[str],
    systems: list[str],
    families: list[str],
    tokenized: str | None,
) -> str:
    """Return the text of a parameter file.

    Args:
        families: those that the systems belong to.
        tokenized: a set with gold links whose text is tokenized already; it is aligned in place of test.
    """
    template = (files("attnmt.planning") / TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)
    return environment.from_string(template).render(
        experiment=experiment,
        proposal=proposal,
        tests=tests,
        systems=systems,
        families=families,
        tokenized=tokenized,
    )
