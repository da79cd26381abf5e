"""What a report on one's own text asks: which of two systems is better, and what the trainings answer.

Every two systems that differ in one part are compared, each system with attention and the best one
without, and what a row of one's own in systems.yaml compares. Where other recipes train them, too, two
systems are compared as the family's recipe trains them, and each by its best recipe on the development
set. Holm's procedure holds over all of them.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from scipy.special import stdtrit

from attnmt.config import DIRECTIONS, Params, TableRow
from attnmt.config.model import OwnRecipe
from attnmt.scoring.numbers import CHOSEN, READINGS, Line, Numbers
from attnmt.scoring.published import unprinted_rows
from attnmt.scoring.ranking import at_best_recipe, best_systems, final_bleu
from attnmt.scoring.seed_statistics import Outcome
from attnmt.scoring.verdicts import Verdict, verdicts

SENTENCES = 1e6  # degrees of freedom of an interval over sentences alone
NOISE = "within noise"


class Answer(NamedTuple):
    """What is known of one question: a gain, and its verdict among all questions.

    ``differ`` has the parts in which the two systems differ (:func:`differing`), without the recipe if
    each is trained by its best one (``at_best``), which the development set chose. There is no verdict
    if only one of the two has several seeds.
    """

    gain: Line
    differ: dict[str, tuple[Any, Any]]
    at_best: bool
    verdict: Verdict | None

    @property
    def word(self) -> str:
        """Better or worse than the other system, or within noise; not tested if there was no test."""
        if self.verdict is None:
            return "not tested"
        if self.verdict.word == "undecided":
            return NOISE
        is_higher, is_rate = self.verdict.word == "confirmed", self.gain.metric == "aer"
        return "better" if is_higher != is_rate else "worse"


def answers(params: Params, numbers: Numbers) -> list[Answer]:
    """Return the answer to every question, measured on the first test set, the main one first.

    The list is empty if the text is not one's own.
    """
    pairs = asked(params, numbers, params.sets.tests[0])
    found = (numbers.gain(*pair, _reading(pair[0])) for pair in pairs)
    gains = [gain for gain in found if gain]
    judged = verdicts({gain: _outcome(gain) for gain in gains if gain.p is not None})
    best = at_best_recipe(params, numbers)
    return [
        Answer(one, *_compared(params, best, one.system, one.over), judged.get(one))
        for one in gains
    ]


def _compared(
    params: Params, best: dict[str, bool], one: str | None, two: str | None
) -> tuple[dict[str, tuple[Any, Any]], bool]:
    """Return in what two systems differ, and whether each is compared by its best recipe.

    Args:
        best: of :func:`attnmt.scoring.ranking.at_best_recipe`.
    """
    parts = differing(params, one, two)
    at_best = one in best and two in best and (best[one] or best[two])
    return {part: parts[part] for part in parts if not (at_best and part == "recipe")}, at_best


def _reading(ours: Line) -> str | None:
    return READINGS[CHOSEN] if ours.metric == "aer" else None


def asked(params: Params, numbers: Numbers, test: str) -> list[tuple[Line, Line]]:
    """Return the pairs of numbers whose gain is asked for on one's own text, the second is the base.

    Of two systems, the one that params.yaml names first is the base. Both must have been measured
    against the same references. BLEU is that of what a system writes in the end, and links are read at
    the chosen step.
    """
    pairs: dict[frozenset[str], tuple[Line, Line]] = {}
    for one, two, metric in _systems_asked(params, numbers) if params.own_text else ():
        ours, other = (
            numbers.system(name, READINGS[CHOSEN], params.sets.aligned[0])
            if metric == "aer"
            else final_bleu(params, numbers, name, test)
            for name in (one, two)
        )
        if ours and other and ours.reference == other.reference:
            pairs.setdefault(frozenset((one, two, metric)), (ours, other))
    return list(pairs.values())


def _systems_asked(params: Params, numbers: Numbers) -> Iterator[tuple[str, str, str]]:
    """Yield two different systems or ensembles, and the metric; a pair may come twice.

    Systems are asked by the family's recipe and by the best one of each. Two recipes of one system are
    asked, too.
    """
    named = [*(params.systems or ()), *params.systems_and_ensembles]
    runs = {**params.models, **params.ensembles}
    systems = sorted(params.systems_and_ensembles, key=lambda name: named.index(runs[name].entry))
    best = at_best_recipe(params, numbers)
    by_family = {name for name in systems if runs[name].recipe is None}
    for direction in DIRECTIONS:
        attending, without = best_systems(params, numbers, direction)
        names = [name for name in systems if params.direction(name) == direction]
        for name in sorted(filter(params.attends, names), key=lambda name: name != attending):
            if without and (name in by_family or name in best):
                yield name, without, "bleu"
        pairs = [*combinations(filter(params.models.__contains__, names), 2)]
        for base, name in sorted(pairs, key=lambda pair: not {*pair} <= best.keys()):
            alike = {base, name} <= by_family or {base, name} <= best.keys()
            alike = alike or runs[base].entry == runs[name].entry
            if alike and len(_compared(params, best, name, base)[0]) == 1:
                yield name, base, "bleu"
    for where, row, over in own_rows(params):
        if params.runs_of(row.system) and params.runs_of(over):
            is_rate = params.tables[where.partition("/")[0]].gain == "aer"
            yield str(row.system), over, "aer" if is_rate else "bleu"


def own_rows(params: Params) -> Iterator[tuple[str, TableRow, str]]:
    """Yield rows of systems.yaml that no paper has printed, as table/key, and the system that each is
    compared with.
    """
    for table, key, row in unprinted_rows(params):
        over = params.tables[table].rows[row.over].system if row.over else None
        if over and row.system != over:
            yield f"{table}/{key}", row, over


def differing(params: Params, one: str | None, two: str | None) -> dict[str, tuple[Any, Any]]:
    """Return the parts in which two models differ, with the values of both; none for ensembles.

    What only one of them can have follows from another part, and does not count: a score from
    attention, a half-width D from a local window. Neither do epochs that a family gives to dropout.
    """
    if one not in params.models or two not in params.models:
        return {}
    ours, others = (_parts(params, name) for name in (one, two))
    return {
        part: (value, others[part])
        for part, value in ours.items()
        if part in others and value != others[part]
    }


def _parts(params: Params, name: str) -> dict[str, Any]:
    """Return what a model is made of and how it is trained, by name, but for its seed."""
    model, shape = params.model(name), params.shape(name)
    family = params.families[model.family]
    names = ["attention", "reverse", "encoder", "dropout"]
    names += ["score", "input_feeding", "faults"] if model.attention != "none" else []
    parts: dict[str, Any] = {part: getattr(model, part) for part in names}
    if D := params.half_width(name):
        parts["window_D"] = D
    parts |= {f"numbers of {part}": model.numbers.get(part, {}) for part in model.system.parts}
    location = {"location_slots"} if model.score != "location" else set()
    parts |= shape.model_dump(exclude={"window_D", *location})
    optimizer = params.recipe(name).optimizer
    own = model.model_dump(include={*OwnRecipe.model_fields}), model.numbers.get(optimizer)
    return parts | {"encoding": family.encoding, "recipe": (family.training, own)}


def _outcome(gain: Line) -> Outcome:
    """Return a gain as a tested value again.

    The interval of a gain between two single trainings is over sentences alone, of which there are many.
    """
    value, low, high, p = (float(x or 0.0) for x in (gain.value, gain.low, gain.high, gain.p))
    freedom = gain.freedom or SENTENCES
    error = gain.error or (high - low) / 2 / float(stdtrit(freedom, 0.975))
    p_for, p_against = sorted((p / 2, 1 - p / 2), reverse=value < 0)
    return Outcome(value, low, high, p_for, p_against, error, freedom)
