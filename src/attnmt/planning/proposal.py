"""Parameters for text that a person brings. Tokens, sizes and settings are proposed from the text."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate, takewhile

import numpy as np
from jinja2 import Environment, StrictUndefined

from attnmt.config import Direction, Language, Languages, Rule, Tokenize
from attnmt.config.experiment import USUAL_RATIOS
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.parallel import Files, count_parallel_lines
from attnmt.corpora.writing import tokenized_already, written_without_spaces
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines
from attnmt.text.tokens import splitter, why_dropped
from attnmt.text.vocabulary import SPECIAL
from attnmt.text.window import proposed_half_width, share_in_window

TEMPLATE = "params.yaml.jinja"
SAMPLE = 20_000  # of a text with at least twice as many pairs, about so many are looked at
COVERED = 0.97  # the share of the text's tokens that the vocabulary should know
TWICE = 2  # a word that the text has less often cannot be learned, and <unk> must be
STEP = 50  # a vocabulary of 1,000 entries or more has a multiple of it
MOST_LINKS = 3  # a pair of words that is linked this often gets into the dictionary
BATCH, UPDATES = 32, 2_500  # pairs in a batch; the batches that a training should have at least
EPOCHS, MOST_EPOCHS = 10, 40  # the paper's, and those of a small text
OUTSIDE = (
    0.02  # of the pairs; if more are too long or too short for the search, it gets other limits
)
REST = 0.001  # the share of the pairs that may lie outside of these
GROUPS, LEAST_GROUP, MOST_GROUP = 6, 20, 100  # of sentences of like length; sentences in each
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
    """Parameters that suit a text. If ``every`` is above 1, pairs and tokens are estimates."""

    languages: Languages
    every: int  # the text was counted in every nth pair
    pairs: int  # those that will be trained on
    long: int  # pairs that are left out, because a side has more than max_length tokens
    empty: int  # pairs that are left out, because a side is empty
    tokens: dict[str, int]  # of the pairs that will be trained on, by language code
    size: Size
    vocabulary: int
    min_count: int  # of the dictionary
    max_length: int
    unknown: dict[str, float]  # the share of the tokens that the vocabulary lacks, by language code
    ratios: dict[str, float]  # keys of a search for which the usual lengths do not suit the text
    window_D: int
    in_window: float  # the share of source sentences that fit into a local window
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


def propose(
    pair: Languages, train: Files, directions: Iterable[Direction] = ("forward",)
) -> Proposal:
    """Propose parameters for a training text.

    Args:
        pair: the languages.
        train: the files of source and target, without the pairs that are held out.
        directions: in which systems translate.

    Raises:
        InputError: if no pair of the text would be trained on.
    """
    sides = (pair.source, pair.target)
    max_length = max(LONGEST.get(side.tokenize, LONGEST_WORDS) for side in sides)
    settings = Tokenize(split_hyphens=False, max_length=max_length)
    splitters = [splitter(side, False, settings) for side in sides]
    every = max(1, count_parallel_lines(train) // SAMPLE)
    pairs: Counter[str] = Counter()
    words: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    lengths: list[tuple[int, int]] = []
    for number, lines in enumerate(zip(*map(iter_lines, train), strict=True)):
        if number % every == 0:
            row = [cut(line) for cut, line in zip(splitters, lines, strict=True)]
            why = why_dropped(row, settings)
            pairs[why or "kept"] += every
            lengths += [] if why else [(len(row[0]), len(row[1]))]
            for counts, side in zip(words, row, strict=True):
                counts.update(() if why else side * every)
    if not pairs["kept"]:
        raise InputError(
            f"--train: no training pair is left: {pairs['long']:,} are longer than {max_length} tokens, "
            f"{pairs['empty']:,} have an empty side; give text with a sentence in each line"
        )
    tokens = {code: counts.total() for code, counts in zip(pair.codes, words, strict=True)}
    size = next(size for most, size in SIZES.items() if max(tokens.values()) <= most)
    in_words = [side.tokenize != "characters" for side in sides]
    vocabulary = _vocabulary(words, in_words, size.vocabulary)
    sources = [source for source, _ in lengths]
    D = proposed_half_width(sources)
    return Proposal(
        languages=pair,
        every=every,
        pairs=pairs["kept"],
        long=pairs["long"],
        empty=pairs["empty"],
        tokens=tokens,
        size=size,
        vocabulary=vocabulary,
        min_count=_min_count(words, vocabulary),
        max_length=max_length,
        unknown={
            code: _unknown(counts, vocabulary)
            for code, counts in zip(pair.codes, words, strict=True)
        },
        ratios=_ratios(
            [row if way == "forward" else row[::-1] for way in directions for row in lengths]
        ),
        window_D=D,
        in_window=share_in_window(D, sources),
        epochs=min(MOST_EPOCHS, max(EPOCHS, math.ceil(UPDATES * BATCH / pairs["kept"]))),
    )


def _vocabulary(sides: Sequence[Counter[str]], in_words: Sequence[bool], most: int) -> int:
    """Return the number of entries that know COVERED of the texts, at most ``most`` words.

    Only words that occur TWICE have an entry. All others become ``<unk>``, so that the models learn what
    to do with it. A side all of whose words are repeated sets no limit. Characters of one side do not
    limit the words of the other, and rare words not the characters.

    Args:
        sides: how often each side has each of its words.
        in_words: which sides are not cut into characters.
        most: the limit.
    """
    covering = [_covering(words, most) for words in sides]
    of_characters = [
        n for n, is_in_words in zip(covering, in_words, strict=True) if not is_in_words
    ]
    repeated = [
        known
        for words, is_in_words in zip(sides, in_words, strict=True)
        if (known := sum(count >= TWICE for count in words.values())) < len(words)
        if is_in_words or not any(in_words)
    ]
    words_known = min([max(covering), *repeated])
    entries = max([words_known, *(of_characters if any(in_words) else [])]) + len(SPECIAL)
    step = STEP if entries >= 20 * STEP else 1
    return max(entries // step * step, len(SPECIAL) + 1)


def _unknown(words: Counter[str], vocabulary: int) -> float:
    """Return the share of a text's words that a vocabulary of its most frequent ones lacks."""
    known = sum(count for _, count in words.most_common(vocabulary - len(SPECIAL)))
    return 1 - known / words.total()


