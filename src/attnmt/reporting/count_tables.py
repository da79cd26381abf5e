"""The tables of counts: unknown words, and the cost of training."""

from collections.abc import Iterable, Mapping
from statistics import mean

from attnmt.config import Params
from attnmt.reporting.rows import seeds_of
from attnmt.reporting.table import Cell, Format, Table, table_of, value_of
from attnmt.scoring.score_table import ScoreRow, ScoreTable
from attnmt.training.provenance import Provenance

UNKNOWN = {
    "unknown": "unknown words",
    "replaced": "replaced",
    "right": "right",
    "repeated": "repeats a neighbor",
    "copied": "copied",
    "copied_right": "copied, right",
}
WHOLES = {"right": "replaced", "repeated": "replaced", "copied_right": "copied"}
UNKNOWN_CAPTION = (
    "The words of the references that the vocabulary lacks, and the words that replaced <unk>. A "
    "replacement is right if it is an unknown word of its reference; a copied one also stands in the "
    "source. Systems that write another language, read lower case or cut long sentences have other "
    "unknown words."
)
COSTS = {
    "parameters": "parameters",
    "steps": "batches",
    "target_words": "target words",
    "epochs": "epochs",
    "jumps": "jumps",
    "late_fall": "last tenth, %",
}
MEASURED = {
    "seconds": "seconds",
    "target_words_per_second": "target words/s",
    "peak_memory_mb": "peak memory, MB",
}
COST_CAPTION = (
    "“jumps” counts those of the development cost, and “last tenth” is by what part it fell in the last "
    "tenth of the steps. Where runs.csv has them, seconds, words a second and memory are means over the "
    "trainings. Memory is the most that the process held, or that torch allocated on a GPU."
)
WHOLE = Format(0)
Counts = dict[str, dict[str, ScoreRow]]  # the lines of each system, by metric


def unknown_table(params: Params, numbers: ScoreTable) -> Table:
    """Return the table of the first test set, for all systems with attention that read words."""
    test = params.sets.tests[0]
    of_test = (line for line in numbers.lines if line.kind == "system" and line.set == test)
    rows: dict[str, dict[str, Cell]] = {}
    for name, lines in _counts(of_test, UNKNOWN).items():
        rows[name] = {"system": name, "seeds": seeds_of(params, name)}
        for metric, heading in UNKNOWN.items():
            rows[name][heading] = _mean(lines[metric])
            if metric in WHOLES:
                value, whole = lines[metric].value, lines[WHOLES[metric]].value
                rows[name][f"{heading}, %"] = 100 * (value or 0.0) / whole if whole else None
        first = lines["unknown"]
        rows[name] |= {"set": test, "lines": float(first.lines or 0)}
    formats = dict.fromkeys(["seeds", "lines", *UNKNOWN.values()], WHOLE)
    return table_of("table_unknown", "Unknown words", UNKNOWN_CAPTION, rows, formats)


def cost_table(params: Params, numbers: ScoreTable, runs: Iterable[Provenance] = ()) -> Table:
    """Return the table of what trainings cost, by system."""
    by_model = {run.model: run for run in runs}
    of_systems = (line for line in numbers.lines if line.kind == "system")
    rows: dict[str, dict[str, Cell]] = {}
    for name, lines in _counts(of_systems, COSTS).items():
        if "steps" in lines:
            rows[name] = {"system": name, "seeds": seeds_of(params, name)}
            rows[name] |= {heading: _mean(lines.get(metric)) for metric, heading in COSTS.items()}
            own = [by_model[model] for model in params.runs_of(name) if model in by_model]
            for metric, heading in MEASURED.items() if own else ():
                rows[name][heading] = mean(getattr(run, metric) for run in own)
            machines = dict.fromkeys(f"{run.device}, {run.threads} thread(s)" for run in own)
            rows[name]["machine"] = ", ".join(machines) or None
    formats = dict.fromkeys(["seeds", *COSTS.values(), *MEASURED.values()], WHOLE)
    for in_parts in ("jumps", "late_fall"):
        del formats[COSTS[in_parts]]
    return table_of("table_cost", "Cost of training", COST_CAPTION, rows, formats)


def _counts(lines: Iterable[ScoreRow], headings: Mapping[str, str]) -> Counts:
    """Return the lines of some metrics by their system and by their metric."""
    counts: Counts = {}
    for line in lines:
        if line.metric in headings:
            counts.setdefault(str(line.system), {})[line.metric] = line
    return counts


def _mean(line: ScoreRow | None) -> Cell:
    """Return a mean over seeds with its deviation; without it where all seeds have the same number."""
    return line.value if line and not line.sd else value_of(line)
