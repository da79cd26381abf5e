"""The tables of counts: unknown words, dictionaries, the cost of training; and the table of recipes."""

from collections.abc import Iterable, Mapping

from attnmt.config import Params
from attnmt.config.trainings import FAMILY
from attnmt.reporting.facts import facts, value_of
from attnmt.reporting.table import Cell, Format, Table, hours_of, table_of
from attnmt.scoring.numbers import Line, Numbers
from attnmt.scoring.ranking import LEARNING, learning_sign
from attnmt.training.curve import STILL_LEARNING

UNKNOWN = {
    "unknown": "unknown words",
    "replaced": "replaced",
    "right": "right",
    "repeated": "repeats a neighbor",
    "copied": "copied",
    "copied_right": "copied, right",
}
WHOLES = {"right": "replaced", "repeated": "replaced", "copied_right": "copied"}
ENTRIES = {
    "entries": "source words",
    "outside": "outside the vocabulary",
    "translated_outside": "translation outside",
}
LEARNED = {"jumps": "jumps", "late_fall": "last tenth, %"}
COSTS = {
    "parameters": "parameters",
    "steps": "batches",
    "target_words": "target words",
    **LEARNED,
    "minutes": "minutes",
    "target_words_per_second": "target words/s",
    "peak_memory_mb": "peak memory, MB",
}
WHOLE = Format(0)
Counts = dict[str, dict[str, Line]]  # the lines of each row, by metric


def unknown_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table on the first test set; None if no system that reads words has attention."""
    test = params.sets.tests[0]
    of_test = (line for line in numbers.lines if line.kind == "system" and line.set == test)
    counts = _counts(of_test, UNKNOWN, "system")
    if not counts:
        return None
    rows: dict[str, dict[str, Cell]] = {}
    for name, lines in counts.items():
        several = len(params.runs_of(name)) > 1
        rows[name] = {
            "system": name,
            "seeds": float(len(params.runs_of(name))) if several else None,
        }
        for metric, heading in UNKNOWN.items():
            rows[name][heading] = _mean(lines[metric])
            if metric in WHOLES:
                value, whole = lines[metric].value, lines[WHOLES[metric]].value
                rows[name][f"{heading}, %"] = 100 * (value or 0.0) / whole if whole else None
    first = next(iter(counts.values()))["unknown"]
    caption = (
        f"The table counts the words of the references of {test} ({first.lines:,} sentences) that the "
        "vocabulary lacks, and the words that replaced <unk>. A replacement is right if it is an "
        "unknown word of its reference; a copied one also stands in the source. Known words "
        "may raise BLEU, but never count as right."
    )
    if any(row["seeds"] for row in rows.values()):
        caption += " Counts are means over seeds, ±."
    formats = dict.fromkeys(["seeds", *UNKNOWN.values()], WHOLE)
    cards = _cards(params, counts)
    return table_of("table_unknown", "Unknown words", caption, rows, formats, cards)


def dictionary_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of both dictionaries, for each family that reads words."""
    of_systems = (line for line in numbers.lines if line.kind == "system")
    counts = _counts(of_systems, ENTRIES, "direction", "family")
    if not counts:
        return None
    rows: dict[str, dict[str, Cell]] = {}
    for key, lines in counts.items():
        first = next(iter(lines.values()))
        title = params.languages.title(first.direction or "forward")
        rows[key] = {"dictionary": title, "family": first.family, **_values(lines, ENTRIES)}
    caption = (
        f"How many source words each dictionary holds ({first.signature}), and how many of them, or "
        "of their best translations, are outside the vocabulary. Copying apart, only such translations "
        "bring a word that the vocabulary lacks."
    )
    formats = dict.fromkeys(ENTRIES.values(), WHOLE)
    name, title = "table_dictionary", "Dictionaries for unknown words"
    return table_of(name, title, caption, rows, formats, _cards(params, counts))


