"""Sections of docs/results.md, and the tables in ``reports/`` that their sentences are compared with."""

import csv
from collections import Counter
from pathlib import Path

from attnmt.files.text_file import read_text

ROOT = Path(__file__).parents[2]


def section(heading: str) -> str:
    """Return the text below a heading of the third level, in one line."""
    page = read_text(ROOT / "docs/results.md", "utf-8")
    _, found, rest = page.partition(f"\n### {heading}\n")
    assert found, heading
    return " ".join(rest.partition("\n### ")[0].partition("\n## ")[0].split())


def rows(experiment: str, table: str) -> list[dict[str, str]]:
    """Return the rows of ``reports/<experiment>/<table>.csv``."""
    file = ROOT / f"reports/{experiment}/{table}.csv"
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def verdicts(experiment: str) -> dict[str, str]:
    """Return the verdict on each claim, by the claim's key."""
    return {row["key"]: row["verdict"] for row in rows(experiment, "claims")}


def count_of_verdicts(experiment: str) -> str:
    """Build the sentence that docs/results.md must have, from the experiment's table of claims."""
    counts = Counter(verdicts(experiment).values())
    assert counts.keys() - {"described"} == {"confirmed", "refuted", "undecided"}
    confirmed, refuted, undecided = (counts[key] for key in ("confirmed", "refuted", "undecided"))
    described = f" {counts['described']} are only described." if counts["described"] else ""
    return (
        f"Of {counts.total()} claims, {confirmed} are confirmed, {refuted} refuted and {undecided} "
        f"undecided.{described}"
    )
