"""The rooms of the library: imports go one way."""

import ast
import sys
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[2] / "src/attnmt"
# Every room imports only from those before it. A sentence passes through the rooms from corpora to
# reporting; serving, tracking and planning stand beside its way.
ROOMS = (
    "errors", "files", "layout", "config",
    "corpora", "text", "model", "training", "decoding", "scoring", "reporting",
    "serving", "tracking", "planning", "workflow", "commands", "cli",
)  # fmt: skip
MODULES = sorted(path for path in LIBRARY.rglob("*.py") if path != LIBRARY / "__init__.py")


def room_of(path: Path) -> str:
    """Return the room in which a module lies; a module at the root is a room by itself."""
    return path.relative_to(LIBRARY).with_suffix("").parts[0]


def test_every_room_has_its_place() -> None:
    assert {room_of(path) for path in MODULES} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_those_before_it(room: str) -> None:
    before = {"attnmt", *ROOMS[: ROOMS.index(room) + 1]}
    for path in MODULES:
        if room_of(path) == room:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("attnmt."):
                    assert str(node.module).split(".")[1] in before, f"{path}: {node.module}"


def test_no_module_is_named_like_one_of_pythons() -> None:
    """A file of stages/ would replace Python's module, because its folder is searched first."""
    stages = {path.stem for path in (LIBRARY.parents[1] / "stages").glob("*.py")}
    assert not stages & set(sys.stdlib_module_names)
