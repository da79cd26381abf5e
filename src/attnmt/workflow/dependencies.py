"""What decides the outputs of a stage besides its inputs: the code that it runs, and its parameters.

``depends/<experiment>/<stage>.json`` has a digest of each module and data file, and each parameter with
its defaults; a stage that runs once for each system has a file for each, ``<stage>/<system>.json``. Both
engines take these files as inputs, so a stage is stale when one changes. They are made whenever an
engine looks, and git ignores them. ``PARAMS`` in a stage's script names its parameters.

A stage runs the modules that it imports, those of the scores, windows and encoders that its systems
name, and those that all these import. A module's digest is that of its
syntax tree, so comments, docstrings and formatting do not count. Modules that only carry values
(``CARRIES``) do not count either: the values themselves do. A module counts with the data files of its
package.
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import attnmt
from attnmt.config import Params
from attnmt.config.claims import project_claims
from attnmt.errors import InputError
from attnmt.files.text_file import json_text, update_text
from attnmt.files.yaml_file import YamlFile
from attnmt.layout import Layout
from attnmt.model.parts import module_of
from attnmt.scoring.score_table import BASELINES

STAGE = "depends"  # the stage that writes these files
SOURCE = Path(attnmt.__file__).parent
CARRIES = {
    "attnmt.config", "attnmt.errors", "attnmt.files", "attnmt.first_import", "attnmt.layout",
    "attnmt.program", "attnmt.tracking", "attnmt.workflow",
}  # fmt: skip
# But how a text is cut into lines, and a table into cells, decides what is read.
READS = {"attnmt.files.text_file", "attnmt.files.csv_file"}
LOADS_PARTS = "attnmt.model.parts"
DIGITS = 16  # of a SHA-256 in hexadecimal


class Declared(NamedTuple):
    """A stage as dvc.yaml declares it."""

    script: Path
    keys: list[str]  # the systems, ensembles or families that it runs for; "" if it runs once


def write_dependencies(params: Params) -> None:
    """Bring the files of an experiment up to date; delete those of stages that there are no more."""
    folder, written = Layout(params.experiment).depends, set[Path]()
    for stage, declared in _declared(params).items():
        for key in declared.keys:
            path = folder / stage / f"{key}.json" if key else folder / f"{stage}.json"
            update_text(path, json_text(_content(params, declared, key)))
            written.add(path)
    for path in folder.rglob("*.json"):
        if path not in written:
            path.unlink()


def dependencies(params: Params, stage: str) -> dict[str, Any]:
    """Return the code and the parameters of a stage, such as ``train@base``."""
    name, _, key = stage.partition("@")
    return _content(params, _declared(params)[name], key)


def dependencies_file(experiment: str, stage: str) -> Path:
    """Return the file that holds the code and the parameters of a stage."""
    return Layout(experiment).depends / f"{stage.replace('@', '/')}.json"


def _declared(params: Params) -> dict[str, Declared]:
    """Return the stages of dvc.yaml that depend on code and parameters, by name."""
    found = {}
    file = Path(params.params_file).with_name("dvc.yaml")
    for name, stage in YamlFile.read(file).values["stages"].items():
        loop, stage = stage.get("foreach", [""]), stage.get("do", stage)
        script = re.search(r"stages/\w+\.py", stage["cmd"])
        if script and name != STAGE:
            keys = [*dict(params)[loop[2:-1]]] if isinstance(loop, str) else loop
            found[name] = Declared(Path(script[0]), keys)
    return found


def _content(params: Params, declared: Declared, key: str) -> dict[str, Any]:
    script = declared.script.resolve()
    values = {name: _value(params, name, key, script) for name in _names(script)}
    return {"code": code_of(script, _parts(params, key, _names(script))), "params": values}


def _parts(params: Params, key: str, names: Sequence[str]) -> frozenset[str]:
    """Return the modules of the scores, windows and encoders of the systems that a stage runs with."""
    systems = [params.training(key)] if "training" in names else []
    if "translators" in names and key not in BASELINES:
        systems += [params.training(name) for name in params.translators(key).members]
    return frozenset(
        module_of(kind, name)
        for system in systems
        for kind, name in [
            ("encoder", system.encoder),
            ("score", system.score),
            ("window", system.attention),
        ]
        if name not in (None, "none")
    )


def _names(script: Path) -> tuple[str, ...]:
    """Return PARAMS of a script in ``stages/``."""
    for node in _tree(script).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PARAMS":
            return ast.literal_eval(node.value)  # type: ignore[no-any-return]
    raise InputError(f"{script}: has no PARAMS; name the parameters that decide its outputs")


def _value(params: Params, name: str, key: str, script: Path) -> Any:
    """Return a parameter with its defaults, by its name in PARAMS.

    ``training``, ``translators`` with ``their_encoding``, and ``encoding`` are those of the system,
    ensemble or family that the stage runs for, ``claims`` are those of claims.yaml, and ``runs`` is the
    digest of runs.csv.
    """
    value: Any = params
    match name:
        case "training":
            value = _training(params, key)
        case "translators" | "their_encoding" if key in BASELINES:
            value = None
        case "translators":
            members = params.translators(key).members
            value = [params.ensembles.get(key), *(_training(params, one) for one in members)]
        case "their_encoding":
            value = params.families[params.translators(key).family].encoding
        case "encoding":
            value = params.families[key].encoding
        case "claims":
            value = project_claims()
        case "runs":
            published = Layout(params.experiment).published
            value = digest_of(published.read_bytes()) if published.exists() else None
        case _:
            for part in name.split("."):
                if not hasattr(value, part):
                    raise InputError(f"{script}: PARAMS: no parameter {name!r}; correct the name")
                value = getattr(value, part)
    # What is not given is left out, so that a new key that need not be given makes nothing stale.
    return json.loads(json.dumps(value, default=lambda one: one.model_dump(exclude_none=True)))


def _training(params: Params, name: str) -> list[Any]:
    training = params.training(name)
    return [training.system, params.shape(name), params.settings(name), training.seed]


@cache
def code_of(script: Path, parts: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return the digest of each module and data file that a script runs, by name."""
    files, waiting = dict[str, Path](), [*_imports(script)]
    while waiting:
        name = waiting.pop()
        if name not in files and (name in READS or not CARRIES & {*_around(name)}):
            files[name] = _file(name)
            waiting += _imports(files[name])
            if name == LOADS_PARTS:
                waiting += parts
    code = {name: ast_digest(file) for name, file in files.items()}
    for folder in {file.parent for file in files.values()}:
        for file in folder.rglob("[!.]*[!~]"):
            # A folder without an __init__.py belongs to the package around it.
            package = next(one for one in file.parents if (one / "__init__.py").exists())
            if package == folder and file.is_file() and not file.suffix.startswith(".py"):
                code[file.relative_to(SOURCE.parent).as_posix()] = digest_of(file.read_bytes())
    return dict(sorted(code.items())) | {f"stages/{script.name}": ast_digest(script)}


