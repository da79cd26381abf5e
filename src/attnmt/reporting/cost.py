"""What each training of an experiment took: the table of costs."""

from math import prod
from pathlib import Path
from typing import Any

from attnmt.config import Params
from attnmt.layout import Layout
from attnmt.model.trained import read_history, read_metrics, read_provenance
from attnmt.model.weights import opened
from attnmt.reporting.columns import filled, number_column, text_column
from attnmt.reporting.provenance import DIGEST_DIGITS, short_commits
from attnmt.reporting.tables import Table

NUMBERS = {  # the columns of numbers with their headings and the decimals shown
    "parameters": ("parameters", 0),
    "steps": ("batches", 0),
    "target_words": ("target words", 0),
    "minutes": ("minutes", 1),
    "target_words_per_second": ("target words/s", 0),
    "peak_memory_mb": ("peak memory, MB", 0),
}
MACHINE = ("device", "threads", "torch")
TIME = (
    "Time counts training and the evaluations of the held-out sets; target words are those trained "
    "on, </s> counted."
)
MEMORY = "Memory is the most that the process held, on a GPU the most that torch allocated there."
CHANGES = "Alone among the tables, this one is another after every training."


def cost_table(params: Params) -> Table:
    """Return the table of all models.

    Raises:
        InputError: if the files of a training are missing or damaged.
    """
    rows = [_row(params, name) for name in params.models]
    same = [key for key in MACHINE if len({row[key] for row in rows}) == 1]
    columns = [text_column("system", "model", rows)]
    columns += [number_column(key, text, rows, digits) for key, (text, digits) in NUMBERS.items()]
    columns += [text_column(key, key, rows) for key in MACHINE if key not in same]
    title = f"Cost of training, experiment {params.experiment}"
    return Table("table_cost", title, _caption(rows, same), filled(columns), rows)


def _row(params: Params, name: str) -> dict[str, Any]:
    folder = Layout(params.experiment).model(name)
    trained = read_provenance(folder)
    machine = {"device": trained.device, "threads": trained.threads, "torch": trained.torch}
    return {
        "system": name,
        "parameters": _parameters(folder / "weights.safetensors"),
        "steps": read_metrics(folder).steps,
        "target_words": int(read_history(folder, "target_words")[-1]["target_words"]),
        "minutes": round(trained.seconds / 60, 2),
        "target_words_per_second": trained.target_words_per_second,
        "peak_memory_mb": trained.peak_memory_mb,
        **{key: machine[key] for key in MACHINE},
        "model": name,
        "files": folder.as_posix(),
        "seeds": str(trained.seed),
        "family": trained.family,
        "direction": params.models[name].direction,
        "stage": "train",
        "dataset_digest": trained.dataset_digest[:DIGEST_DIGITS],
        "fingerprint": trained.fingerprint,
        "started": trained.started,
        "commit": short_commits(trained.commits),
        "code": trained.code,
    }


def _parameters(path: Path) -> int:
    """Return the number of weights, from the file's header."""
    with opened(path, "numpy") as (file, _):
        return sum(prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118


def _caption(rows: list[dict[str, Any]], same: list[str]) -> str:
    hours = sum(row["minutes"] for row in rows) / 60
    machine = {key: rows[0][key] for key in same}
    threads = machine.get("threads")
    parts = [
        machine.get("device"),
        threads and f"{threads} {'thread' if threads == 1 else 'threads'}",
        f"torch {machine['torch']}" if "torch" in machine else None,
    ]
    where = ", ".join(part for part in parts if part)
    on = f" on {where}" if where else ""
    count = "One training" if len(rows) == 1 else f"{len(rows)} trainings"
    notes = (
        [TIME, MEMORY, CHANGES] if any(row["peak_memory_mb"] for row in rows) else [TIME, CHANGES]
    )
    return " ".join([f"{count}{on}: {hours:.1f} hours, one after another.", *notes])