def _ratios(lengths: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Return the limits that a search needs for such lengths, where the usual ones suit too few pairs.

    They are limits of (T + 1) / (S + 1) and T / (S + 1), for S tokens of the source and T of the
    translation (:mod:`attnmt.decoding.rules`).
    """
    S, T = np.array(lengths).T
    found, (least, most) = {}, USUAL_RATIOS
    low, high = T / (S + 1), (T + 1) / (S + 1)
    if (low < least).mean() > OUTSIDE:
        found["min_ratio"] = math.floor(100 * np.quantile(low, REST)) / 100
    if (high > most).mean() > OUTSIDE:
        found["max_ratio"] = math.ceil(10 * np.quantile(high, 1 - REST)) / 10
    return found


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
    lines: int,
) -> str:
    """Return the text of a parameter file.

    Args:
        experiment: its name.
        proposal: what suits the text.
        tests: the names of the test sets.
        systems: those that are trained.
        families: those that the systems belong to.
        tokenized: a set with gold links whose text is tokenized already; it is aligned in place of test.
        lines: of the first test set; Figure 6 shows them in GROUPS groups or more.
    """
    template = (files("attnmt.planning") / TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    return environment.from_string(template).render(
        experiment=experiment,
        proposal=proposal,
        tests=tests,
        systems=systems,
        families=families,
        tokenized=tokenized,
        length_group=max(LEAST_GROUP, min(MOST_GROUP, lines // GROUPS)),
    )
