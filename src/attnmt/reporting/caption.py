"""The caption of a table: first how to read it, then what its numbers are."""

from collections.abc import Collection, Mapping, Sequence

from attnmt.config import DIAGONAL, Direction, Params
from attnmt.reporting.lines import Compared
from attnmt.reporting.paper import paper_set
from attnmt.reporting.recipes import marks
from attnmt.reporting.tables import METRICS, SUBWORDS, Caption, Cell, TableSpec, Title

LANGUAGES: dict[Direction, str] = {"en-de": "English-German", "de-en": "German-English"}
LINKED = (
    "AER is of force-decoded references. Each German word is linked to the English word that has the "
    "largest attention weight at one step. As in the authors' program, that is the step after the word "
    "(its input is the word) for content scores and for ensembles with one. For location and the GRU it "
    "is the step that predicts the word."
)
READINGS = (
    "The columns same step and next step show both readings for every system. The diagonal is no "
    "model: it links each German word to the English word at the same position, or to the last one."
)
REPLACED = (
    "An unknown word is replaced by way of its attention weights, at the same step or at the next. "
    "For each system we take the step that restores more of the unknown words in the development set's "
    "references."
)
OWN = (
    "A row that the paper does not have is our own. Its verdict is whether it is higher or lower than "
    "the row that it is compared with."
)
Rows = Sequence[Compared]
Conditions = Mapping[str, Cell]  # by columns of the CSV file


def title(params: Params, spec: TableSpec, rows: Rows) -> Title:
    """Return what a table is, as "Table 1, English-German, experiment demo"."""
    direction = next(one.direction for row in rows for one in row.line.scores)
    return Title(spec.title, LANGUAGES[direction], params.experiment)


def caption(
    params: Params, spec: TableSpec, rows: Rows, common: Conditions, papers_text: bool
) -> Caption:
    """Return what follows the title.

    Args:
        params: of the experiment.
        spec: of the table.
        rows: of the table; in one at least there is a number of ours.
        common: the conditions under which all of ours were scored.
        papers_text: whether ours were measured on the paper's own set.
    """
    lead = [_measured(spec, rows, common), _text(spec, rows, papers_text)]
    parts = [
        _gain(spec, rows),
        _verdict(spec, rows, papers_text),
        OWN if spec.published and _any_own(rows) else "",
        spec.note,
    ]
    if len(spec.scripts) == 1:
        parts.append(_bleu(params, spec, rows))
    parts += (
        [LINKED] * _any(rows, "aer")
        + [READINGS] * spec.readings
        + [REPLACED] * _any(rows, "reading")
    )
    parts += _systems(rows)
    parts += marks(params, [row.line.row.model for row in rows]).notes.values()
    if spec.published:
        source = next(row.line.row.source for row in rows if row.line.row.source)
        parts.append(f"Paper: {source}, {paper_set(spec.name)}.")
    if len(spec.scripts) == 1:
        parts.append(f"Signature: {common['signature']}.")
    return Caption(*(" ".join(part for part in half if part) for half in (lead, parts)))


def _any(rows: Rows, column: str) -> bool:
    return any(row.cells.get(column) is not None for row in rows)


def _measured(spec: TableSpec, rows: Rows, common: Conditions) -> str:
    """Say what was measured on what."""
    parts = []
    seeds = seed_words({row.line.seeds for row in rows if row.line.seeds})
    if spec.has_bleu:
        what = (
            "BLEU is on" if len(spec.scripts) == 1 else "The same translations scored in five ways:"
        )
        about = [f"{common['lines']} sentences", *seeds, f"beam {common['beam']}"]
        parts.append(f"{what} {common['set']} ({', '.join(about)})")
    if _any(rows, "aer"):
        about = [f"{common['aligned_lines']} sentences"] + ([] if spec.has_bleu else seeds)
        gold = f"{common['sure']:,} sure and {common['possible']:,} possible gold links"
        parts.append(f"AER is on {common['aligned_set']} ({', '.join(about)}; {gold})")
    brackets = " in brackets" if spec.inside else ""
    return f"{'; '.join(parts)}, with 95% bootstrap intervals{brackets}."


def seed_words(seeds: Collection[Sequence[str]]) -> list[str]:
    """Return in words the seeds that systems have, each different choice given once; none of none."""
    if len(seeds) > 1:
        return ["means over a model's seeds"]
    return [f"{'mean of seeds' if len(one) > 1 else 'seed'} {', '.join(one)}" for one in seeds]


def _text(spec: TableSpec, rows: Rows, papers_text: bool) -> str:
    """Say whether ours compare with the paper's numbers."""
    if not spec.published or papers_text:
        return ""
    if not _any(rows, "gain"):
        return "Our text is not the paper's: the numbers do not compare."
    return "Our text is not the paper's: compare gains, not numbers."


def _any_own(rows: Rows) -> bool:
    """Say if a row is neither the paper's nor the diagonal."""
    return any(not row.line.row.source and row.line.row.model != DIAGONAL for row in rows)


def _gain(spec: TableSpec, rows: Rows) -> str:
    """Say what stands in brackets, and what p is a test of."""
    if not _any(rows, "gain"):
        return ""
    over = "by the replacement" if spec.gain_from else "over the system in the column gain over"
    below = ", below 0 being better" if spec.judged == "aer" else ""
    return f"In brackets the gain {over}{below}; p is that gain's, by approximate randomization."


def _verdict(spec: TableSpec, rows: Rows, papers_text: bool) -> str:
    """Say what a verdict is, and a difference where it is shown."""
    if spec.judged is None or not _any(rows, "verdict"):
        return ""
    judged, noise = METRICS[spec.judged].heading, "within noise where p is 0.05 or more"
    if not spec.published:
        than = "words" if spec.name == SUBWORDS.name else "without fault"
        return f"Verdict: {judged} higher or lower than {than}; {noise}."
    if papers_text:
        return (
            f"Difference: ours less the paper's. Verdict: whether the paper's {judged} lies in our "
            "interval, or ours is higher or lower."
        )
    return f"Verdict: whether a gain has the paper's sign; {noise}."


def _bleu(params: Params, spec: TableSpec, rows: Rows) -> str:
    encoding = params.families[next(one.family for row in rows for one in row.line.scores)].encoding
    nist = spec.script_of("bleu") == "nist"
    text = "detokenized text (mteval-v13a)" if nist else "Moses tokens (multi-bleu)"
    case = "lower-cased" if encoding.lowercase else "case kept"
    cut = f", the last {encoding.length} words of a sentence" if encoding.length else ""
    return f"BLEU takes {text}, {case}{cut}."


def _systems(rows: Rows) -> list[str]:
    """Say what is special about a system."""
    parts = [
        f"For the {row.line.row.system} stands {system.name}."
        for row in rows
        for system in row.line.systems
        if system.stage == "dictionary"
    ]
    averages = [one.average for row in rows for one in row.line.scores if one.average]
    parts += [f"The ensemble averages {average}." for average in averages]
    if any(_any(rows, f"{metric}_sd") for metric in METRICS):
        parts.append(
            "With several seeds a number and the bounds of its interval are means, ± is the "
            "deviation between seeds, and p the largest of the pairs of seeds."
        )
    if not all(row.line.systems for row in rows):
        parts.append("Rows without a number of ours: systems that this experiment does not train.")
    return list(dict.fromkeys(parts))
