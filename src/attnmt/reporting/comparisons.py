"""Which system is better on a text of one's own: every comparison with its test, and a headline."""

from attnmt.config import Params
from attnmt.reporting.caveats import POORLY_ALIGNED, notes_of, poorly_aligned
from attnmt.reporting.table import Cell, Format, P, Table, interval_of, table_of
from attnmt.scoring.comparisons import comparisons
from attnmt.scoring.ranking import final_bleu, learning_sign, ranked_systems
from attnmt.scoring.score_table import ScoreTable

CAPTION = (
    "The systems of a pair differ in one part, or only one of the two has attention, or they are the "
    "best of different units. Unknown words are replaced where attention can do that, and Holm's "
    "procedure covers all pairs. Below the baseline is a BLEU that is not surely above that of one "
    "sentence for all lines."
)
GAIN = Format(1, signed=True)
NAMED = 3  # parts in which two systems differ; more are only counted


def comparisons_table(params: Params, numbers: ScoreTable) -> Table:
    """Return every comparison with its test. On a text that is not one's own there is none."""
    pairs = comparisons(params, numbers)
    rows: dict[str, dict[str, Cell]] = {}
    for one in pairs:
        gain, names = one.gain, (str(one.gain.system), str(one.gain.over))
        parts = ", ".join(one.differ).replace("_", " ") or None
        poor = poorly_aligned(params, numbers, gain) if one.word in ("better", "worse") else None
        system, over = (
            name + learning_sign(params, numbers, name) + POORLY_ALIGNED * (name == poor)
            for name in names
        )
        rows[f"{gain.system} over {gain.over}"] = {
            "system": system,
            "over": over,
            "differ in": parts if len(one.differ) <= NAMED else f"{len(one.differ)} parts",
            "gain": gain.value,
            "gain, 95%": interval_of(gain),
            "p": gain.p,
            "p after Holm": one.p_holm,
            "verdict": one.word,
            "seeds": float(gain.trainings or 1),
            "set": gain.set,
            "lines": float(gain.lines or 0),
        }
    formats = dict.fromkeys(("gain", "gain, 95%"), GAIN) | {"p": P, "p after Holm": P}
    formats |= dict.fromkeys(("seeds", "lines"), Format(0))
    notes = notes_of(str(cells[name]) for cells in rows.values() for name in ("system", "over"))
    return table_of("comparisons", "Which is better?", CAPTION, rows, formats, notes)


def headline(params: Params, numbers: ScoreTable) -> str:
    """Return the main comparison, or the best system where nothing is compared, in one sentence.

    The development set chooses the best system. The text is empty if there is no number.
    """
    for one in comparisons(params, numbers)[:1]:
        gain = one.gain
        interval = f" ({GAIN.show(interval_of(gain))})" if gain.low is not None else ""
        size = f"{GAIN.show(gain.value)} BLEU{interval}"
        return f"{gain.system} over {gain.over}: {size} on {gain.set}, {one.word}."
    for name in ranked_systems(params, numbers)[:1]:
        if best := final_bleu(params, numbers, name):
            return (
                f"{name} is the best system, with BLEU {Format().show(best.value)} on {best.set}."
            )
    return ""
