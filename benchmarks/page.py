"""Where results lie, and how they get into benchmarks/README.md and other pages.

Each kind of results (``cpu``, ``gpu``) has a file for every machine.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attnmt.files.text_file import read_json, read_text, write_text
from attnmt.reporting.readme_table import page_with_table

PAGE = Path(__file__).with_name("README.md")
RESULTS = PAGE.with_name("results")


def results_file(kind: str, machine: str, folder: Path | None = None) -> Path:
    """Return the file of a machine's results, in a folder or among those that the page shows."""
    name = re.sub(r"[^a-z0-9]+", "-", machine.lower()).strip("-")
    return (folder or RESULTS) / f"{kind}-{name}.json"


def put_into_page(
    kind: str, render: Callable[[Mapping[str, Any]], str], page: Path | None = None
) -> None:
    """Put all machines' results of a kind between the lines ``results:<kind>`` of README or a page."""
    page = page or PAGE
    tables = [render(read_json(path)) for path in sorted(RESULTS.glob(f"{kind}-*.json"))]
    text = "\n\n".join(tables) or "There are no results yet."
    write_text(page, page_with_table(read_text(page, "utf-8"), text, f"results:{kind}", page))


def commit(machine: Mapping[str, Any]) -> str:
    """Return the commit that results are from, in words."""
    digest, changes, _ = machine["git_commit"].partition("-dirty")
    return f"commit {digest[:10]}" + " with changes" * bool(changes)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a table in Markdown; its first ``texts`` columns are aligned left, the others right."""
    aligned = ["---"] * texts + ["--:"] * (len(header) - texts)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, aligned, *rows))