def digest_of_training(script: Path, params: Params, name: str) -> str:
    """Return one digest of all that a script runs to train a model."""
    code = code_of(script, _parts(params, name, ["training"]))
    return digest_of(json.dumps(code, sort_keys=True).encode())


def _around(dotted: str) -> Iterator[str]:
    """Yield a, a.b, a.b.c for a.b.c."""
    return accumulate(dotted.split("."), "{}.{}".format)


def _file(dotted: str) -> Path:
    """Return the file of a module or a package; one that does not exist if it is neither."""
    path = SOURCE.joinpath(*dotted.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _imports(file: Path) -> set[str]:
    """Return the modules of this package that a file imports, wherever it does so.

    A package that is more than a docstring runs before its modules, so it is one of them. ``attnmt``
    itself is not: it only offers the library.
    """
    names = set[str]()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom):
            here = file.relative_to(SOURCE.parent).parts[: -node.level] if node.level else ()
            module = ".".join([*here, *([node.module] if node.module else [])])
            names |= {module, *(f"{module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
    names = {name for name in names if name.startswith("attnmt.") and _file(name).exists()}
    around = {one for name in names for one in _around(name)} - names - {"attnmt"}
    return names | {one for one in around if _file(one).exists() and _plain(_tree(_file(one)).body)}


@cache
def ast_digest(file: Path) -> str:
    """Return the digest of a module's syntax tree without docstrings."""
    return digest_of(json.dumps(_plain(_tree(file))).encode())


def digest_of(content: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


@cache
def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: not Python: {error.msg}") from None


def _plain(node: object) -> Any:
    """Return a syntax tree as lists, without positions, and alike in all versions of Python."""
    if isinstance(node, ast.JoinedStr):  # Python 3.12 has empty parts in some of them
        node.values = [one for one in node.values if ast.unparse(one) != "''"]
    if isinstance(node, ast.AST):
        fields = [(name, _plain(value)) for name, value in ast.iter_fields(node)]
        return [type(node).__name__, *(pair for pair in fields if pair[1] not in (None, []))]
    if isinstance(node, list):
        return [_plain(item) for item in node if not _is_docstring(item)]
    return None if node is None else repr(node)  # repr tells 1 from True and 1.0


def _is_docstring(node: object) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
