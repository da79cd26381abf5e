"""What must be known before a verdict is believed: attention that was not learned, too low a BLEU."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from sacrebleu.metrics.bleu import BLEU

from attnmt.config import DIAGONAL, Direction, Params
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.reporting.facts import interval_of
from attnmt.reporting.table import Format
from attnmt.scoring.numbers import CHOSEN, READINGS, Line, Numbers
from attnmt.scoring.ranking import final_bleu
from attnmt.text.tokens import text_suffixes

Floors = Mapping[Direction, float]
AER, ORDER = READINGS[CHOSEN], 4  # the longest n-grams of BLEU
MOSTLY_WRONG = 0.5  # an AER from which on half of the links or more are wrong or missing
# What a score never reads (equation 8; the course report).
UNREAD = {"location": "the states of the source", "self": "the state of the target"}


def unlearned(params: Params, numbers: Numbers, gains: Iterable[Line]) -> list[str]:
    """Name each loser of decided gains of BLEU that links words no better than the diagonal does.

    Such links alone say little: some systems that translate well have no better ones. Where a system
    also loses, links worse than the winner, and has most links wrong, it may not have learned where to
    look, and a lower rate may change the verdict, unless its score never compares words. Below
    MOSTLY_WRONG it looks where the words are, and only the text is so close to word for word that the
    diagonal is hard to beat.
    """
    said: dict[str | None, str] = {}
    for gain in gains:
        if gain.metric == "bleu" and gain.value and gain.system != gain.over:
            loser, winner = (gain.over, gain.system) if gain.value > 0 else (gain.system, gain.over)
            if loser not in said and (sentence := _unlearned(params, numbers, loser, winner)):
                said[loser] = sentence
    return [*said.values()]


def _unlearned(
    params: Params, numbers: Numbers, loser: str | None, winner: str | None
) -> str | None:
    links = params.sets.aligned[0]
    diagonal, rate = numbers.system(DIAGONAL, "aer", links), numbers.system(loser, AER, links)
    if not rate or not diagonal or loser not in params.models:
        return None
    if (rate.value or 0.0) < max(diagonal.value or 0.0, MOSTLY_WRONG):
        return None
    other = numbers.system(winner, AER, links)
    if other and (other.value or 0.0) >= (rate.value or 0.0):
        return None
    show = Format(2).show
    others = [f"the diagonal has {show(diagonal.value)}"]
    if other:
        others.append(f"{winner} {show(other.value)}")
    fact = (
        f"{loser} links words no better than the diagonal does (AER {show(rate.value)}; "
        f"{', '.join(others)})"
    )
    mended = _mended(params, numbers, loser, diagonal.value or 0.0)
    score = params.model(loser).score
    if not mended and score in UNREAD:
        unread = f"Its score, {score}, never reads {UNREAD[score]}"
        return f"{fact}. {unread}: at no rate does it compare words."
    return (
        f"{fact}, so at rate {params.recipe(loser).learning_rate:g} it has probably not learned where "
        f"to look. {mended or _lower_rate(params, loser)}"
    )


def _mended(params: Params, numbers: Numbers, loser: str, diagonal: float) -> str | None:
    """Say which other recipe of a system links better than the diagonal and has more BLEU."""
    own = final_bleu(params, numbers, loser)
    for name in _recipes_of(params, loser):
        aer = numbers.system(name, AER, params.sets.aligned[0])
        bleu = final_bleu(params, numbers, name)
        is_better = bleu and own and (bleu.value or 0.0) > (own.value or 0.0)
        if bleu and is_better and aer and (aer.value or 0.0) < diagonal:
            has = f"AER {Format(2).show(aer.value)} and BLEU {Format(1).show(bleu.value)}"
            return f"{name}, at rate {params.recipe(name).learning_rate:g}, has {has}."
    return None


def _lower_rate(params: Params, loser: str) -> str:
    """Say which rate below those of a system is to be tried, and where it is written."""
    recipes = [params.recipe(name) for name in _recipes_of(params, loser)]
    optimizer = params.recipe(loser).optimizer
    least = min(one.learning_rate for one in recipes if one.optimizer == optimizer)
    names = ("lower", *(f"lower{k}" for k in range(2, len(params.recipes) + 2)))
    new = next(name for name in names if name not in params.recipes)
    lower = f"{new}: {{{params.model(loser).entry}: {{learning_rate: {least / 2:g}}}}}"
    place = f"below the key recipes in {params.params_file}"
    return f"Try a rate below {least:g}: write {lower} {place}."


def _recipes_of(params: Params, name: str) -> list[str]:
    """Return the trainings of a system with its first seed, one under each of its recipes."""
    same = params.model(name).entry, 1
    return [other for other, one in params.models.items() if (one.entry, one.seed) == same]


def source_blind(
    params: Params, numbers: Numbers, systems: Iterable[str | None], floors: Floors
) -> str | None:
    """Name the systems whose BLEU on the first test set is not surely above that of one sentence.

    ``floors`` has BLEU of this sentence, which is written for every line, whatever its source is.
    """
    low, show = [], Format(1).show
    for name in dict.fromkeys(filter(None, systems)):
        line, floor = final_bleu(params, numbers, name), floors.get(params.direction(name), 0.0)
        interval = interval_of(line)
        if line and (interval.low if interval else line.value or 0.0) <= floor:
            size = f"{show(line.value)}{(interval and f' ({show(interval)})') or ''}"
            low.append(f"{name} has {size}, and one sentence for all lines {show(floor)}")
    return f"A comparison with so low a BLEU says little: {'; '.join(low)}." if low else None


def one_sentence_bleus(params: Params) -> Floors:
    """Return BLEU of one sentence that is written for every line of the first test set.

    The development set chooses it among its own references, so the test set chooses nothing.

    Raises:
        InputError: if a file of tokens is missing.
    """
    directions = dict.fromkeys(map(params.direction, params.models))
    return {direction: _one_sentence_bleu(params, direction) for direction in directions}


def _one_sentence_bleu(params: Params, direction: Direction) -> float:
    folder, target = Layout(params.experiment).tokens, params.languages.sides(direction)[1].code
    dev = read_lines(folder / f"{params.sets.dev}.{target}")
    test = params.sets.tests[0]
    suffixes = text_suffixes(folder, test, params.languages)
    references = [
        read_lines(folder / f"{test}.{suffix}")
        for suffix in suffixes
        if suffix.partition(".")[0] == target
    ]
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    constant = [best_sentence(dev)] * len(references[0])
    return float(bleu.corpus_score(constant, references).score)


def best_sentence(references: Sequence[str]) -> str:
    """Return the reference that has the highest BLEU if it is written for each of them.

    An n-gram that a reference has twice counts once.
    """
    sets = {
        line: [set(_grams(line.split(), n)) for n in range(1, ORDER + 1)] for line in references
    }
    lines_with = Counter(gram for line in references for grams in sets[line] for gram in grams)
    words = sum(len(line.split()) for line in references) / len(references)

    def logarithm(line: str) -> float:
        length = len(line.split())
        right = [sum(lines_with[gram] for gram in grams) for grams in sets[line]]
        if not all(right):
            return float("-inf")
        precisions = (log(count / (length - n)) for n, count in enumerate(right))
        return sum(precisions) / ORDER + min(0.0, 1 - words / length)

    return max(references, key=logarithm)


def _grams(words: Sequence[str], n: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[k:] for k in range(n)), strict=False)
