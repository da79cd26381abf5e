"""The table of settings: how each system was trained, and how large it is."""

from attnmt.config import Params
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Numbers


def settings_table(params: Params, _: Numbers) -> Table:
    """Return the settings in which systems differ; the caption has those that all systems share."""
    systems = [name for name in params.models if params.system_of(name) == name]
    values = {name: _values(params, name) for name in systems}
    first = values[systems[0]]
    same = [key for key in first if all(one[key] == first[key] for one in values.values())]
    rows: dict[str, dict[str, Cell]] = {
        name: {
            "system": name,
            **{key: value for key, value in values[name].items() if key not in same},
            "seeds": float(len(params.runs_of(name))),
        }
        for name in systems
    }
    shared = ", ".join(f"{key} {first[key]}" for key in same if first[key] is not None)
    caption = f"What all systems share: {shared}." if shared else "No setting is shared by all."
    notes = {
        "window D": "A local window has 2D + 1 words.",
        "halved after": "The rate is halved every epoch after “halved after”.",
    }
    caption = " ".join(
        [
            caption,
            *(note for key, note in notes.items() if any(one[key] for one in values.values())),
        ]
    )
    return table_of("table_settings", "Settings", caption, rows, {"seeds": Format(0)}, {})


def _values(params: Params, name: str) -> dict[str, str | None]:
    """Return the settings of one system by their names, in the order of the columns."""
    model, shape, recipe = params.model(name), params.shape(name), params.recipe(name)
    encoding = params.families[model.family].encoding
    values = {
        "recipe": model.recipe,
        "optimizer": recipe.optimizer,
        "rate": recipe.learning_rate,
        "epochs": recipe.epochs,
        "halved after": recipe.halve_after,
        "batch": recipe.batch_size,
        "dropout": model.dropout,
        "cell": shape.cell,
        "layers": shape.layers,
        "cells": shape.size,
        "embeddings": shape.embedding_size,
        "vocabulary": encoding.vocabulary,
        "units": "words" if encoding.pieces is None else "parts of words",
        "window D": params.half_width(name),
        "warm-up": recipe.warmup_steps,
        "patience": recipe.patience,
        "averaged": recipe.average_last,
    }
    return {
        key: f"{one:,g}" if isinstance(one, int | float) else one for key, one in values.items()
    }
