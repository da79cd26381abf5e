"""Which system is better on a text of one's own: every comparison with its test, and a headline."""

from collections.abc import Mapping

from attnmt.config import Direction, Params
from attnmt.reporting.caveats import (
    BELOW_BASELINE,
    POORLY_ALIGNED,
    below_baseline,
    notes_of,
    poorly_aligned,
)
from attnmt.reporting.table import Cell, Format, P, Size, Table, interval_of, table_of
from attnmt.scoring.comparisons import Comparison, comparisons
from attnmt.scoring.ranking import final_bleu, ranked_systems
from attnmt.scoring.score_table import ScoreTable

CAPTION = (
    "The systems of a pair differ in one part, or only one of the two has attention. Unknown words are "
    "replaced where attention can do that, and Holm's procedure covers all pairs."
)
DIGITS = {"bleu": 1, "aer": 2}  # decimals of a gain
NO_VERDICT = "no verdict"
Baseline = Mapping[Direction, float]


def comparisons_table(params: Params, numbers: ScoreTable, baseline: Baseline) -> Table:
    """Return every comparison with its test. On a text that is not one's own there is none.

    Args:
        baseline: of :func:`attnmt.reporting.caveats.constant_baseline`.
    """
    pairs = comparisons(params, numbers)
    words = [_verdict(params, numbers, one, baseline) for one in pairs]
    decided = [
        one.gain for one, word in zip(pairs, words, strict=True) if word in ("better", "worse")
    ]
    marks = dict.fromkeys(poorly_aligned(params, numbers, decided), POORLY_ALIGNED)
    rows: dict[str, dict[str, Cell]] = {}
    for one, word in zip(pairs, words, strict=True):
        gain, names = one.gain, (str(one.gain.system), str(one.gain.over))
        system, over = (name + marks.get(name, "") for name in names)
        rows[f"{gain.system} over {gain.over} in {gain.metric}"] = {
            "system": system,
            "over": over,
            "differ in": ", ".join(one.differ).replace("_", " ") or None,
            "measure": gain.metric.upper(),
            "gain": Size(gain.value or 0.0, DIGITS[gain.metric]),
            "gain, 95%": _form(one).show(interval_of(gain)),
            "p": gain.p,
            "p after Holm": one.p_holm,
            "verdict": word,
            "seeds": float(gain.trainings or 1),
            "set": gain.set,
            "lines": float(gain.lines or 0),
        }
    notes = notes_of(marks.values()) + [BELOW_BASELINE] * (NO_VERDICT in words)
    formats = {"p": P, "p after Holm": P, "seeds": Format(0), "lines": Format(0)}
    return table_of("comparisons", "Which is better?", CAPTION, rows, formats, notes)


def headline(params: Params, numbers: ScoreTable, baseline: Baseline) -> str:
    """Return the main comparison, or the best system where nothing is compared, in one sentence.

    The development set chooses the best system. The text is empty if there is no number.
    """
    for one in comparisons(params, numbers)[:1]:
        gain, form = one.gain, _form(one)
        interval = f" ({form.show(interval_of(gain))})" if gain.low is not None else ""
        size = f"{form.show(gain.value)} {gain.metric.upper()}{interval}"
        word = _verdict(params, numbers, one, baseline)
        return f"{gain.system} over {gain.over}: {size} on {gain.set}, {word}."
    for name in ranked_systems(params, numbers)[:1]:
        if best := final_bleu(params, numbers, name):
            return (
                f"{name} is the best system, with BLEU {Format().show(best.value)} on {best.set}."
            )
    return ""


def _verdict(params: Params, numbers: ScoreTable, one: Comparison, baseline: Baseline) -> str:
    is_low = below_baseline(params, numbers, one.gain, baseline)
    return NO_VERDICT if is_low and one.gain.metric == "bleu" else one.word


def _form(one: Comparison) -> Format:
    return Format(DIGITS[one.gain.metric], signed=True)
