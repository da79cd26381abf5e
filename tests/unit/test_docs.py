"""What README, CONTRIBUTING and docs/ name exists: links, targets of make, commands and options.

README's table of results has the numbers of the reports.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from attnmt.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```\w*\n(?s:.*?)^```$|^ {4}.*$|`[^`\n]+`", re.MULTILINE)
COMMAND = re.compile(r"(?:^|[\s`$;(])(make|attnmt) ([^|;&`#\n]+)", re.MULTILINE)
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def commands(page: Path, program: str) -> Iterator[list[str]]:
    """Yield the words that follow ``make`` or ``attnmt`` in the code of a page."""
    for code in CODE.findall(page.read_text(encoding="utf-8")):
        for found, words in COMMAND.findall(code):
            if found == program:
                yield re.sub(r'"[^"]*"', "text", words).split()


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pages
def test_every_link_leads_somewhere(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pages
def test_every_target_of_make_exists(page):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for words in commands(page, "make"):
        assert words[0] in targets, words


@pages
def test_every_subcommand_and_option_exists(page):
    subcommands: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
    for name, *arguments in commands(page, "attnmt"):
        assert name in subcommands, name
        known = {option for each in subcommands[name].params for option in each.opts}
        for argument in arguments:
            assert not argument.startswith("-") or argument in {*known, "--help"}, (name, argument)


def test_readme_has_the_numbers_of_the_reports():
    """Of Table 1: the paper's BLEU, the demo's, and captions' mean and standard deviation."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [
        line.strip("| ").split(" | ")
        for line in readme.partition("| BLEU | paper |")[2].splitlines()
    ]
    shown = {label: cells for label, *cells in rows[2:10]}
    tables = yaml.safe_load((ROOT / "systems.yaml").read_text(encoding="utf-8"))["tables"]
    expected = {}
    for key, row in tables["table1"]["rows"].items():
        if "system" in row:
            kind, label = "after" if row.get("replaced") else "before", row["label"].format(size=8)
            asked = {"system": row["system"], "replacement": kind}
            paper = _bleu("demo", {"row": f"table1/{key}", "replacement": kind})
            expected[label] = [paper, *(_bleu(name, asked | OURS) for name in ("demo", "captions"))]
    assert {
        label: [cell.strip("°†") for cell in cells] for label, cells in shown.items()
    } == expected


OURS = {"source": "ours", "kind": "system"}


def _bleu(experiment: str, asked: dict[str, str]) -> str:
    """Return BLEU on the first test set as README writes it."""
    asked |= {"metric": "bleu", "script": "tokenized", "max_words": "", "over": ""}
    path = ROOT / f"reports/{experiment}/scores.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        line = next(line for line in csv.DictReader(stream) if asked.items() <= line.items())
    spread = f" ± {float(line['sd']):.1f}" if line["sd"] else ""
    return f"{float(line['value']):.1f}{spread}"
