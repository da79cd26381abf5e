"""Which definitions a stage reaches, and which changes to them count."""

import ast
from pathlib import Path

import pytest
from fresh_code import fresh_code

from attnmt.errors import InputError
from attnmt.workflow import reached
from attnmt.workflow.code import code_of, digest_of
from attnmt.workflow.definitions import PLAIN
from attnmt.workflow.reached import Reached

ROOT = Path(__file__).parents[2]
FILES = {
    "stages/work.py": '"""Work."""\nfrom attnmt.first import f\n\n\ndef main():\n    f()\n',
    "src/attnmt/__init__.py": '"""A package."""\n',
    "src/attnmt/first.py": "def f():\n    from attnmt.room import second\n\n"
    "    return f'{second.g(second.C()):>{3}}'\n",
    "src/attnmt/room/__init__.py": "",
    "src/attnmt/room/second.py": """
import json
from attnmt.room import third
from attnmt.files import atomic

TABLE = "words.tsv"
UNUSED = 1


def g(c):
    atomic.write(TABLE)
    return c.used + 1  # more


def h(x: int) -> int:
    return x


class C(third.B):
    field: int = 0

    @property
    def used(self):
        return UNKNOWN

    def never(self):
        return h(1)
""",
    "src/attnmt/room/third.py": """
class B:
    def used(self):
        return kept()

    def __init__(self):
        pass


def kept():
    return PARTS


class Known:
    def __init_subclass__(cls):
        PARTS.append(cls)


PARTS = []


class Dot(Known):
    name = "dot"


class General(Dot):
    name = "general"


print("loaded")
if __name__ == "__main__":
    print("not loaded")
""",
    "src/attnmt/room/tables/words.tsv": "a\tb\n",
    "src/attnmt/room/tables/other.tsv": "a\tb\n",
    "src/attnmt/files/__init__.py": "",
    "src/attnmt/files/atomic.py": "def write(name):\n    return name\n",
    "src/attnmt/config/__init__.py": "",
}
SECOND, THIRD, WORDS = "attnmt.room.second", "attnmt.room.third", "attnmt/room/tables/words.tsv"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a small package in place of ours, and a stage that uses some of it."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(reached, "SOURCE", tmp_path / "src/attnmt")
    monkeypatch.chdir(tmp_path)
    fresh_code()
    return tmp_path


def digests(project: Path, *parts: str) -> dict[str, str]:
    fresh_code()
    return code_of(project / "stages/work.py", parts=frozenset(parts))


def test_what_is_mentioned_counts(project: Path) -> None:
    found = Reached(project / "stages/work.py")
    assert {module: {*names} for module, names in found.digests.items()} == {
        str(project / "stages/work.py"): {"main"},
        "attnmt.first": {"f"},
        SECOND: {"TABLE", "g", "C", "C.used"},
        THIRD: {"B", "B.used", "B.__init__", "kept", "PARTS", ""},
    }
    assert list(found.data) == [WORDS]


def test_a_part_counts_where_a_system_names_it(project: Path) -> None:
    common = Reached(project / "stages/work.py").digests[THIRD].keys()
    own = Reached(project / "stages/work.py", parts=["dot"]).digests[THIRD].keys()
    assert own - common == {"Known", "Known.__init_subclass__", "Dot"}


@pytest.mark.parametrize(
    ("base", "counts"),
    [("Handler", True), ("logging.Handler", True), ("ABC", False), ("third.B", False)],
)
def test_methods_count_with_a_class_if_a_library_may_call_them(
    project: Path, base: str, counts: bool
) -> None:
    path = project / "src/attnmt/room/second.py"
    text = path.read_text().replace("c.used + 1", "Own")
    path.write_text(f"{text}\n\nclass Own({base}):\n    def emit(self):\n        pass\n")
    fresh_code()
    found = Reached(project / "stages/work.py").digests[SECOND]
    assert "Own" in found
    assert ("Own.emit" in found) == counts


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("src/attnmt/room/second.py", "# more", "# one more"),
        ("src/attnmt/room/second.py", "def g(c):\n", 'def g(c: "C") -> int:\n    """Add one."""\n'),
        ("src/attnmt/room/second.py", "UNUSED = 1", "UNUSED = 2"),
        ("src/attnmt/room/second.py", "return h(1)", "return h(2)"),
        ("src/attnmt/room/second.py", "import json", "import re"),
        ("src/attnmt/files/atomic.py", "return name", "return None"),
        ("stages/work.py", "Work.", "Work more."),
        ("src/attnmt/room/tables/other.tsv", "a", "c"),
    ],
)
def test_an_edit_that_does_not_change_a_stages_work_changes_no_digest(
    project: Path, file: str, old: str, new: str
) -> None:
    before, path = digests(project), project / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert digests(project) == before


