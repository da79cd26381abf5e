"""The comparisons of a report on one's own text: which of two systems is better.

Every two systems that differ in one part are compared, each system with attention and the best one
without, and what a row of one's own in systems.yaml compares. Holm's procedure holds over all of them.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from attnmt.config import DIRECTIONS, Params, TableRow
from attnmt.scoring.published import unprinted_rows
from attnmt.scoring.ranking import best_systems, final_bleu
from attnmt.scoring.score_table import CHOSEN, READINGS, ScoreRow, ScoreTable
from attnmt.scoring.verdicts import ALPHA, adjusted

NOISE = "within noise"


class Comparison(NamedTuple):
    """What is known of one comparison.

    Attributes:
        gain: of the system over the other.
        differ: the parts in which the two differ (:func:`differing`).
        p_holm: p after the control over all comparisons; None if only one of the two has several seeds.
    """

    gain: ScoreRow
    differ: dict[str, tuple[Any, Any]]
    p_holm: float | None

    @property
    def word(self) -> str:
        """Better or worse than the other system, or within noise; not tested if there was no test."""
        if self.p_holm is None:
            return "not tested"
        if self.p_holm > ALPHA:
            return NOISE
        is_higher, is_rate = (self.gain.value or 0.0) > 0, self.gain.metric == "aer"
        return "better" if is_higher != is_rate else "worse"


def comparisons(params: Params, numbers: ScoreTable) -> list[Comparison]:
    """Return all comparisons, measured on the first test set, the main one first.

    The list is empty if the text is not one's own.
    """
    pairs = compared_pairs(params, numbers, params.sets.tests[0])
    found = (numbers.gain(*pair, _reading(pair[0])) for pair in pairs)
    gains = [gain for gain in found if gain]
    tested = [gain for gain in gains if gain.p is not None]
    after_holm = adjusted([gain.p or 0.0 for gain in tested])
    p_holm = dict(zip(tested, after_holm, strict=True))
    return [
        Comparison(one, differing(params, one.system, one.over), p_holm.get(one)) for one in gains
    ]


def _reading(ours: ScoreRow) -> str | None:
    return READINGS[CHOSEN] if ours.metric == "aer" else None


def compared_pairs(
    params: Params, numbers: ScoreTable, test: str
) -> list[tuple[ScoreRow, ScoreRow]]:
    """Return the pairs of numbers whose gain is asked for on one's own text, the second is the base.

    Of two systems, the one that params.yaml names first is the base. Both must have been measured
    against the same references. BLEU is that of what a system writes in the end, and links are read at
    the chosen step.
    """
    pairs: dict[frozenset[str], tuple[ScoreRow, ScoreRow]] = {}
    for one, two, metric in _compared_systems(params, numbers) if params.own_text else ():
        ours, other = (
            numbers.system(name, READINGS[CHOSEN], params.sets.aligned[0])
            if metric == "aer"
            else final_bleu(params, numbers, name, test)
            for name in (one, two)
        )
        if ours and other and ours.reference == other.reference:
            pairs.setdefault(frozenset((one, two, metric)), (ours, other))
    return list(pairs.values())


def _compared_systems(params: Params, numbers: ScoreTable) -> Iterator[tuple[str, str, str]]:
    """Yield two different systems or ensembles, and the metric; a pair may come twice."""
    named = [*(params.systems or ()), *params.systems_and_ensembles]
    runs = {**params.trainings, **params.ensembles}
    systems = sorted(
        params.systems_and_ensembles, key=lambda name: named.index(runs[name].system_name)
    )
    for direction in DIRECTIONS:
        attending, without = best_systems(params, numbers, direction)
        names = [name for name in systems if params.direction(name) == direction]
        for name in sorted(filter(params.attends, names), key=lambda name: name != attending):
            if without:
                yield name, without, "bleu"
        for base, name in combinations(filter(params.trainings.__contains__, names), 2):
            if len(differing(params, name, base)) == 1:
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
    """Return the parts in which two trainings differ, with the values of both; none for ensembles.

    What only one of them can have follows from another part, and does not count: a score from
    attention, a half-width D from a local window.
    """
    if one not in params.trainings or two not in params.trainings:
        return {}
    ours, others = (_parts(params, name) for name in (one, two))
    return {
        part: (value, others[part])
        for part, value in ours.items()
        if part in others and value != others[part]
    }


def _parts(params: Params, name: str) -> dict[str, Any]:
    """Return what a training's model is made of and how it is trained, by name, but for its seed."""
    training, shape = params.training(name), params.shape(name)
    names = ["attention", "reverse", "encoder", "dropout"]
    names += ["score", "input_feeding", "faults"] if training.attention != "none" else []
    parts: dict[str, Any] = {part: getattr(training, part) for part in names}
    if D := params.half_width(name):
        parts["window_D"] = D
    location = {"location_slots"} if training.score != "location" else set()
    parts |= shape.model_dump(exclude={"window_D", *location})
    encoding = params.families[training.family].encoding
    return parts | {"encoding": encoding, "settings": params.settings(name)}
