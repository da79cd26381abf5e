"""Faults of two sides that only all lines show: one text on both, or columns with both in a file."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from attnmt.errors import InputError
from attnmt.files.text_file import command_for, iter_lines

MOST_EQUAL = 0.5  # of the lines; if more are equal, one text was given twice
MOST_TABS = 0.9  # of the lines; if more have a tab, they are columns
SHOWN = 30  # characters of a column in a message


class SideFaults:
    """Counts such lines, to judge when all were seen."""

    def __init__(self, sides: Mapping[str, Path]) -> None:
        """Take the files of source and target by the codes of their languages."""
        self._sides = sides
        self._lines = 0
        self._equal: list[int] = []  # the numbers of the lines
        self._tabs: dict[str, list[int]] = {code: [] for code in sides}

    def add(self, number: int, texts: Mapping[str, str]) -> None:
        """Look at the texts of a line."""
        stripped = {code: texts[code].strip() for code in self._sides}
        written = set(stripped.values()) - {""}
        self._lines += bool(written)
        if len(written) == 1 and all(stripped.values()):
            self._equal.append(number)
        for code, text in stripped.items():
            if "\t" in text:
                self._tabs[code].append(number)

    def refuse(self) -> None:
        """Raise an InputError if there are too many such lines."""
        for code, path in self._sides.items():
            if len(self._tabs[code]) > MOST_TABS * self._lines:
                raise InputError(self._columns(path, code, self._tabs[code][0]))
        if len(self._equal) > MOST_EQUAL * self._lines:
            source, target = self._sides.values()
            raise InputError(
                f"{source}:{self._equal[0]}: {len(self._equal):,} of {self._lines:,} lines are the same "
                f"in {target}; give a text and its translation"
            )

    def _columns(self, path: Path, code: str, number: int) -> str:
        line = next(islice(iter_lines(path), number - 1, None))
        columns = enumerate(line.split("\t"), start=1)
        shown = "; ".join(f"{n}: {text[:SHOWN]!r}" for n, text in columns)
        stem = path.name.removesuffix(".gz").removesuffix(f".{code}").removesuffix(".tsv")
        commands = (
            command_for(f"cut -f{n}", path, path.with_name(f"{stem}.columns.{side}"))
            for n, side in enumerate(self._sides, start=1)
        )
        return (
            f"{path}:{number}: nearly all lines have tabs, so they are columns ({shown}); give each "
            f"side as a file of its own. If the sides are columns 1 and 2: {'; '.join(commands)}"
        )
