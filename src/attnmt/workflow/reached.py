"""Which definitions a stage reaches: those that decide its outputs.

It starts from everything in the stage's own file and follows what is mentioned, through this package. A
method or a property counts where code that counts mentions its name, of whatever object. A data file
counts where code of its package names it or its folder. Not followed are what only carries a result and
what checks the configuration, whose values count in another way (:mod:`attnmt.workflow.code`). A part (a
score, a window, an encoder, a cell, an optimizer) counts where a system names it.

This holds as long as the program makes up no name by which it reaches something. A test lists the few
places that come close. Another runs all stages and compares what ran with what counts.
"""

import builtins
import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import attnmt
from attnmt.config import Cell
from attnmt.config.parts import ENCODERS, OPTIMIZERS, SCORES, WINDOWS
from attnmt.errors import InputError
from attnmt.files.text_file import json_text, read_json, update_text
from attnmt.workflow import definitions
from attnmt.workflow.definitions import Class, Definition, Module, digest_of_bytes, parse

SOURCE = Path(attnmt.__file__).parent
# What carries a result from one stage to the next, and decides none.
CARRIERS = {"workflow", "tracking", "files", "layout", "errors"}
# But how a text is cut into lines, and a table into cells, decides what is read.
DECIDES = {
    "attnmt.files.text_file.iter_lines",
    "attnmt.files.text_file.decode_lines",
    "attnmt.files.text_file.read_lines",
    "attnmt.files.text_file.read_text",
    "attnmt.files.text_file.write_lines",
    "attnmt.files.text_file.write_text",
    "attnmt.files.csv_file.read_csv",
    "attnmt.files.csv_file.write_csv",
}
# What makes the values of the configuration, which count themselves, and what a hint there names.
CHECKS = {
    "attnmt.config.params.load_params",
    "attnmt.config.strict.differ",
    "attnmt.config.strict.refuse_unknown",
    "attnmt.config.parts.one_of",
}
SECTION = "Strict"  # the base of the sections of the configuration
CONFIG = "attnmt.config."
CLAIMS = f"{CONFIG}claims"  # its sections are no parameters with defaults, so their code counts
# Bases whose methods nobody calls but us, beside the classes of Python itself.
PLAIN = {"ABC", "NamedTuple", "Protocol", "Generic", "BaseModel", "RootModel", "StrEnum"}
# What a library calls of a class of ours with this base; of any other foreign base, every method.
CALLED = {"Module": {"forward", "extra_repr"}, "Function": {"forward", "backward"}}
PARTS = {*SCORES, *WINDOWS, *ENCODERS, *OPTIMIZERS, *get_args(Cell)}
# What was found in files, by their content. Every stage asks for its code, and parsing takes seconds.
PARSED = Path(".stages/parsed.json")
OWN = Path(definitions.__file__).read_bytes()

Place = tuple[str, str]  # a module, and a name in it


