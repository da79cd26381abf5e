"""``tables.json``, what the page shows of an experiment's tables, read strictly."""

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from attnmt.config.strict import Name
from attnmt.errors import InputError
from attnmt.json_file import Record, Text, read_model


class _Column(Record):
    key: Text
    heading: str
    numeric: bool


class _Row(Record):
    cells: Annotated[dict[str, str], Field(min_length=1)]
    sort: dict[str, int | float | None]
    facts: dict[str, str]


class _Table(Record):
    name: Name
    title: Text
    caption: str
    columns: Annotated[list[_Column], Field(min_length=1)]
    rows: list[_Row]

    @model_validator(mode="after")
    def _every_row_has_every_column(self) -> Self:
        keys = [column.key for column in self.columns]
        for number, row in enumerate(self.rows):
            for key in keys:
                if key not in row.cells or key not in row.sort:
                    raise ValueError(f"row {number} of {self.name} has no {key!r}")
        return self


class _TablesFile(Record):
    experiment: Name
    tables: list[_Table]


def read_tables(path: Path, experiment: str) -> list[dict[str, Any]]:
    """Return the tables of a file of an experiment.

    Raises:
        InputError: if it is missing or damaged, or is of another experiment.
    """
    again = f"run the stage {'report' if path.parent.name == 'cost' else 'tables'} again"
    found = read_model(path, _TablesFile, again)
    if found.experiment != experiment:
        raise InputError(f"{path}: holds tables of experiment {found.experiment!r}; {again}")
    return [table.model_dump() for table in found.tables]