def cost_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of what trainings cost, by system. It differs after every training."""
    trainings = [line for line in numbers.lines if line.metric == "minutes" and line.model]
    of_systems = (line for line in numbers.lines if line.kind == "system")
    counts = _counts(of_systems, COSTS, "system")
    counts = {name: lines for name, lines in counts.items() if "minutes" in lines}
    if not counts:
        return None
    machines = {str(line.signature): None for line in trainings}
    rows: dict[str, dict[str, Cell]] = {}
    for name, lines in counts.items():
        own = {str(line.signature): None for line in trainings if line.system == name}
        rows[name] = {
            "system": name,
            "seeds": float(len(params.runs_of(name))),
            **{heading: _mean(lines.get(metric)) for metric, heading in COSTS.items()},
            "machine": ", ".join(own) if len(machines) > 1 else None,
        }
    spent = hours_of(sum(line.value or 0.0 for line in trainings))
    count = "One training" if len(trainings) == 1 else f"{len(trainings)} trainings"
    where = f" ({', '.join(machines)})" if len(machines) == 1 else ""
    means = " (means over seeds, ±)" if len(trainings) > len(counts) else ""
    caption = (
        f"{count}{where} took {spent} in all, evaluations included{means}. The table counts jumps of "
        "the development cost, and says by what part it fell in the last tenth of the steps. Memory is "
        "the most that the process held, or on a GPU the most that torch allocated there."
    )
    formats = dict.fromkeys(["seeds", *COSTS.values()], WHOLE)
    for in_parts in ("minutes", *LEARNED.values()):
        del formats[in_parts]
    cards = _cards(params, counts)
    return table_of("table_cost", "Cost of training", caption, rows, formats, cards)


def recipe_table(params: Params, numbers: Numbers) -> Table | None:
    """Return the table of systems under each recipe; None if the experiment has no other recipes."""
    order, dev = list(params.models), params.sets.dev
    systems = [name for name in order if params.system_of(name) == name]
    others = (entries for name, entries in params.recipes.items() if name != FAMILY)
    compared = {model for entries in others for model in entries}
    rows: dict[str, dict[str, Cell]] = {}
    cards: dict[str, dict[str, str]] = {}
    for name in sorted(systems, key=lambda name: order.index(params.models[name].entry)):
        model, recipe = params.models[name], params.recipe(name)
        if model.entry not in compared:
            continue
        test = params.sets.tests[0 if model.direction == "forward" else -1]
        found = {
            "ppl, dev": numbers.system(name, "ppl", dev),
            **{heading: numbers.system(name, metric, dev) for metric, heading in LEARNED.items()},
            "BLEU": numbers.system(name, "bleu", test, "tokenized", "before"),
        }
        rows[name] = {
            "system": model.entry + learning_sign(params, numbers, name),
            "recipe": model.recipe or FAMILY,
            "optimizer": recipe.optimizer,
            "rate": recipe.learning_rate,
            "seeds": float(len(params.runs_of(name))),
            **{heading: line.value if line else None for heading, line in found.items()},
            "set": test,
        }
        cards[name] = facts(params, filter(None, found.values()))
    if not rows:
        return None
    caption = (
        f"Means over seeds: perplexity on {dev}, which chooses a recipe; jumps; by what part the cost "
        f"fell in the last tenth of the steps ({LEARNING}: by more than {STILL_LEARNING:.0%}, still "
        f"learning). BLEU is on the tokens of the system's family, before unknown words are replaced."
    )
    formats = {"rate": Format(3), "ppl, dev": Format(2), "seeds": WHOLE}
    return table_of("table_recipes", "Recipes", caption, rows, formats, cards)


def _counts(lines: Iterable[Line], headings: Mapping[str, str], *fields: str) -> Counts:
    """Return the lines of some metrics by their row, which some fields name, and by their metric."""
    counts: Counts = {}
    for line in lines:
        if line.metric in headings:
            row = " ".join(str(getattr(line, field)) for field in fields)
            counts.setdefault(row, {})[line.metric] = line
    return counts


def _values(lines: Mapping[str, Line], headings: Mapping[str, str]) -> dict[str, Cell]:
    return {heading: lines[metric].value for metric, heading in headings.items() if metric in lines}


def _mean(line: Line | None) -> Cell:
    """Return a mean over seeds with its deviation; without it where all seeds have the same number."""
    return line.value if line and not line.sd else value_of(line)


def _cards(params: Params, counts: Counts) -> dict[str, dict[str, str]]:
    return {row: facts(params, lines.values()) for row, lines in counts.items()}
