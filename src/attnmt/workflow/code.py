"""Which code a stage runs, as digests that comments, docstrings and formatting do not change.

A module's digest is that of its syntax tree. The code of a stage is its own file, the modules of this
package that the file imports, directly or not, at the top or in a function, and the data files of their
packages. Only an ``import`` statement counts. An import by name (``importlib``) does not; a test forbids
it everywhere but in record.py, which uses it on purpose.
"""

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attnmt
from attnmt.errors import InputError
from attnmt.files.text_file import json_text, update_text

SOURCE = Path(attnmt.__file__).parent
STAGE, SCRIPT = "code", "code_digests"  # the stage that writes these digests, and its file
DIGITS = 16  # digits of a SHA-256; they tell two versions of a module apart


@cache
def code_of(script: Path) -> dict[str, str]:
    """Return the digest of every module and data file that a script runs, by name.

    Raises:
        InputError: if one of the files is not Python.
    """
    reached, new = set[str](), set(_imports(_parse(script)))
    while new:
        reached |= new
        new = {name for module in new for name in _imports(_parse(_file(module)))} - reached
    code = {f"{script.parent.name}/{script.name}": _digest_of_tree(script)}
    for module in reached:
        file = _file(module)
        code[module] = _digest_of_tree(file)
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
    for script in sorted(stages.resolve().glob("*.py")):
        if script.stem != SCRIPT:
            update_text(folder / f"{script.stem}.json", json_text(code_of(script)))


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of this package that a module imports, and the packages around them."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # A name that is imported from a package may be one of its modules.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for parts in (name.split(".") for name in names):
            if parts[0] == SOURCE.name:
                outer = (".".join(parts[: i + 1]) for i in range(len(parts)))
                yield from (module for module in outer if _file(module).exists())


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
def _parse(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes(), str(file))
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: not Python: {error.msg}") from None


def _digest_of_tree(file: Path) -> str:
    return _digest(json.dumps(_plain(_parse(file))).encode())


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
