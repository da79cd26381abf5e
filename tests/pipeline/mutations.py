"""Random changes of code, and which stages they make stale in DVC and in Snakemake.

    pytest tests/pipeline/mutations.py                  30 of each kind, some minutes
    CHANGES=100 SEED=7 pytest tests/pipeline/mutations.py

The coverage tool says which lines a stage executes; it is independent of the code under test. pytest
does not collect this file by itself.
"""

import ast
import os
import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from project import GRU, MEMBERS, Project
from test_truth import stages_of, stale_in_dvc

CHANGES, SEED = int(os.environ.get("CHANGES", "30")), int(os.environ.get("SEED", "2015"))
# Each script with lists of arguments which together run most of its lines.
RUNS = {
    "corpus": [[]],
    "tokens": [[]],
    "encode": [["luong"], ["luong_bpe"], ["course"]],
    "dictionary": [[]],
    "train": [[MEMBERS[0]], [MEMBERS[1]], [GRU]],
    "translate": [[MEMBERS[1]], [GRU], ["ensemble"]],
    "evaluate": [[MEMBERS[1]], [GRU], ["ensemble"]],
    "gather": [[]],
    "report": [[]],
}


@dataclass(frozen=True)
class Change:
    """A file with one statement changed, and the scripts that execute it if the change must count."""

    path: Path
    line: int
    text: str
    scripts: frozenset[str]


@pytest.fixture(scope="module")
def traced(
    built: Project, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[Path, int], set[str]]:
    """The scripts that execute each line, by file and line."""
    copy = built.copy(tmp_path_factory.mktemp("traced") / "copy").hide_mlflow()
    for script, runs in RUNS.items():
        for i, arguments in enumerate(runs):
            data = f"--data-file={script}.{i}.coverage"
            run = [f"stages/{script}.py", "params.yaml", *arguments]
            copy.run("coverage", "run", data, "--source=src/attnmt,stages", *run)
    scripts_of = defaultdict(set)
    for file in copy.folder.glob("*.coverage"):
        for path, line in executed(file):
            scripts_of[Path(path).relative_to(copy.folder), line].add(file.name.partition(".")[0])
    return scripts_of


def executed(data: Path) -> Iterator[tuple[str, int]]:
    """Yield the lines in one of coverage's files."""
    from coverage.numbits import register_sqlite_functions

    with sqlite3.connect(data) as database:
        register_sqlite_functions(database)
        lines = "select path, numbits from line_bits join file on file.id = file_id"
        for path, bits in database.execute(lines):
            for byte, value in enumerate(bits):
                yield from ((path, 8 * byte + bit) for bit in range(8) if value >> bit & 1)


def statements(path: Path) -> list[ast.stmt]:
    """Return a file's statements, without imports and docstrings."""
    return [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom)
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


def spliced(path: Path, node: ast.expr | ast.stmt, new: str) -> str:
    """Return a file's text with a node replaced by ``new``."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[node.end_lineno - 1][node.end_col_offset :] + b"".join(lines[node.end_lineno :])
    return (before + new.encode() + after).decode()


def changed_line(path: Path, node: ast.stmt) -> str | None:
    """Return the text with the first constant, comparison or sum in a statement's line changed."""
    for part in ast.walk(node):
        if getattr(part, "lineno", None) != node.lineno or not isinstance(part, ast.expr):
            continue
        source = ast.get_source_segment(path.read_text(), part) or ""
        if isinstance(part, ast.Constant) and type(part.value) in (int, float, bool):
            new = f"not {source}" if type(part.value) is bool else f"({source} + 1)"
            return spliced(path, part, new)
        if isinstance(part, ast.Compare | ast.Call):
            return spliced(path, part, f"(not {source})")
        if isinstance(part, ast.BinOp):
            return spliced(path, part, f"(-({source}))")
    return None


