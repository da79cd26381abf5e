"""Whether systems had learned when their trainings ended, and by which recipe they learn best."""

from statistics import median

from attnmt.config import Params
from attnmt.config.model import Model
from attnmt.reporting.facts import facts
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Line, Numbers
from attnmt.training.curve import STILL_LEARNING

SIGN = "°"  # follows the label of a system that was still learning
FALL = "last tenth, %"
COLUMNS = {"jumps": "jumps", "late_fall": FALL}


def learning_sign(params: Params, numbers: Numbers, system: str | None) -> str:
    """Return what follows the label of a system or an ensemble: ``SIGN`` if it was still learning.

    It was if the development cost fell by more than 2% in the last tenth of the steps, in the median of
    its seeds. An ensemble was if a member was.
    """
    runs = params.runs_of(system)
    members = params.translators(runs[0]).members if runs else []
    for system_of_member in {params.system_of(member) for member in members}:
        lines = [
            numbers.training(seed, "late_fall", params.sets.dev)
            for seed in params.runs_of(system_of_member)
        ]
        falls = [line.value for line in lines if line and line.value is not None]
        if falls and median(falls) > 100 * STILL_LEARNING:
            return SIGN
    return ""


def recipe_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of systems under each recipe; None if the experiment has no other recipes."""
    order = list(params.models)
    systems = [name for name in order if params.system_of(name) == name]
    compared = {model for entries in params.recipes.values() for model in entries}
    rows: dict[str, dict[str, Cell]] = {}
    lines: dict[str, list[Line]] = {}
    for name in sorted(systems, key=lambda name: order.index(params.models[name].entry)):
        model = params.models[name]
        if model.entry in compared:
            rows[name], lines[name] = _cells(params, numbers, name, model)
    if not rows:
        return None
    caption = (
        f"The mean over the seeds of each system under each recipe: perplexity on {params.sets.dev}, "
        "which chooses a recipe; its jumps; by what part its cost fell in the last tenth of its steps. "
        f"{SIGN} marks a fall of more than {STILL_LEARNING:.0%}: the system was still learning."
    )
    frame, formats = table_of(rows, {"rate": Format(3), "ppl, dev": Format(2), "seeds": Format(0)})
    return Table(
        "table_recipes",
        "Recipes",
        caption,
        frame,
        formats,
        facts={name: facts(params, found) for name, found in lines.items()},
        systems={name: name for name in rows},
    )


def _cells(
    params: Params, numbers: Numbers, name: str, model: Model
) -> tuple[dict[str, Cell], list[Line]]:
    recipe, dev = params.recipe(name), params.sets.dev
    test = params.sets.tests[0 if model.direction == "forward" else -1]
    found = {
        "ppl, dev": numbers.system(name, "ppl", dev),
        **{heading: numbers.system(name, metric, dev) for metric, heading in COLUMNS.items()},
        "BLEU": numbers.system(name, "bleu", test, "tokenized", "before"),
    }
    cells: dict[str, Cell] = {
        "system": model.entry + learning_sign(params, numbers, name),
        "recipe": model.recipe or "family",
        "optimizer": recipe.optimizer,
        "rate": recipe.learning_rate,
        "seeds": float(len(params.runs_of(name))),
    }
    cells |= {heading: line.value if line else None for heading, line in found.items()}
    return cells, [line for line in found.values() if line]
