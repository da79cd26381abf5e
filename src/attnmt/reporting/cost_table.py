"""What each training of an experiment took: the table of costs."""

from attnmt.config import Params
from attnmt.reporting.facts import facts
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Line, Numbers

HEADINGS = {  # the costs with their headings and the decimals shown
    "parameters": ("parameters", 0),
    "steps": ("batches", 0),
    "target_words": ("target words", 0),
    "minutes": ("minutes", 1),
    "target_words_per_second": ("target words/s", 0),
    "peak_memory_mb": ("peak memory, MB", 0),
}


def cost_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of all trainings. Unlike the others, it differs after every training."""
    by_model: dict[str, dict[str, Line]] = {}
    for line in numbers.lines:
        if line.kind == "training" and line.metric in HEADINGS and line.model:
            by_model.setdefault(line.model, {})[line.metric] = line
    if not by_model:
        return None
    machines = {line.signature for costs in by_model.values() for line in costs.values()}
    rows: dict[str, dict[str, Cell]] = {
        name: {
            "model": name,
            **{HEADINGS[metric][0]: line.value for metric, line in costs.items()},
            "machine": costs["minutes"].signature if len(machines) > 1 else None,
        }
        for name, costs in by_model.items()
    }
    frame, formats = table_of(
        rows, {heading: Format(digits) for heading, digits in HEADINGS.values()}
    )
    hours = sum(costs["minutes"].value or 0.0 for costs in by_model.values()) / 60
    count = "One training" if len(rows) == 1 else f"{len(rows)} trainings"
    where = f" ({machines.pop()})" if len(machines) == 1 else ""
    return Table(
        "table_cost",
        "Cost of training",
        f"{count}{where} took {hours:.1f} hours in all, evaluations included. Memory is the most that "
        "the process held, or on a GPU the most that torch allocated there.",
        frame,
        formats,
        facts={name: facts(params, list(costs.values())) for name, costs in by_model.items()},
        systems={name: name for name in rows},
    )
