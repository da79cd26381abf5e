"""The table of settings: how each system was trained, and how large it is."""

from itertools import chain
from typing import Any

from attnmt.config import Params
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Numbers

# In the order of the columns; the caption names only these, as it must stay short
MAIN = (
    *("recipe", "optimizer", "rate", "epochs", "halved after", "batch", "dropout", "cell"),
    *("layers", "cells", "embeddings", "vocabulary limit", "units", "window D"),
    "patience",
)
HEADINGS = {  # of settings that params.yaml calls otherwise
    "learning_rate": "rate",
    "halve_after": "halved after",
    "batch_size": "batch",
    "size": "cells",
    "embedding": "embeddings",
    "vocabulary": "vocabulary limit",
}


def settings_table(params: Params, _: Numbers) -> Table:
    """Return the settings in which systems differ; the caption has those of MAIN that all share."""
    systems = [name for name in params.models if params.system_of(name) == name]
    values = {name: _values(params, name) for name in systems}
    keys = dict.fromkeys([*MAIN, *chain(*values.values())])  # parts have keys of their own
    found = {key: [one.get(key) for one in values.values()] for key in keys}
    same = [key for key in keys if len(set(found[key])) == 1]
    rows: dict[str, dict[str, Cell]] = {
        name: {
            "system": name,
            **{key: values[name].get(key) for key in keys if key not in same},
            "seeds": float(len(params.runs_of(name))),
        }
        for name in systems
    }
    shared = ", ".join(f"{key} {found[key][0]}" for key in same if key in MAIN and found[key][0])
    caption = f"What all systems share: {shared}." if shared else "No setting is shared by all."
    notes = {
        "window D": "A local window has 2D + 1 words.",
        "halved after": "The rate is halved every epoch after “halved after”, and from one epoch "
        "later on by the schedule “program”.",
    }
    caption = " ".join([caption, *(note for key, note in notes.items() if any(found[key]))])
    return table_of("table_settings", "Settings", caption, rows, {"seeds": Format(0)}, {})


def _values(params: Params, name: str) -> dict[str, str | None]:
    """Return all settings of one system by their names, in the order of the columns."""
    model, shape, recipe = params.model(name), params.shape(name), params.recipe(name)
    encoding = params.families[model.family].encoding
    pieces = encoding.pieces
    values: dict[str, Any] = {
        "recipe": model.recipe,
        "optimizer": recipe.optimizer,
        **recipe.model_dump(),
        "dropout": model.dropout,
        **shape.model_dump(),
        "embedding": shape.embedding_size,
        "window_D": params.half_width(name),
        **encoding.model_dump(exclude={"pieces"}),
        "units": "parts of words" if pieces else "words",
        **(pieces.model_dump() if pieces else {}),
    }
    for part, numbers in model.system.numbers.items():
        values |= {f"{number} of {part}": value for number, value in numbers.items()}
    return {HEADINGS.get(key, key.replace("_", " ")): _text(one) for key, one in values.items()}


def _text(value: str | float | None) -> str | None:
    """Return a setting as a reader sees it; None if it is not given."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
    return value
