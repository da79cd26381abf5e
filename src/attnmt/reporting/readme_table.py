"""Fills the tables between markers in README.md and the pages of docs/.

A page has two markers around each table: ``<!-- results: demo, multi30k -->`` and
``<!-- /results: demo, multi30k -->``. The first word says what is shown: ``results`` shows BLEU of
Table 1, and ``claims`` shows the verdicts on the paper's claims. The words after the
colon are experiments. An InputError names a file of numbers that is missing or damaged.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from attnmt.config import load_params, params_file
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.claims_table import verdict_with_size
from attnmt.reporting.facts import value_of
from attnmt.reporting.rows import SIGNS, Row
from attnmt.reporting.score_tables import Scores
from attnmt.reporting.specs import BLEU, TABLE1
from attnmt.reporting.table import Format, pipe_table, signed
from attnmt.scoring.claim_lines import read_claims
from attnmt.scoring.numbers import read_numbers
from attnmt.scoring.ranking import LEARNING

OTHER_RECIPE = "These systems have another recipe than most of their experiment."
STILL_LEARNED = "These systems were still learning when their training ended."


def filled_page(page: str, path: Path = Path("README.md")) -> str:
    """Return ``page`` with each table between its two markers.

    Raises:
        InputError: if there is no marker; if the two of a table are not there once each, the first
            above the second; or if a file of numbers is missing or damaged.
    """
    if not (found := MARKER.findall(page)):
        raise InputError(
            f"{path}: no marker to fill; write <!-- results: demo --><!-- /results: demo --> where "
            f"the table belongs"
        )
    for marker, kind, names in found:
        page = page_with_table(page, KINDS[kind](names.split(", "), path.parent), marker, path)
    return page


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


def results_table(experiments: Sequence[str], folder: Path = Path()) -> str:
    """Return BLEU of Table 1 as Markdown: the paper's, then each experiment's.

    It has the rows in which at least one experiment has a number. The heading of each experiment links
    to its Table 1. The first number is by the recipe of the system's family. Those by other recipes
    follow, each after the name of its recipe.

    Args:
        folder: where the page lies, relative to the project's folder.
    """
    rows: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        params = load_params(params_file(experiment))
        scores = Scores(params, read_numbers(experiment), TABLE1)
        for row in scores.rows.values():
            if ours := _bleu(scores, row):
                paper = Format().show(value_of(scores.printed(row, BLEU)))
                others = [
                    f"{recipe} {bleu}"
                    for recipe, other in scores.by_recipes(row).items()
                    if (bleu := _bleu(scores, other))
                ]
                cells = rows.setdefault(row.label, {"paper": paper})
                cells[experiment] = ", ".join([ours + row.mark, *others])
    lines = [
        [label, *(cells.get(key, "") for key in ("paper", *experiments))]
        for label, cells in rows.items()
    ]
    rule = ["---", *["--:"] * (len(experiments) + 1)]
    headings = ["BLEU", "paper", *_headings(experiments, "table1", folder)]
    table = pipe_table([headings, rule, *lines])
    notes = {sign: OTHER_RECIPE for sign in SIGNS} | {LEARNING: STILL_LEARNED}
    return table + "".join(_note(lines, sign, meaning) for sign, meaning in notes.items())


def verdicts_table(experiments: Sequence[str], folder: Path = Path()) -> str:
    """Return the claims as Markdown: the published effect, then each experiment's verdict and effect.

    Args:
        folder: where the page lies, relative to the project's folder.
    """
    rows: dict[str, list[str]] = {}
    verdicts: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        for one in read_claims(experiment):
            paper = "" if one.paper is None else signed(one.paper, one.digits)
            rows.setdefault(one.key, [one.claim, one.measure, paper])
            verdicts.setdefault(one.key, {})[experiment] = verdict_with_size(one)
    lines = [
        [*cells, *(verdicts[key].get(experiment, "") for experiment in experiments)]
        for key, cells in rows.items()
    ]
    rule = ["---", "---", "--:", *["---"] * len(experiments)]
    headings = ["claim", "measure", "paper", *_headings(experiments, "claims", folder)]
    return pipe_table([headings, rule, *lines])


KINDS: dict[str, Callable[[Sequence[str], Path], str]] = {
    "results": results_table,
    "claims": verdicts_table,
}
MARKER = re.compile(rf"<!-- (({'|'.join(KINDS)}): ([\w-]+(?:, [\w-]+)*)) -->")


def _bleu(scores: Scores, row: Row) -> str:
    """Return BLEU of a row; empty if there is none."""
    bleu = Format(BLEU.digits).show(value_of(scores.ours(row, BLEU)))
    return bleu and bleu + scores.sign(row)


def _note(lines: Sequence[Sequence[str]], sign: str, meaning: str) -> str:
    """Return a line that explains a sign, to stand below the table; empty if no cell has the sign."""
    return f"\n{sign} {meaning}\n" if any(sign in cell for cells in lines for cell in cells) else ""


def _headings(experiments: Iterable[str], table: str, folder: Path) -> list[str]:
    """Return the name of each experiment as a link from ``folder`` to its table."""
    files = {name: Layout(name).reports / "tables" / f"{table}.md" for name in experiments}
    links = {name: Path(os.path.relpath(file, folder)).as_posix() for name, file in files.items()}
    return [f"[{name}]({link})" for name, link in links.items()]
