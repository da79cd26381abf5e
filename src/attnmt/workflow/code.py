"""Which code a stage runs, as digests that comments, docstrings and formatting do not change.

A module's digest is that of its syntax tree. The code of a stage is its own file, the modules of this
package that the file imports, directly or not, at the top or in a function, and the data files of their
packages. Only an ``import`` statement counts; a test forbids imports by name (``importlib``).
"""

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import attnmt
from attnmt.errors import InputError
from attnmt.files.text_file import json_text, read_json, update_text

SOURCE = Path(attnmt.__file__).parent
STAGE, SCRIPT = "code", "code_digests"  # the stage that writes these digests, and its file
DIGITS = 16  # digits of a SHA-256; they tell two versions of a module apart
# A stage asks the first module for its own definition if a person started it, which decides no output.
# The package offers other programs what is in the second, and loads it only for them.
NOT_COUNTED = {"attnmt.workflow.graph", "attnmt.library"}
# What was found in files, by their content. Every stage asks for its code, and parsing takes a second.
PARSED = Path(".stages/parsed.json")
OWN = Path(__file__).read_bytes()


class Parsed(NamedTuple):
    """What counts in a file of Python."""

    digest: str  # of its syntax tree
    imports: list[str]  # dotted names of this package, which may be modules or what they hold


@cache
def code_of(script: Path) -> dict[str, str]:
    """Return the digest of every module and data file that a script runs, by name.

    Raises:
        InputError: if one of the files is not Python.
    """
    reached, new = set[str](), _imported(script)
    while new:
        reached |= new
        new = {name for module in new for name in _imported(_file(module))} - reached
    code = {f"{script.parent.name}/{script.name}": _parsed(script).digest}
    for module in reached:
        file = _file(module)
        code[module] = _parsed(file).digest
        if file.name == "__init__.py":
            for data in _data(file.parent):
                code[data.relative_to(SOURCE.parent).as_posix()] = _digest(data.read_bytes())
    return dict(sorted(code.items()))


def digest_of(code: dict[str, str]) -> str:
    """Return one digest of all the code that a script runs."""
    return _digest(json.dumps(code, sort_keys=True).encode())


def write_code(stages: Path, folder: Path) -> None:
    """Bring ``<script>.json`` in a folder up to date for every script in ``stages``.

    Raises:
        InputError: if a file is not Python or cannot be written.
    """
    scripts = [path for path in sorted(stages.resolve().glob("*.py")) if path.stem != SCRIPT]
    for script in scripts:
        update_text(folder / f"{script.stem}.json", json_text(code_of(script)))
    modules = {name for script in scripts for name in code_of(script) if "/" not in name}
    files = [*scripts, *map(_file, sorted(modules))]
    update_text(PARSED, json_text({_key(file): _parsed(file) for file in files}))


def _imported(file: Path) -> set[str]:
    """Return the modules of this package that a file imports, and the packages around them."""
    parts = [name.split(".") for name in _parsed(file).imports]
    names = {".".join(part[: i + 1]) for part in parts for i in range(len(part))}
    return {name for name in names - NOT_COUNTED if _file(name).exists()}


def _file(module: str) -> Path:
    """Return the file of a module of this package, whether or not it exists."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    package = path / "__init__.py"  # a folder without it may hold data beside a module
    return package if package.exists() else path.with_suffix(".py")


def _data(package: Path) -> Iterator[Path]:
    """Yield a package's files that are not Python, also those in folders that are not packages.

    Hidden files, and the copies that an editor keeps, do not count.
    """
    for path in sorted(package.iterdir()):
        if path.is_dir():
            if path.name != "__pycache__" and not (path / "__init__.py").exists():
                yield from _data(path)
        elif path.suffix != ".py" and not path.name.startswith(".") and path.name[-1] != "~":
            yield path


@cache
def _known() -> dict[str, Parsed]:
    """Return what was found in files before, by their content."""
    try:
        return {key: Parsed(*found) for key, found in read_json(PARSED).items()}
    except (InputError, AttributeError, TypeError):  # a damaged file is written again
        return {}


def _key(file: Path) -> str:
    """Return the digest of a file's content, and of this module, which says what counts."""
    try:
        return hashlib.sha256(OWN + file.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None


@cache
def _parsed(file: Path) -> Parsed:
    known = _known().get(_key(file))
    if known is not None:
        return known
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: not Python: {error.msg}") from None
    imports = sorted({name for name in _imports(tree) if name.split(".")[0] == SOURCE.name})
    return Parsed(_digest(json.dumps(_plain(tree)).encode()), imports)


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted name of everything that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A name that is imported from a package may be one of its modules.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def _plain(node: object) -> object:
    """Return a syntax tree as lists, without positions and without strings that stand alone.

    Empty fields are left out, because versions of Python differ in which of them a node has.
    """
    if isinstance(node, ast.AST):
        fields = [(name, _plain(value)) for name, value in ast.iter_fields(node)]
        return [type(node).__name__, *(pair for pair in fields if pair[1] not in (None, []))]
    if isinstance(node, list):
        return [_plain(item) for item in node if not _is_docstring(item)]
    # repr tells 1 from True and 1.0, which compare equal, and "None" from None.
    return None if node is None else repr(node)


def _is_docstring(node: object) -> bool:
    """Return whether a statement is only a string, which does nothing, wherever it stands."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