def indent(path: Path, line: int) -> str:
    text = path.read_text().splitlines()[line - 1]
    return text[: len(text) - len(text.lstrip())]


def idle_change(path: Path, node: ast.stmt, kind: int) -> str | None:
    """Return the text with a comment, an empty line, parentheses or another docstring added."""
    lines = path.read_text().splitlines(keepends=True)
    if kind == 0:
        lines.insert(node.lineno - 1, f"{indent(path, node.lineno)}# One more comment.\n")
        return "".join(lines)
    if kind == 1:
        lines.insert(node.lineno - 1, "\n")
        return "".join(lines)
    if kind == 2 and isinstance(node, ast.Return | ast.Assign) and node.value is not None:
        source = ast.get_source_segment(path.read_text(), node.value)
        return spliced(path, node.value, f"(\n  {source}\n)")
    if kind == 3 and isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
        first = node.body[0]
        assert isinstance(first, ast.Expr)
        return spliced(path, first, '"""Other words."""')
    return None


def parses(text: str | None) -> bool:
    try:
        ast.parse(text or "(")
    except SyntaxError:
        return False
    return True


def idle_changes(folder: Path) -> Iterator[Change]:
    """Yield, without end, random changes that do nothing; the four kinds take turns."""
    chance = random.Random(SEED)
    files = [path.relative_to(folder) for path in sorted(folder.glob("src/attnmt/**/*.py"))]
    yielded = 0
    while True:
        path = chance.choice(files)
        nodes = statements(folder / path)
        if nodes:
            node = chance.choice(nodes)
            text = idle_change(folder / path, node, yielded % 4)
            if parses(text) and not decorated(node):
                yielded += 1
                yield Change(path, node.lineno, str(text), frozenset())


def decorated(node: ast.stmt) -> bool:
    return bool(getattr(node, "decorator_list", []))


def line_changes(folder: Path, traced: dict[tuple[Path, int], set[str]]) -> Iterator[Change]:
    """Yield random changes of lines that some stage executes, without end."""
    chance = random.Random(SEED)
    places = sorted(p for p in traced if p[0].parts[0] == "src" and p[0].suffix == ".py")
    while True:
        path, line = chance.choice(places)
        nodes = [node for node in statements(folder / path) if node.lineno == line]
        text = changed_line(folder / path, nodes[0]) if nodes else None
        if parses(text) and text != (folder / path).read_text():
            yield Change(path, line, str(text), frozenset(traced[path, line]))


def stale(copy: Project, change: Change) -> tuple[set[str], set[str]] | None:
    """Return what a change makes stale in DVC and in Snakemake; None if both fail because of it.

    Some changes break the very code that reads the parameters and the code.
    """
    file = copy.folder / change.path
    before = file.read_bytes()
    file.write_text(change.text)
    os.utime(file, (0, 0))
    try:
        try:
            dvc = stale_in_dvc(copy)
        except AssertionError:
            with pytest.raises(AssertionError):
                copy.plan()
            return None
        return dvc, copy.plan()
    finally:
        file.write_bytes(before)


def test_only_changes_of_executed_lines_make_stages_stale(
    built: Project, traced: dict[tuple[Path, int], set[str]], tmp_path: Path
) -> None:
    copy = built.copy(tmp_path / "copy").hide_mlflow()
    for changes in (line_changes(copy.folder, traced), idle_changes(copy.folder)):
        counted = 0
        for change in changes:
            found = stale(copy, change)
            what = f"{change.path}:{change.line}: executed by {sorted(change.scripts)};"
            if found is None:
                print(what, "ends both engines")
                assert change.scripts
                continue
            dvc, snakemake = found
            print(what, f"stale {sorted({stage.partition('@')[0] for stage in dvc})}")
            assert bool(dvc) == bool(change.scripts)
            assert stages_of(copy, set(change.scripts)) <= dvc
            assert snakemake == copy.following(*dvc)
            counted += 1
            if counted == CHANGES:
                break
