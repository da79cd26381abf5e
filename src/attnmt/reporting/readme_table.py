"""Tables inside README.md and the pages of docs/, so that no number there is typed by hand.

A page has two markers around each table: ``<!-- results: demo, multi30k -->`` and
``<!-- /results: demo, multi30k -->``. With ``gains`` in place of ``results``, each number is followed by
its gain.
"""

import csv
import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from attnmt.errors import InputError
from attnmt.reporting.columns import decimal, signed
from attnmt.reporting.recipes import SIGNS
from attnmt.reporting.render import pipe_table

MARKER = re.compile(r"<!-- ((results|gains): ([\w-]+(?:, [\w-]+)*)) -->")


class Marker(NamedTuple):
    """A marker of a page, such as ``results: demo, multi30k``, and what it asks for."""

    text: str
    gains: bool
    experiments: list[str]


def page_with_table(page: str, table: str, marker: str, path: Path = Path("README.md")) -> str:
    """Return ``page`` with ``table`` between ``<!-- marker -->`` and ``<!-- /marker -->``.

    Raises:
        InputError: if the two markers are not there once each, in this order.
    """
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    once = page.count(start) == page.count(end) == 1
    if not once or page.index(start) > page.index(end):
        raise InputError(f"{path}: {start} and, below it, {end} must stand there once each")
    before, rest = page.split(start)
    after = rest.split(end)[1]
    return f"{before}{start}\n{table.strip()}\n{end}{after}"


def markers(page: str) -> list[Marker]:
    """Return every marker of a page."""
    return [
        Marker(text, kind == "gains", names.split(", "))
        for text, kind, names in MARKER.findall(page)
    ]


def results_table(tables: Mapping[str, str], *, gains: bool = False, folder: Path = Path()) -> str:
    """Return BLEU of Table 1 as Markdown: the paper's, then each experiment's.

    It has the rows in which one of the experiments has a number. The heading of each experiment links to
    its Table 1.

    Args:
        tables: the content of ``reports/<experiment>/tables/table1.csv`` by experiment.
        gains: whether each number is followed by its gain in brackets.
        folder: where the page lies, relative to the project's folder.

    Raises:
        InputError: if a file is not a Table 1.
    """
    published, bleu = dict[str, str](), dict[str, dict[str, str]]()
    for experiment, text in tables.items():
        for row in csv.DictReader(io.StringIO(text)):
            try:
                label = row["system"].rstrip(SIGNS)
                gain = row["paper_gain"] if gains else ""
                published.setdefault(label, _with_gain(row["paper_bleu"], gain))
                if row["bleu"]:
                    mark = row["system"].removeprefix(label)
                    number = _with_gain(_number(row), _gain(row) if gains else "")
                    bleu.setdefault(label, {})[experiment] = number + mark
            except (KeyError, ValueError) as error:
                path = _table1(experiment)
                raise InputError(
                    f"{path}: not a Table 1 ({error}); run the stage tables again"
                ) from None
    links = {name: os.path.relpath(_table1(name, ".md"), folder) for name in tables}
    headings = [f"[{name}]({Path(link).as_posix()})" for name, link in links.items()]
    rows = [
        [label, paper, *(bleu[label].get(experiment, "") for experiment in tables)]
        for label, paper in published.items()
        if label in bleu
    ]
    rule = ["---", *["--:"] * (len(tables) + 1)]
    return pipe_table([["BLEU", "paper", *headings], rule, *rows])


def _number(row: Mapping[str, str]) -> str:
    """Return BLEU, followed by the standard deviation between seeds if there are several."""
    deviation = f" ± {decimal(float(row['bleu_sd']), 1)}" if row["bleu_sd"] else ""
    return decimal(float(row["bleu"]), 1) + deviation


def _gain(row: Mapping[str, str]) -> str:
    return signed(float(row["gain"]), 1) if row["gain"] else ""


def _with_gain(number: str, gain: str) -> str:
    return f"{number} ({gain})" if gain else number


def _table1(experiment: str, suffix: str = ".csv") -> str:
    return Path("reports", experiment, "tables/table1").with_suffix(suffix).as_posix()
