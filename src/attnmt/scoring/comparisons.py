"""The comparisons of a report on one's own text: which of two systems is better.

The best system with attention is compared with the best one without, and every two systems that differ
in one part with each other. Holm's procedure holds over all of them.
"""

from itertools import combinations
from typing import Any, NamedTuple

from attnmt.config import DIRECTIONS, Params, System
from attnmt.scoring.constant_baseline import is_above_constant
from attnmt.scoring.ranking import final_bleu, ranked_by_units, with_and_without
from attnmt.scoring.score_table import ScoreRow, ScoreTable
from attnmt.scoring.verdicts import ALPHA, BELOW_BASELINE, NOT_TESTED, adjusted

NOISE = "within noise"
Pair = tuple[ScoreRow, ScoreRow]


class Comparison(NamedTuple):
    """What is known of one comparison.

    Attributes:
        gain: of the system over the other, in BLEU of what they write in the end.
        differ: the parts in which the two differ (:func:`differing`).
        is_above: whether both are above the constant baseline.
        p_holm: p after the control over all comparisons; None if only one of the two has several seeds.
    """

    gain: ScoreRow
    differ: dict[str, tuple[Any, Any]]
    is_above: bool
    p_holm: float | None

    @property
    def word(self) -> str:
        """Better or worse than the other system, or why neither can be said."""
        if not self.is_above:
            return BELOW_BASELINE
        if self.p_holm is None:
            return NOT_TESTED
        if self.p_holm > ALPHA:
            return NOISE
        return "better" if (self.gain.value or 0.0) > 0 else "worse"


def comparisons(params: Params, numbers: ScoreTable) -> list[Comparison]:
    """Return all comparisons, measured on the first test set, the main one first.

    The list is empty if the text is not one's own.
    """
    test = params.sets.tests[0]
    gains = [
        gain for pair in compared_pairs(params, numbers, test) if (gain := numbers.gain(*pair))
    ]
    tested = [gain for gain in gains if gain.p is not None]
    after_holm = adjusted([gain.p or 0.0 for gain in tested])
    p_holm = dict(zip(tested, after_holm, strict=True))
    return [
        Comparison(
            gain=one,
            differ=differing(params, one.system, one.over),
            is_above=all(
                is_above_constant(params, numbers, name, test) for name in (one.system, one.over)
            ),
            p_holm=p_holm.get(one),
        )
        for one in gains
    ]


def compared_pairs(params: Params, numbers: ScoreTable, test: str) -> list[Pair]:
    """Return the pairs of BLEU whose gain is asked for on one's own text; the second is the base.

    Both are of what the systems write in the end. They must have been measured against the same
    references.
    """
    return [
        (ours, other)
        for one, two in _compared_systems(params, numbers)
        if (ours := final_bleu(params, numbers, one, test))
        and (other := final_bleu(params, numbers, two, test))
        and ours.reference == other.reference
    ]


def _compared_systems(params: Params, numbers: ScoreTable) -> list[tuple[str, str]]:
    """Return pairs of systems, the main one first; the second of a pair is the base.

    Of two that differ in one part it is the one that params.yaml names first. The best one on the units
    of the system that is named first of all is compared with the best ones on other units.
    """
    if not params.own_text:
        return []
    named = [*(params.systems or ()), *params.systems_and_ensembles]
    systems = [name for name in params.systems_and_ensembles if name in params.trainings]
    systems.sort(key=lambda name: named.index(params.training(name).system_name))
    pairs = []
    for direction in DIRECTIONS:
        groups = [group for group in ranked_by_units(params, numbers, direction) if group]
        for at, group in enumerate(groups):
            if at > 0:
                pairs.append((groups[0][0], group[0]))
            one, two = with_and_without(params, group)
            if one and two:
                pairs.append((one, two))
    for base, name in combinations(systems, 2):
        alike = params.direction(base) == params.direction(name)
        if alike and len(differing(params, name, base)) == 1:
            pairs.append((name, base))
    # The main pair may differ in one part, too.
    return [pair for at, pair in enumerate(pairs) if {*pair} not in map(set, pairs[:at])]


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
    left_out = {"direction", "window_D"}
    if training.attention == "none":
        left_out |= {"score", "input_feeding", "faults"}
    names = [name for name in System.model_fields if name not in left_out]
    parts: dict[str, Any] = {name: getattr(training, name) for name in names}
    if D := params.half_width(name):
        parts["window_D"] = D
    location = {"location_slots"} if training.score != "location" else set()
    parts |= shape.model_dump(exclude={"window_D", *location})
    encoding = params.families[training.family].encoding
    return parts | {"encoding": encoding, "settings": params.settings(name)}
