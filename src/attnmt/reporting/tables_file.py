"""``tables.json``, which holds what the page shows of an experiment's tables and samples."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from attnmt.config import Direction
from attnmt.config.strict import Name, Slug
from attnmt.errors import InputError
from attnmt.files.json_file import Count, Record, Text, read_model
from attnmt.files.text_file import write_json
from attnmt.reporting.provenance import facts
from attnmt.reporting.tables import ColumnRole, Table


class ShownColumn(Record):
    """A column; the fields are those of :class:`attnmt.reporting.tables.Column`."""

    key: Text
    heading: str
    numeric: bool
    role: ColumnRole


class ShownRow(Record):
    """A row: its key, its text and sort number by column, and where its numbers come from."""

    key: Text
    cells: Annotated[dict[str, str], Field(min_length=1)]
    sort: dict[str, int | float | None]
    facts: dict[str, str]

    @property
    def models(self) -> list[str]:
        """The models whose numbers it shows; if there are several, they differ only in the seed."""
        return self.facts.get("model", "").split()


class ShownTable(Record):
    """A table; the fields are those of :class:`attnmt.reporting.tables.Table`."""

    name: Name
    short: Text
    about: str
    lead: str
    rest: str
    columns: Annotated[list[ShownColumn], Field(min_length=1)]
    rows: list[ShownRow]

    @property
    def papers(self) -> bool:
        """Whether it has columns of the paper's numbers."""
        return any(column.role == "paper" for column in self.columns)

    @model_validator(mode="after")
    def _every_row_has_every_column(self) -> Self:
        keys = [column.key for column in self.columns]
        for number, row in enumerate(self.rows):
            for key in keys:
                if key not in row.cells or key not in row.sort:
                    raise ValueError(f"row {number} of {self.name} has no {key!r}")
        return self


class SampleText(Record):
    """One form of a sentence.

    ``role`` is ``source``, ``reference``, ``best`` or ``base``. The first two have neither ``system``
    nor ``model``.
    """

    role: Text
    system: str | None
    model: str | None
    text: str


class Sample(Record):
    """A sentence of a test set, ``line`` counted from 0, with its translations."""

    direction: Direction
    set: Name
    line: Count
    texts: list[SampleText]


class TablesFile(Record):
    """The file's content: all tables of one folder, and the samples of Table 5 if there are any."""

    experiment: Slug
    tables: list[ShownTable]
    samples: list[Sample]


def shown(table: Table) -> ShownTable:
    """Return a table as the page shows it."""
    columns = table.columns
    return ShownTable(
        name=table.name,
        short=table.title.short,
        about=table.title.about,
        lead=table.caption.lead,
        rest=table.caption.rest,
        columns=[
            ShownColumn(key=c.key, heading=c.heading, numeric=c.numeric, role=c.role)
            for c in columns
        ],
        rows=[
            ShownRow(
                key=key,
                cells={c.key: c.cells[at] for c in columns},
                sort={c.key: c.sort[at] if c.sort else None for c in columns},
                facts=facts(row),
            )
            for at, (key, row) in enumerate(zip(table.keys, table.rows, strict=True))
        ],
    )


def write_tables_file(
    path: Path, experiment: str, tables: Iterable[Table], samples: Sequence[Sample] = ()
) -> None:
    """Write the file of a folder of tables; the same tables give the same bytes."""
    content = TablesFile(
        experiment=experiment, tables=list(map(shown, tables)), samples=list(samples)
    )
    write_json(path, content.model_dump())


def read_tables(path: Path, experiment: str) -> TablesFile:
    """Read the file of a folder of tables.

    Raises:
        InputError: if it is missing or damaged, or belongs to another experiment.
    """
    again = f"run the stage {'report' if path.parent.name == 'cost' else 'tables'} again"
    file = read_model(path, TablesFile, again)
    if file.experiment != experiment:
        raise InputError(f"{path}: holds tables of experiment {file.experiment!r}; {again}")
    return file