@pytest.mark.parametrize(
    ("file", "old", "new", "name"),
    [
        ("src/attnmt/room/second.py", "used + 1", "used + 2", SECOND),
        ("src/attnmt/room/second.py", "return UNKNOWN", "return 'UNKNOWN'", SECOND),
        ("src/attnmt/room/second.py", "def g(c)", "def g(c=None)", SECOND),
        ("src/attnmt/room/second.py", "field: int = 0", "field: int = 1", SECOND),
        ("src/attnmt/room/third.py", "        pass", "        self.x = 1", THIRD),
        ("src/attnmt/room/third.py", '"loaded"', '"here"', THIRD),
        (f"src/{WORDS}", "a", "c", WORDS),
        ("stages/work.py", "    f()", "    f(); f()", "stages/work.py"),
    ],
)
def test_a_changed_line_changes_its_modules_digest(
    project: Path, file: str, old: str, new: str, name: str
) -> None:
    before, path = digests(project), project / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    after = digests(project)
    assert {key for key in before | after if before.get(key) != after.get(key)} == {name}
    assert digest_of(after) != digest_of(before)


def test_a_file_that_is_not_python_is_named_with_its_line(project: Path) -> None:
    (project / "src/attnmt/first.py").write_text("x = 1\ndef f(:\n")
    with pytest.raises(InputError, match=r"first\.py:2: not Python"):
        digests(project)


OURS = [path for folder in ("src", "stages") for path in sorted((ROOT / folder).rglob("*.py"))]
# What reaches something by a name that the program makes up. With getattr, these files ask only for
# fields, and a field counts with its class.
BY_NAME = {"import_module", "__import__", "runpy", "globals", "locals", "eval", "exec", "__dict__"}
BY_NAME |= {
    "__subclasses__",
    "get_type_hints",
    "__annotations__",
    "singledispatch",
    "validate_call",
}
FIELDS = {"attnmt", "model", "experiment", "systems", "saved", "search", "numbers"}
FIELDS |= {"facts", "rows", "questions", "gather", "count_tables", "table", "record"}
FIELDS |= {"trainings", "claim_lines"}
READS_BY_NAME = {"getattr", "setattr", "hasattr", "attrgetter", "methodcaller"}


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_nothing_is_reached_in_a_way_that_the_digests_miss(path: Path) -> None:
    """No import is relative or of everything, no stage imports another, and no name is made up."""
    tree, beside = ast.parse(path.read_text()), {other.stem for other in path.parent.glob("*.py")}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.names[0].name != "*"
        if path.parent.name == "stages" and isinstance(node, ast.Import):
            assert not beside & {alias.name for alias in node.names}
        if path.parent.name == "stages" and isinstance(node, ast.ImportFrom):
            assert node.module not in {*beside, "stages"}
        if isinstance(node, ast.Name):
            assert node.id not in BY_NAME
        if isinstance(node, ast.Attribute):
            assert node.attr not in BY_NAME - {"eval"}  # a model has a mode of this name
        if isinstance(node, ast.Call) and ast.unparse(node.func) in READS_BY_NAME:
            literal = isinstance(node.args[-1 if len(node.args) < 2 else 1], ast.Constant)
            owner = path.parent.name if path.stem == "__init__" else path.stem
            assert literal or owner in FIELDS


def test_no_class_inherits_a_base_whose_methods_a_library_may_call_by_way_of_another() -> None:
    """Only those of a class that names such a base itself count without being mentioned."""
    trees = [ast.parse(path.read_text()) for path in OURS]
    bases = {
        node.name: {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    foreign = {name for name, found in bases.items() if found - bases.keys() - PLAIN}
    assert foreign
    assert [name for name, found in bases.items() if found & foreign] == []
