"""Tables inside README.md and the pages of docs/, so that no number there is typed by hand.

A page has two markers around each table: ``<!-- results: demo, multi30k -->`` and
``<!-- /results: demo, multi30k -->``. The first word says what is shown: ``results`` BLEU of Table 1,
``gains`` the same with each gain, and ``claims`` the verdicts on the paper's claims.
"""

import csv
import io
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.claims_table import MEASURES, RANKS
from attnmt.reporting.columns import decimal, signed
from attnmt.reporting.recipes import SIGNS
from attnmt.reporting.render import pipe_table


class Marker(NamedTuple):
    """A marker of a page, such as ``results: demo, multi30k``, and what it asks for.

    Attributes:
        text: what the marker says.
        source: the name of the table that the numbers come from, a CSV file of each report.
        experiments: the experiments that are shown.
        table: makes the table of the page, of the sources by experiment and of the page's folder.
    """

    text: str
    source: str
    experiments: list[str]
    table: Callable[[Mapping[str, str], Path], str]


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
        Marker(text, KINDS[kind][0], names.split(", "), KINDS[kind][1])
        for text, kind, names in MARKER.findall(page)
    ]


def results_table(tables: Mapping[str, str], folder: Path = Path(), *, gains: bool = False) -> str:
    """Return BLEU of Table 1 as Markdown: the paper's, then each experiment's.

    It has the rows in which one of the experiments has a number. The heading of each experiment links to
    its Table 1.

    Args:
        tables: the content of ``reports/<experiment>/tables/table1.csv`` by experiment.
        folder: where the page lies, relative to the project's folder.
        gains: whether each number is followed by its gain in brackets.

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
                raise _unreadable(experiment, "table1", error) from None
    rows = [
        [label, paper, *(bleu[label].get(experiment, "") for experiment in tables)]
        for label, paper in published.items()
        if label in bleu
    ]
    rule = ["---", *["--:"] * (len(tables) + 1)]
    return pipe_table([["BLEU", "paper", *_headings(tables, "table1", folder)], rule, *rows])


def claims_table(tables: Mapping[str, str], folder: Path = Path()) -> str:
    """Return the claims as Markdown: the published size, then each experiment's verdict and size.

    Args:
        tables: the content of ``reports/<experiment>/tables/claims.csv`` by experiment.
        folder: where the page lies, relative to the project's folder.

    Raises:
        InputError: if a file is not a table of claims.
    """
    digits = defaultdict(lambda: 2, [*MEASURES.values(), RANKS])  # reports may have older names
    claims, verdicts = dict[str, list[str]](), dict[str, dict[str, str]]()
    for experiment, text in tables.items():
        for row in csv.DictReader(io.StringIO(text)):
            try:
                sizes = [
                    signed(float(row[key]), digits[row["measure"]]) if row[key] else ""
                    for key in ("paper", "ours")
                ]
                claims.setdefault(row["claim"], [row["measure"], sizes[0]])
                cell = _with_gain(row["verdict"], sizes[1])
                verdicts.setdefault(row["claim"], {})[experiment] = cell
            except (KeyError, ValueError) as error:
                raise _unreadable(experiment, "claims", error) from None
    rows = [
        [claim, *facts, *(verdicts[claim].get(experiment, "") for experiment in tables)]
        for claim, facts in claims.items()
    ]
    rule = ["---", "---", "--:", *["---"] * len(tables)]
    headings = _headings(tables, "claims", folder)
    return pipe_table([["claim", "measure", "paper", *headings], rule, *rows])


KINDS: dict[str, tuple[str, Callable[[Mapping[str, str], Path], str]]] = {
    "results": ("table1", results_table),
    "gains": ("table1", partial(results_table, gains=True)),
    "claims": ("claims", claims_table),
}
MARKER = re.compile(rf"<!-- (({'|'.join(KINDS)}): ([\w-]+(?:, [\w-]+)*)) -->")


def table_file(experiment: str, table: str, suffix: str = ".csv") -> Path:
    """Return where a table of an experiment's report lies."""
    return Layout(experiment).reports / "tables" / f"{table}{suffix}"


def _number(row: Mapping[str, str]) -> str:
    """Return BLEU, followed by the standard deviation between seeds if there are several."""
    deviation = f" ± {decimal(float(row['bleu_sd']), 1)}" if row["bleu_sd"] else ""
    return decimal(float(row["bleu"]), 1) + deviation


def _gain(row: Mapping[str, str]) -> str:
    return signed(float(row["gain"]), 1) if row["gain"] else ""


def _with_gain(number: str, gain: str) -> str:
    return f"{number} ({gain})" if gain else number


def _headings(experiments: Iterable[str], table: str, folder: Path) -> list[str]:
    """Return the name of each experiment as a link from ``folder`` to its table."""
    links = {name: os.path.relpath(table_file(name, table, ".md"), folder) for name in experiments}
    return [f"[{name}]({Path(link).as_posix()})" for name, link in links.items()]


def _unreadable(experiment: str, table: str, error: Exception) -> InputError:
    path = table_file(experiment, table)
    return InputError(f"{path}: not what the stage tables writes ({error}); run it again")
