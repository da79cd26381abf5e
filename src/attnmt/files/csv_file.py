"""CSV files whose lines are pydantic models: one column for each field, an empty cell for None."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from attnmt.errors import InputError
from attnmt.files.json_file import checked
from attnmt.files.text_file import read_text, write_text


class CsvLine(BaseModel):
    """A line of a CSV file that a stage wrote. Cells are text, so numbers are read from text."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


AnyLine = TypeVar("AnyLine", bound=CsvLine)


def write_csv(path: Path, kind: type[AnyLine], lines: Iterable[AnyLine]) -> None:
    """Write the lines below the names of their fields. The same lines give the same bytes."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(kind.model_fields), lineterminator="\n")
    writer.writeheader()
    writer.writerows(line.model_dump() for line in lines)
    write_text(path, stream.getvalue())


def read_csv(path: Path, kind: type[AnyLine], cure: str) -> list[AnyLine]:
    """Read what :func:`write_csv` wrote; ``cure`` says what a person is to do about a fault.

    Raises:
        InputError: if the file is missing or damaged; it names the line and the column.
    """
    columns = list(kind.model_fields)
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header, *rows = list(reader) or [[]]
    except csv.Error as error:  # such as a quotation mark that nothing closes
        raise InputError(f"{path}:{reader.line_num}: {error}; {cure}") from None
    if header != columns:
        raise InputError(f"{path}:1: the columns must be {', '.join(columns)}; {cure}")
    lines = []
    for number, cells in enumerate(rows, start=2):
        if len(cells) != len(columns):
            found = f"{len(cells)} cells in {len(columns)} columns"
            raise InputError(f"{path}:{number}: {found}; {cure}")
        values = {key: cell or None for key, cell in zip(columns, cells, strict=True)}
        lines.append(checked(values, kind, f"{path}:{number}", cure))
    return lines
