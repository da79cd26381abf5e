"""Tables inside README.md, between markers, so that no number there is typed by hand."""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

from attnmt.errors import InputError
from attnmt.reporting.columns import decimal
from attnmt.reporting.recipes import SIGNS
from attnmt.reporting.render import pipe_table

MARKER = re.compile(r"<!-- (results: (\w+(?:, \w+)*)) -->")


def readme_with_table(readme: str, table: str, marker: str) -> str:
    """Return ``readme`` with ``table`` between ``<!-- marker -->`` and ``<!-- /marker -->``.

    Raises:
        InputError: if the two markers are not there once each, in this order.
    """
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    once = readme.count(start) == readme.count(end) == 1
    if not once or readme.index(start) > readme.index(end):
        raise InputError(f"README.md: {start} and, below it, {end} must stand there once each")
    before, rest = readme.split(start)
    after = rest.split(end)[1]
    return f"{before}{start}\n{table.strip()}\n{end}{after}"


def markers(readme: str) -> list[tuple[str, list[str]]]:
    """Return every marker of results and the experiments that it names.

    The marker in ``<!-- results: demo, multi30k -->`` is ``results: demo, multi30k``. It names the
    experiments demo and multi30k.
    """
    return [(marker, names.split(", ")) for marker, names in MARKER.findall(readme)]


def results_table(tables: Mapping[str, str]) -> str:
    """Return BLEU of Table 1 as Markdown: the paper's, then each experiment's.

    It has the rows in which one of the experiments has a number. The heading of each experiment links to
    its Table 1.

    Args:
        tables: the content of ``reports/<experiment>/tables/table1.csv`` by experiment.

    Raises:
        InputError: if a file is not a Table 1.
    """
    published, bleu = dict[str, str](), dict[str, dict[str, str]]()
    for experiment, text in tables.items():
        for row in csv.DictReader(io.StringIO(text)):
            try:
                label = row["system"].rstrip(SIGNS)
                published.setdefault(label, row["paper_bleu"])
                if row["bleu"]:
                    mark = row["system"].removeprefix(label)
                    bleu.setdefault(label, {})[experiment] = _number(row) + mark
            except (KeyError, ValueError) as error:
                path = _table1(experiment)
                raise InputError(
                    f"{path}: not a Table 1 ({error}); run the stage tables again"
                ) from None
    headings = [f"[{experiment}]({_table1(experiment, '.md')})" for experiment in tables]
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


def _table1(experiment: str, suffix: str = ".csv") -> str:
    return Path("reports", experiment, "tables/table1").with_suffix(suffix).as_posix()
