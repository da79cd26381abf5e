"""Parameters for text that a person brings. Tokens, sizes and settings are proposed from the text."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from statistics import median

import numpy as np
from jinja2 import Environment, StrictUndefined

from attnmt.config import Direction, Language, Languages, Rule, Tokenize
from attnmt.config.experiment import USUAL_RATIOS
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.parallel import Files, count_parallel_lines
from attnmt.corpora.writing import written_without_spaces
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines
from attnmt.text.pieces import Cutter, learn_codes
from attnmt.text.tokens import splitter, why_dropped
from attnmt.text.vocabulary import SPECIAL

TEMPLATE = "params.yaml.jinja"
SAMPLE = 20_000  # of a text with at least twice as many pairs, about so many are looked at
TWICE = 2  # a word that the text has less often cannot be learned, and <unk> must be
STEP = 50  # a vocabulary of 1,000 entries or more has a multiple of it
BATCH, UPDATES = 32, 2_500  # pairs in a batch; the batches that a training should have at least
MERGES = 2_000  # for lengths: more take minutes, and fewer make more pieces, so limits are wider
LEAST_HALF_WIDTH = 2  # of a local window
EPOCHS, MOST_EPOCHS = 10, 40  # the paper's, and those of a small text
# Of the pairs: if more are too long or too short for the search, it gets limits that leave out REST
OUTSIDE, REST = 0.02, 0.001
MOSES = ("en", "de")  # the paper's languages, which get the paper's tokens
# The most tokens of a training sentence: by rule, and for all other rules LONGEST_WORDS
LONGEST, LONGEST_WORDS = {"characters": 150}, 50


@dataclass(frozen=True)
class Size:
    """The size of a model."""

    layers: int
    size: int
    vocabulary: int  # the most words that the vocabulary takes from the text
    merges: int  # of both languages together, which make the subwords
    rate: float  # Adam's


# A larger text can teach a larger model. A key is the most tokens that a training text of this size has,
# on the side that has more of them. Layers, cells and words of the last are the paper's; the first two
# rates were measured.
SIZES: dict[float, Size] = {
    150_000: Size(1, 128, 4_000, 2_000, 0.005),
    600_000: Size(1, 256, 8_000, 4_000, 0.003),
    3_000_000: Size(2, 256, 10_000, 8_000, 0.002),
    20_000_000: Size(2, 512, 30_000, 16_000, 0.001),
    math.inf: Size(4, 1000, 50_000, 32_000, 0.0007),
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
    max_length: int
    unknown: dict[str, float]  # the share of the tokens that the vocabulary lacks, by language code
    ratios: dict[str, float]  # keys of a search for which the usual lengths do not suit the text
    window_D: int
    epochs: int
    merges: int  # 0 where there is nothing to merge, as in single characters
    batch: int = BATCH


def propose_language(code: str, lines: Iterable[str]) -> Language:
    """Return the language of some text, given by any of its codes, with its name and a rule."""
    known = language_code(code)
    rule: Rule = "moses" if known in MOSES else "words"
    if written_without_spaces(lines):
        rule = "characters"
    name = language_name(known) or code
    return Language(
        code=code, name=name if code in (known, name) else f"{name} ({code})", tokenize=rule
    )


def propose(
    pair: Languages,
    train: Files,
    directions: Iterable[Direction] = ("forward",),
    subwords: bool = False,
) -> Proposal:
    """Propose parameters for a training text, which may be read in ``subwords``, too.

    Raises:
        InputError: if no pair of the text would be trained on.
    """
    sides, ways = (pair.source, pair.target), list(directions)
    max_length = max(LONGEST.get(side.tokenize, LONGEST_WORDS) for side in sides)
    settings = Tokenize(split_hyphens=False, max_length=max_length)
    splitters = [splitter(side, False, settings) for side in sides]
    every = max(1, count_parallel_lines(train) // SAMPLE)
    pairs: Counter[str] = Counter()
    words: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    rows: list[list[list[str]]] = []
    for number, lines in enumerate(zip(*map(iter_lines, train), strict=True)):
        if number % every == 0:
            row = [cut(line) for cut, line in zip(splitters, lines, strict=True)]
            why = why_dropped(row, settings)
            pairs[why or "kept"] += every
            rows += [] if why else [row]
            for counts, side in zip(words, row, strict=True):
                counts.update(() if why else side * every)
    if not pairs["kept"]:
        raise InputError(
            f"--train: no training pair is left: {pairs['long']:,} are longer than {max_length} tokens, "
            f"{pairs['empty']:,} have an empty side; give text with a sentence in each line"
        )
    tokens = {code: counts.total() for code, counts in zip(pair.codes, words, strict=True)}
    size = next(size for most, size in SIZES.items() if max(tokens.values()) <= most)
    in_words = [
        side for side, one in zip(words, sides, strict=True) if one.tokenize != "characters"
    ]
    vocabulary = _vocabulary(in_words or words, size.vocabulary)
    cutter = _cutter(words, size.merges) if subwords else None
    lengths = [[(len(source), len(target)) for source, target in rows]]
    if cutter:
        lengths.append(
            [(len(cutter.cut(source)), len(cutter.cut(target))) for source, target in rows]
        )
    return Proposal(
        languages=pair,
        every=every,
        pairs=pairs["kept"],
        long=pairs["long"],
        empty=pairs["empty"],
        tokens=tokens,
        size=size,
        vocabulary=vocabulary,
        max_length=max_length,
        unknown={
            code: _unknown(counts, vocabulary)
            for code, counts in zip(pair.codes, words, strict=True)
        },
        ratios=_ratios(
            [
                [row if way == "forward" else row[::-1] for way in ways for row in units]
                for units in lengths
            ]
        ),
        window_D=_half_width([source for source, _ in lengths[0]]),
        epochs=min(MOST_EPOCHS, max(EPOCHS, math.ceil(UPDATES * BATCH / pairs["kept"]))),
        merges=size.merges if cutter else 0,
    )


def _half_width(lengths: Collection[int]) -> int:
    """Return a half-width D with which a local window holds clearly less than a sentence.

    2D + 1 is about half of the median length, so that more than half of the sentences do not fit. The
    paper's D is 10, for sentences of some 25 words.
    """
    return max(LEAST_HALF_WIDTH, round((median(lengths) / 2 - 1) / 2))


def _vocabulary(sides: Sequence[Counter[str]], most: int) -> int:
    """Return the number of entries: the words that each side repeats, at most ``most`` of them.

    All others become ``<unk>``, so that the models learn what to do with it. A side all of whose words
    are repeated sets no limit.
    """
    repeated = [sum(count >= TWICE for count in words.values()) for words in sides]
    limits = [n for n, words in zip(repeated, sides, strict=True) if n < len(words)]
    entries = min([most, max(map(len, sides)), *limits]) + len(SPECIAL)
    step = STEP if entries >= 20 * STEP else 1
    return max(entries // step * step, len(SPECIAL) + 1)


def _unknown(words: Counter[str], vocabulary: int) -> float:
    """Return the share of a text's words that a vocabulary of its most frequent ones lacks."""
    known = sum(count for _, count in words.most_common(vocabulary - len(SPECIAL)))
    return 1 - known / words.total()


