"""The rooms of the library: imports go one way, and no two files need each other."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
LIBRARY = SOURCE / "attnmt"
# Every room imports only from those before it. A sentence passes through the rooms from corpora to
# reporting; packing, tracking and planning stand beside its way.
ROOMS = (
    "errors", "first_import", "files", "layout", "config",
    "corpora", "text", "model", "training", "decoding", "scoring", "reporting",
    "packing", "library", "tracking", "planning", "program", "workflow", "commands", "cli", "__main__",
)  # fmt: skip


def name_of(path: Path) -> str:
    """Return the dotted name of a module or a package."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(LIBRARY.rglob("*.py"))}


def room_of(module: str) -> str:
    """Return the room in which a module lies; a module at the root is a room by itself."""
    return module.split(".")[1]


def named(text: str) -> set[str]:
    """Return the module that a dotted name means, which may be the name of something in a module."""
    while text and text not in MODULES:
        text = text.rpartition(".")[0]
    return {text} - {"", "attnmt"}


def imports(tree: ast.AST) -> set[str]:
    """Return the modules of the library that code imports, by a statement or by their names.

    A text that is a module's name counts, because ``importlib`` and the like take one.
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {module for alias in node.names for module in named(alias.name)}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole module"
            found |= {m for a in node.names for m in named(f"{node.module}.{a.name}")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value} & MODULES.keys() - {"attnmt"}
    return found


# This module only names these, to leave them out.
NAMED = {"attnmt.workflow.dependencies": set(MODULES)}
IMPORTS = {
    name: imports(ast.parse(path.read_text())) - {name} - NAMED.get(name, set())
    for name, path in MODULES.items()
}


def test_every_room_has_its_place():
    assert {room_of(module) for module in MODULES.keys() - {"attnmt"}} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_those_before_it(room):
    before = ROOMS[: ROOMS.index(room) + 1]
    wrong = {
        f"{module} imports {imported}"
        for module in IMPORTS.keys() - {"attnmt"}
        for imported in IMPORTS[module]
        if room_of(module) == room and room_of(imported) not in before
    }
    assert wrong == set()


def test_the_stage_translate_imports_no_room_after_decoding():
    """So a line of scoring makes no translation stale."""
    modules = imports(ast.parse((SOURCE.parent / "stages/translate.py").read_text()))
    rooms = {"workflow", *ROOMS[: ROOMS.index("decoding") + 1]}
    assert {room_of(module) for module in modules} <= rooms


def test_no_two_files_import_each_other():
    """Nor do three or more in a ring; ``prepare`` raises an error that shows it."""
    TopologicalSorter(IMPORTS).prepare()
