"""Everything that README, CONTRIBUTING and docs/ name exists.

These are links, paths, targets of make, modules, commands and options.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from attnmt.cli import app
from attnmt.config import DEMO
from attnmt.scoring.numbers import read_numbers

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
# Paths of files that git has; <name>, * and {a, b} stand for several.
PATH = re.compile(r"(?<![\w/.-])(?:src/attnmt|stages|docs|tests|profiles|benchmarks)/[\w./-]*\w")
CODE = re.compile(r"^```\w*\n(?s:.*?)^```$|^ {4}.*$|`[^`\n]+`", re.MULTILINE)
COMMAND = re.compile(r"(?:^|[\s`$;(])(make|attnmt) ([^|;&`#\n]+)", re.MULTILINE)
OWN = {
    "stages/frequent.py",
    "src/attnmt/reporting/chrf_table.py",
    "src/attnmt/training/features/plateau.py",
}  # of recipes in docs/extending.md
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


@pytest.mark.parametrize("number", [0, 1])
def test_an_example_of_pandas_runs(number, tmp_path, monkeypatch, capsys):
    (tmp_path / "reports").symlink_to(ROOT / "reports")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/report.md").read_text(encoding="utf-8")
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number], {})
    table, picture = capsys.readouterr().out, tmp_path / "lengths.svg"
    assert "local_p_general_feed" in table if number == 0 else picture.stat().st_size > 10_000


@pages
def test_every_link_leads_somewhere(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pages
def test_every_path_exists(page):
    for path in set(PATH.findall(page.read_text(encoding="utf-8"))) - OWN:
        assert (ROOT / path).exists(), path


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


def test_the_tour_ends_with_the_row_and_the_scores_of_the_report_in_git():
    tour = (ROOT / "docs/tour.md").read_text(encoding="utf-8")
    table = (ROOT / "reports/demo/tables/table1.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| local-p.*unk replace.*$", table, re.MULTILINE)
    assert f"    {row}\n" in tour
    numbers = read_numbers(DEMO, ROOT)
    for kind in ("before", "after"):
        line = numbers.system("local_p_general_feed", "bleu", "test1", "tokenized", kind)
        assert line is not None
        cells = (kind, *(f"{value:.4f}" for value in (line.value, line.low, line.high)))
        assert re.search(r" +".join(map(re.escape, cells)), tour)


def test_the_graph_of_stages_is_that_of_dvc_yaml():
    page = (ROOT / "docs/running.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^    (\w+) --> (\w+)$", page, re.MULTILINE))
    graph = pytest.importorskip(
        "attnmt.workflow.graph", reason="DVC, of the extra 'workflow', is missing"
    )
    stages = [s for s in graph.read_stages("demo", ROOT) if s.name != "code"]
    makers = {output: s.name.partition("@")[0] for s in stages for output in s.outputs}
    before: dict[str, set[str]] = {name: set() for name in makers.values()}
    for stage in stages:
        name = stage.name.partition("@")[0]
        before[name] |= {makers[path] for path in stage.inputs if path in makers} - {name}

    def all_before(name: str) -> set[str]:
        return before[name].union(*map(all_before, before[name]))

    needed = {
        (first, second)
        for second, firsts in before.items()
        for first in firsts
        if not any(first in all_before(other) for other in firsts)
    }
    assert drawn == needed