def _cutter(words: Iterable[Counter[str]], merges: int) -> Cutter | None:
    """Return what cuts words nearly as for a model; None where there is nothing to merge."""
    try:
        return Cutter(learn_codes(sum(words, Counter()), min(merges, MERGES)))
    except InputError:
        return None


def _ratios(units: Iterable[Sequence[tuple[int, int]]]) -> dict[str, float]:
    """Return the limits that a search needs for lengths in words and in pieces, where too few pairs
    suit the usual ones.

    They are limits of (T + 1) / (S + 1) and T / (S + 1), for S tokens of the source and T of the
    translation (:mod:`attnmt.decoding.rules`).
    """
    found, (least, most) = dict[str, float](), USUAL_RATIOS
    for lengths in units:
        S, T = np.array(lengths).T
        low, high = T / (S + 1), (T + 1) / (S + 1)
        if (low < least).mean() > OUTSIDE:
            least = found["min_ratio"] = math.floor(100 * np.quantile(low, REST)) / 100
        if (high > most).mean() > OUTSIDE:
            most = found["max_ratio"] = math.ceil(10 * np.quantile(high, 1 - REST)) / 10
    return found


def params_text(
    experiment: str,
    proposal: Proposal,
    systems: list[str],
    families: list[str],
    seeds: int,
    lines: int,
) -> str:
    """Return the text of a parameter file."""
    template = (files("attnmt.planning") / TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    return environment.from_string(template).render(
        experiment=experiment,
        proposal=proposal,
        systems=systems,
        families=families,
        seeds=seeds,
        length_group=max(20, min(100, lines // 6)),
    )