class Reached:
    """What scripts reach, for systems with some parts."""

    def __init__(self, *scripts: Path, parts: Collection[str] = ()) -> None:
        """Follow everything that the scripts mention.

        Raises:
            InputError: if a file is not Python.
        """
        self.parts = parts
        self.digests: dict[str, dict[str, str]] = defaultdict(dict)  # by module and definition
        self.data: dict[str, str] = {}  # digests of files
        self._loaded, self._classes = set[str](), set[Place]()
        self._attributes, self._strings = set[str](), defaultdict[str, set[str]](set)
        self._new: list[tuple[str, Definition]] = []
        for script in scripts:
            self._start(str(script))
        self._classes |= _sections()
        while self._new:
            self._follow()
            self._add_methods()
            self._add_parts()
            self._add_data()

    def _start(self, name: str) -> None:
        """Count all of a script."""
        script = _module(name)
        for bound, found in script.definitions.items():
            for one in found:
                self._add(name, bound, one)
        for number, one in enumerate(script.effects):
            self._add(name, str(number), one)
        for dotted in script.loads:
            self._load(dotted)

    def _follow(self) -> None:
        while self._new:
            module, definition = self._new.pop()
            if _counts(module):  # the rest handles no object of ours
                self._attributes.update(definition.attributes)
            self._strings[module.rpartition(".")[0]].update(definition.strings)
            named = [name for part in self.parts for name in definition.by_part.get(part, ())]
            for name in (*definition.names, *named):
                self._mention(module, name, definition)

    def _add(self, module: str, key: str, definition: Definition) -> None:
        """Count a definition."""
        known = self.digests[module]
        while known.get(key, definition.digest) != definition.digest:
            key += "'"  # one of several with a name, such as a property and its setter
        if key not in known:
            known[key] = definition.digest
            self._new.append((module, definition))

    def _mention(self, module: str, name: str, of: Definition) -> None:
        """Count what a name stands for in a module."""
        if not _counts(f"{module}.{name}"):
            return
        found = _module(module)
        if name in found.classes:
            if (module, name) not in self._classes:
                self._classes.add((module, name))
                self._add(module, name, found.classes[name].head)
        elif name in found.definitions:
            for one in found.definitions[name]:
                self._add(module, name, one)
        elif dotted := found.imported.get(name, name if "." in name else ""):
            self._mention_dotted(dotted, of)

    def _mention_dotted(self, dotted: str, of: Definition) -> None:
        """Count what is imported: something in a module, or what is mentioned of a whole module."""
        if not _counts(dotted):
            return
        if dotted not in DECIDES:
            self._load(dotted)
        if _file(dotted):
            for name in of.attributes:
                if name in _names(dotted):
                    self._mention(dotted, name, of)
        else:
            module, _, name = dotted.rpartition(".")
            self._mention(module, name, of)

    def _load(self, dotted: str) -> None:
        """Count what is done when a module is loaded, with the packages around it and its imports."""
        words = dotted.split(".")
        for length in range(1, len(words) + 1):
            name = ".".join(words[:length])
            if name in self._loaded or not _counts(name) or _file(name) is None:
                continue
            self._loaded.add(name)
            for number, one in enumerate(_module(name).effects):
                self._add(name, str(number), one)
            for other in _module(name).loads:
                self._load(other)

    def _add_methods(self) -> None:
        for module, name in sorted(self._classes):
            found = _module(module).classes[name]
            called = set(found.called)
            if _is_section(module, name):
                called = set[str]()
            called |= _called_by_libraries(module, name)
            for method, definitions_ in found.methods.items():
                if method in called or method in self._attributes:
                    for one in definitions_:
                        self._add(module, f"{name}.{method}", one)

    def _add_parts(self) -> None:
        for module in sorted(self._loaded):
            for name, found in _module(module).classes.items():
                if found.part in self.parts and _is_part(module, name):
                    self._mention(module, name, found.head)

    def _add_data(self) -> None:
        """Count data files, and in templates what they mention."""
        for package, strings in self._strings.items():
            for path in _data(package):
                name = path.relative_to(SOURCE.parent).as_posix()
                if name not in self.data and strings & set(path.parts[len(SOURCE.parts) :]):
                    self.data[name] = digest_of_bytes(path.read_bytes())
                    if path.suffix == ".jinja":
                        words = re.findall(r"\.([a-z_]\w*)", path.read_text(encoding="utf-8"))
                        used = Definition("", [], words, [], {})
                        self._new.append((package, used))


def carries(dotted: str) -> bool:
    """Return whether a module, or something in one, is of a room that decides no result."""
    return dotted.split(".")[1:2] in [[room] for room in CARRIERS]


def checks(module: str, name: str) -> bool:
    """Return whether a function only checks the configuration, so that pydantic calls it."""
    kind, _, method = name.partition(".")
    if method and _is_section(module, kind):
        return method in _module(module).classes[kind].called or method.startswith("_")
    return f"{module}.{name}" in CHECKS


def _counts(dotted: str) -> bool:
    """Return whether what has this name is of this package or a script, and decides a result."""
    if dotted.startswith("/") or dotted in DECIDES:
        return True
    return dotted.split(".")[0] == SOURCE.name and dotted not in CHECKS and not carries(dotted)


def _names(module: str) -> set[str]:
    found = _module(module)
    return {*found.definitions, *found.classes, *found.imported}


