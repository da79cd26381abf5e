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
from attnmt.reporting.caveats import notes_of
from attnmt.reporting.claims_table import UNREGISTERED, verdict_with_sizes
from attnmt.reporting.score_tables import BLEU, scores_of
from attnmt.reporting.table import Format, pipe_table, signed, value_of
from attnmt.scoring.claim_lines import by_claim, read_claims, there
from attnmt.scoring.numbers import read_numbers


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
    to its Table 1.

    Args:
        folder: where the page lies, relative to the project's folder.
    """
    rows: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        params = load_params(params_file(experiment))
        scores = scores_of(params, read_numbers(experiment), "table1")
        for row in scores.rows.values():
            if bleu := Format().show(value_of(scores.ours(row, BLEU))):
                paper = Format().show(value_of(scores.printed(row, BLEU)))
                cells = rows.setdefault(row.label, {"paper": paper})
                cells[experiment] = bleu + scores.label(row).removeprefix(row.label)
    lines = [
        [label, *(cells.get(key, "") for key in ("paper", *experiments))]
        for label, cells in rows.items()
    ]
    rule = ["---", *["--:"] * (len(experiments) + 1)]
    headings = ["BLEU", "paper", *_headings(experiments, "table1", folder)]
    notes = notes_of(cell for line in lines for cell in line[1:])
    return pipe_table([headings, rule, *lines]) + "".join(f"\n{note}\n" for note in notes)


def verdicts_table(experiments: Sequence[str], folder: Path = Path()) -> str:
    """Return the claims as Markdown: the published effect, then each experiment's verdict and effects.

    The first effect is by the recipe of the systems' family. Those by other recipes follow, each after
    the name of its recipe. The verdict on the other test set follows where it is another one.

    Args:
        folder: where the page lies, relative to the project's folder.
    """
    rows: dict[str, list[str]] = {}
    verdicts: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        for claim in by_claim(read_claims(experiment)):
            one = claim[0]
            paper = "" if one.paper is None else signed(one.paper, one.digits)
            rows.setdefault(one.key, [one.marked, one.measure, paper])
            cell = verdict_with_sizes(claim)
            if one.other_verdict not in (None, one.verdict):
                cell += f"; on {one.other_set} {verdict_with_sizes(there(claim))}"
            cell += "" if one.registered else " ⁿ"
            verdicts.setdefault(one.key, {})[experiment] = cell
    lines = [
        [*cells, *(verdicts[key].get(experiment, "") for experiment in experiments)]
        for key, cells in rows.items()
    ]
    rule = ["---", "---", "--:", *["---"] * len(experiments)]
    headings = ["claim", "measure", "paper", *_headings(experiments, "claims", folder)]
    return pipe_table([headings, rule, *lines]) + _note(lines, "ⁿ", UNREGISTERED)


KINDS: dict[str, Callable[[Sequence[str], Path], str]] = {
    "results": results_table,
    "claims": verdicts_table,
}
MARKER = re.compile(rf"<!-- (({'|'.join(KINDS)}): ([\w-]+(?:, [\w-]+)*)) -->")


def _note(lines: Sequence[Sequence[str]], sign: str, meaning: str) -> str:
    """Return a line that explains a sign, to stand below the table; empty if no cell has the sign."""
    return f"\n{sign} {meaning}\n" if any(sign in cell for cells in lines for cell in cells) else ""


def _headings(experiments: Iterable[str], table: str, folder: Path) -> list[str]:
    """Return the name of each experiment as a link from ``folder`` to its table."""
    files = {name: Layout(name).reports / "tables" / f"{table}.md" for name in experiments}
    links = {name: Path(os.path.relpath(file, folder)).as_posix() for name, file in files.items()}
    return [f"[{name}]({link})" for name, link in links.items()]
