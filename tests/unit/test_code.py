"""Which code a stage runs, and which changes to it count."""

import ast
import json
import shutil
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.workflow import code
from attnmt.workflow.code import code_of, digest_of, write_code

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path.stem for path in (ROOT / "stages").glob("*.py"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a small package in place of ours, and a stage that imports some of it."""
    package = tmp_path / "src/attnmt"
    files = {
        "stages/work.py": '"""Work."""\nfrom attnmt.first import f\n\nf()\n',
        "src/attnmt/__init__.py": '"""A package."""\n',
        "src/attnmt/first.py": "def f():\n    from attnmt.room import second\n\n    return second.g()\n",
        "src/attnmt/room/__init__.py": "",
        "src/attnmt/room/second.py": "import json\n\n\ndef g(x):\n    return x + 1  # more\n",
        "src/attnmt/room/tables/words.tsv": "a\tb\n",
        "src/attnmt/apart.py": "NUMBER = 1\n",
        "src/attnmt/away/__init__.py": "",
        "src/attnmt/away/words.tsv": "a\tb\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code, "SOURCE", package)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digests(project: Path) -> dict[str, str]:
    for cached in (code_of, code._parsed, code._known):
        cached.cache_clear()
    return code_of(project / "stages/work.py")


def test_a_stage_runs_what_it_imports_directly_or_not_and_the_data_beside_it(project: Path) -> None:
    assert list(digests(project)) == [
        "attnmt",
        "attnmt.first",
        "attnmt.room",
        "attnmt.room.second",
        "attnmt/room/tables/words.tsv",
        "stages/work.py",
    ]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("src/attnmt/room/second.py", "# more", "# one more"),
        ("src/attnmt/room/second.py", "x + 1", "(x  +  1)"),
        ("src/attnmt/room/second.py", "def g(x):\n", 'def g(x):\n    """Add one."""\n'),
        ("stages/work.py", "Work.", "Work more."),
        ("src/attnmt/__init__.py", '"""A package."""', ""),
        ("src/attnmt/first.py", "\n\n    return", "\n    return"),
        ("src/attnmt/apart.py", "1", "2"),
        ("src/attnmt/away/words.tsv", "a", "c"),
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
        ("src/attnmt/room/second.py", "x + 1", "x + 2", "attnmt.room.second"),
        ("src/attnmt/room/second.py", "x + 1", "x - 1", "attnmt.room.second"),
        ("src/attnmt/room/second.py", "x + 1", "x + True", "attnmt.room.second"),
        ("src/attnmt/room/second.py", "x + 1", "x + 1.0", "attnmt.room.second"),
        ("src/attnmt/room/second.py", "return x + 1", "return 'x + 1'", "attnmt.room.second"),
        ("src/attnmt/room/second.py", "def g(x)", "def g(x=None)", "attnmt.room.second"),
        ("src/attnmt/room/__init__.py", "", "x = 1\n", "attnmt.room"),
        ("src/attnmt/room/tables/words.tsv", "a", "c", "attnmt/room/tables/words.tsv"),
        ("stages/work.py", "f()", "f(); f()", "stages/work.py"),
    ],
)
def test_a_changed_line_changes_its_modules_digest(
    project: Path, file: str, old: str, new: str, name: str
) -> None:
    before, path = digests(project), project / file
    path.write_text(path.read_text().replace(old, new) if old else new)
    after = digests(project)
    assert {key for key in before if before[key] != after[key]} == {name}
    assert digest_of(after) != digest_of(before)


def test_a_digest_is_the_same_in_every_version_of_python(project: Path) -> None:
    """So it must be the digest that was found when this test was written."""
    assert digests(project)["attnmt.room.second"] == "a6e5241436d76f23"


def test_digests_are_written_where_they_differ(project: Path) -> None:
    shutil.copy(project / "stages/work.py", project / "stages/code_digests.py")
    digests(project)
    write_code(project / "stages", project / "code")
    (path,) = (project / "code").iterdir()
    assert json.loads(path.read_text()) == digests(project)
    written = path.stat().st_mtime_ns
    write_code(project / "stages", project / "code")
    assert path.stat().st_mtime_ns == written


def test_what_was_found_in_a_file_is_known_by_its_content(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digests(project)
    write_code(project / "stages", project / "code")
    with monkeypatch.context() as patch:
        patch.setattr(ast, "parse", None)  # nothing is parsed again
        assert digests(project) == before
    (project / "src/attnmt/first.py").write_text("f = 1\n")
    assert "attnmt.room.second" not in digests(project)
    code.PARSED.write_text("{")
    assert "attnmt.room.second" not in digests(project)


def test_a_file_that_is_not_python_is_named_with_its_line(project: Path) -> None:
    (project / "src/attnmt/first.py").write_text("x = 1\ndef f(:\n")
    with pytest.raises(InputError, match=r"first\.py:2: not Python"):
        digests(project)


@pytest.mark.parametrize("name", [".words.tsv.swp", "words.tsv~", ".DS_Store"])
def test_files_that_an_editor_leaves_do_not_count_as_code(project: Path, name: str) -> None:
    before = digests(project)
    (project / "src/attnmt/room/tables" / name).write_text("left")
    assert digests(project) == before


OURS = [path for folder in ("src", "stages") for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_no_module_is_imported_in_a_way_that_the_digests_miss(path: Path) -> None:
    """No module is imported by name, none relatively, and no stage imports another."""
    tree, beside = ast.parse(path.read_text()), {other.stem for other in path.parent.glob("*.py")}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
        if path.parent.name == "stages" and isinstance(node, ast.Import):
            assert not beside & {alias.name for alias in node.names}
        if path.parent.name == "stages" and isinstance(node, ast.ImportFrom):
            assert node.module not in {*beside, "stages"}
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            assert name not in ("import_module", "__import__", "runpy")


def test_no_stage_runs_what_only_the_report_needs() -> None:
    """A changed caption or color of a page must not repeat a training."""
    for script in set(SCRIPTS) - {"report", "gather"}:
        code = code_of(ROOT / "stages" / f"{script}.py")
        assert [name for name in code if "reporting" in name] == []