def _class(module: str, name: str) -> tuple[str, str, Class] | None:
    """Return a class of this package by what a module calls it, and where it stands."""
    if _file(module) is None:
        return None
    found = _module(module)
    if name in found.classes:
        return module, name, found.classes[name]
    dotted = found.imported.get(name.partition(".")[0], "")
    if dotted.split(".")[0] != SOURCE.name:
        return None
    if _file(dotted):  # x.C, where x is a module
        return _class(dotted, name.partition(".")[2])
    return _class(*dotted.rpartition(".")[::2])


def _bases(module: str, name: str) -> Iterator[tuple[str, str, Class] | str]:
    """Yield a class of this package and all its bases; of a foreign one the name."""
    found = _class(module, name)
    if found is None:
        yield name
        return
    yield found
    for base in found[2].bases:
        yield from _bases(found[0], base)


@cache
def _is_part(module: str, name: str) -> bool:
    """Return whether a class is made known to the configuration because a base of it says so."""
    return any(
        not isinstance(one, str) and one[2].takes_parts for one in [*_bases(module, name)][1:]
    )


@cache
def _is_section(module: str, name: str) -> bool:
    """Return whether a class is a section of the configuration."""
    if not module.startswith(CONFIG) or module == CLAIMS:
        return False
    return any(not isinstance(one, str) and one[1] == SECTION for one in _bases(module, name))


@cache
def _sections() -> set[Place]:
    """Return the sections of the configuration, of which every stage has instances."""
    files = sorted((SOURCE / "config").glob("*.py"))
    modules = [f"{CONFIG}{file.stem}" for file in files if file.stem != "__init__"]
    places = [(module, name) for module in modules for name in _module(module).classes]
    return {place for place in places if _is_section(*place)}


@cache
def _called_by_libraries(module: str, name: str) -> set[str]:
    """Return the methods of a class that a library may call, because it has the base from there."""
    called = set[str]()
    for base in _bases(module, name):
        short = base.rpartition(".")[2] if isinstance(base, str) else ""
        if short in CALLED:
            called |= CALLED[short]
        elif short and short not in PLAIN and not hasattr(builtins, short):
            called |= _module(module).classes[name].methods.keys()
    return called


@cache
def _file(name: str) -> Path | None:
    """Return the file of a module of this package, if it is one; a script is called by its path."""
    if name.endswith(".py"):
        return Path(name)
    path = SOURCE.joinpath(*name.split(".")[1:])
    package = path / "__init__.py"  # a folder without it may hold data beside a module
    return next((file for file in (package, path.with_suffix(".py")) if file.exists()), None)


def _data(package: str) -> Iterator[Path]:
    """Yield a package's files that are not Python, also those in folders that are not packages.

    Hidden files, and the copies that an editor keeps, do not count.
    """
    folder = SOURCE.joinpath(*package.split(".")[1:])
    if package.split(".")[0] == SOURCE.name and folder.is_dir():
        yield from _data_in(folder)


def _data_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name != "__pycache__" and not (path / "__init__.py").exists():
                yield from _data_in(path)
        elif path.suffix != ".py" and not path.name.startswith(".") and path.name[-1] != "~":
            yield path


@cache
def _module(name: str) -> Module:
    file = _file(name)
    assert file is not None, "only existing modules are followed"
    return module_of(file)


@cache
def module_of(file: Path) -> Module:
    """Return what stands in a file.

    Raises:
        InputError: if it is not Python, or does not exist.
    """
    known = _known().get(_key(file))
    if known is not None:
        return Module.of(known)
    try:
        return parse(file.read_bytes(), str(file), PARTS)
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: not Python: {error.msg}") from None


def remember(stages: Path) -> None:
    """Keep what was found in the files of this package and of ``stages`` for the next process."""
    files = [*sorted(SOURCE.rglob("*.py")), *sorted(stages.resolve().glob("*.py"))]
    update_text(PARSED, json_text({_key(file): module_of(file) for file in files}))


@cache
def _known() -> dict[str, list[object]]:
    """Return what was found in files before, by their content."""
    try:
        return dict(read_json(PARSED))
    except (InputError, TypeError, ValueError):  # a damaged file is written again
        return {}


def _key(file: Path) -> str:
    """Return the digest of a file's content, and of the module that says what counts of it."""
    try:
        return hashlib.sha256(OWN + file.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
