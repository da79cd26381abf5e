"""What each training of an experiment took: the table of costs."""

from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path

from attnmt.config import Direction, Params
from attnmt.layout import Layout
from attnmt.reporting.columns import filled, number_column, text_column
from attnmt.reporting.provenance import DIGEST_DIGITS, short_commits
from attnmt.reporting.tables import Caption, Table, Title
from attnmt.training.trained import (
    opened_weights,
    read_history,
    read_metrics,
    read_provenance,
)

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
    "Time includes the evaluations of the held-out sets. Target words are counted over the whole "
    "training, with </s>."
)
MEMORY = (
    "Memory is the most that the process held. On a GPU it is the most that torch allocated there."
)
CHANGES = "Unlike the other tables, this one differs after every training."


@dataclass(frozen=True)
class Cost:
    """A row of the CSV file: what one training took, and which model it trained.

    ``parameters`` counts weights and ``steps`` counts batches. ``target_words`` counts the words of the
    whole training.
    """

    system: str
    parameters: int
    steps: int
    target_words: int
    minutes: float
    target_words_per_second: float
    peak_memory_mb: int | None
    device: str
    threads: int
    torch: str
    model: str
    files: str
    seeds: str
    family: str
    direction: Direction
    stage: str
    dataset_digest: str
    fingerprint: str
    started: str
    commit: str
    code: str


def cost_table(params: Params) -> Table:
    """Return the table of all models.

    Raises:
        InputError: if the files of a training are missing or damaged.
    """
    rows = [_row(params, name) for name in params.models]
    common = [key for key in MACHINE if len({getattr(row, key) for row in rows}) == 1]
    columns = [text_column("system", "model", [row.system for row in rows], "name")]
    columns += [
        number_column(key, text, [getattr(row, key) for row in rows], digits)
        for key, (text, digits) in NUMBERS.items()
    ]
    columns += [
        text_column(key, key, [str(getattr(row, key)) for row in rows])
        for key in MACHINE
        if key not in common
    ]
    title = Title("Cost of training", "", params.experiment)
    cells, keys = [asdict(row) for row in rows], [row.model for row in rows]
    return Table("table_cost", title, _caption(rows, common), filled(columns), cells, keys)


def _row(params: Params, name: str) -> Cost:
    folder = Layout(params.experiment).model(name)
    trained = read_provenance(folder)
    return Cost(
        system=name,
        parameters=_parameters(folder / "weights.safetensors"),
        steps=read_metrics(folder).steps,
        target_words=int(read_history(folder, "target_words")[-1]["target_words"]),
        minutes=round(trained.seconds / 60, 2),
        target_words_per_second=trained.target_words_per_second,
        peak_memory_mb=trained.peak_memory_mb,
        device=trained.device,
        threads=trained.threads,
        torch=trained.torch,
        model=name,
        files=folder.as_posix(),
        seeds=str(trained.seed),
        family=trained.family,
        direction=params.models[name].direction,
        stage="train",
        dataset_digest=trained.dataset_digest[:DIGEST_DIGITS],
        fingerprint=trained.fingerprint,
        started=trained.started,
        commit=short_commits(trained.commits),
        code=trained.code,
    )


def _parameters(path: Path) -> int:
    """Return the number of weights, from the file's header."""
    with opened_weights(path, "numpy") as (file, _):
        return sum(prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118


def _caption(rows: list[Cost], common: list[str]) -> Caption:
    hours = sum(row.minutes for row in rows) / 60
    machine = {key: getattr(rows[0], key) for key in common}
    threads = machine.get("threads")
    parts = [
        machine.get("device"),
        threads and f"{threads} {'thread' if threads == 1 else 'threads'}",
        f"torch {machine['torch']}" if "torch" in machine else None,
    ]
    known = ", ".join(part for part in parts if part)
    where = f" ({known})" if known else ""
    count = "One training" if len(rows) == 1 else f"{len(rows)} trainings"
    memory = f"{MEMORY} " if any(row.peak_memory_mb for row in rows) else ""
    return Caption(f"{count}{where} took {hours:.1f} hours in all. {TIME}", f"{memory}{CHANGES}")
