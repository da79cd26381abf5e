"""Which definitions a stage reaches: those that decide its outputs.

It starts from everything in the stage's own file and follows what is mentioned, through this package. A
method or a property counts where code that counts mentions its name, of whatever object. A data file
counts where code of its package names it or its folder. Not followed are what only carries a result and
what checks the configuration, whose values count in another way (:mod:`attnmt.workflow.code`). A part (a
score, a window, an encoder, a cell, an optimizer) counts where a system names it.

This holds as long as the program makes up no name by which it reaches something. A test lists the few
places that come close. Another runs all stages and compares what ran with what counts.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path

import attnmt
from attnmt.errors import InputError
from attnmt.workflow.definitions import CALLED, LOADING, Module, digest_of_bytes, parse

SOURCE = Path(attnmt.__file__).parent
CONFIG = "attnmt.config."
# Of its other modules' classes, fields and checks do not count: their values do, with defaults.
WITH_FIELDS = {f"{CONFIG}claims", f"{CONFIG}parts"}
# What carries a result from one stage to the next.
CARRIES = [f"attnmt.{room}" for room in ("workflow", "tracking", "files", "layout", "errors")]
# But how a text is cut into lines, and a table into cells, decides what is read.
LINES = "iter_lines", "decode_lines", "read_lines", "read_text", "write_lines", "write_text"
READS = [f"attnmt.files.text_file.{name}" for name in LINES]
READS += ["attnmt.files.csv_file.read_csv", "attnmt.files.csv_file.write_csv"]
# What makes and checks the values of the configuration.
CHECKS = [f"{CONFIG}parts.{name}" for name in ("SCORES", "WINDOWS", "ENCODERS", "OPTIMIZERS")]
CHECKS += [f"{CONFIG}parts.one_of", f"{CONFIG}parts.check_numbers", f"{CONFIG}model.optional"]
CHECKS += [f"{CONFIG}strict.differ", f"{CONFIG}strict.refuse_unknown"]
CHECKS += [f"{CONFIG}params.load_params"]
# Whether what has a name decides a result. Of the names that fit, the longest says it.
COUNTS = {"attnmt": True} | dict.fromkeys(CARRIES + CHECKS, False) | dict.fromkeys(READS, True)


class Reached:
    """What scripts reach, for systems with some parts."""

    def __init__(self, *scripts: Path, parts: Collection[str] = ()) -> None:
        """Follow everything that the scripts mention.

        Raises:
            InputError: if a file is not Python.
        """
        self.digests: dict[str, dict[str, str]] = defaultdict(dict)  # by module and definition
        self.data: dict[str, str] = {}  # digests of files
        self._parts, self._loaded, self._words = parts, set[str](), set(CALLED)
        self._waiting = defaultdict[str, list[tuple[str, str]]](list)  # methods, by their names
        self._new: list[tuple[str, set[str]]] = []  # modules, and words in them
        modules = [f"{CONFIG}{file.stem}" for file in (SOURCE / "config").glob("*.py")]
        for module in filter(is_section, modules):  # every stage has instances of these classes
            for kind in module_of(module).classes:
                self._await_methods(module, kind)
        for script in map(str, scripts):
            self._load(script)
            for name in module_of(script).definitions:
                self._add(script, name)
        while self._new:
            module, words = self._new.pop()
            for word in words:
                self._mention(module, word, words)
            self._add_data(module, words)
            if counts(module):  # the rest handles no object of ours
                for word in words - self._words:
                    self._words.add(word)
                    for method in self._waiting[word]:
                        self._add(*method)

    def _load(self, dotted: str) -> None:
        """Count what is done when a module is loaded, with the packages around it and its imports."""
        for name in [dotted] if dotted.startswith("/") else _around(dotted):
            if name in self._loaded or not counts(name) or _file(name) is None:
                continue
            self._loaded.add(name)
            self._add(name, LOADING)
            found = module_of(name)
            for kind, part in found.classes.items():
                if part in self._parts:
                    self._add(name, kind)
            for other in found.imported.values():
                self._load(other)

    def _add(self, module: str, name: str) -> None:
        """Count a definition, if it is one that counts."""
        found, known = module_of(module), name in self.digests.get(module, ())
        if known or name not in found.definitions or not counts(f"{module}.{name}"):
            return
        if name in found.classes:
            if is_section(module):
                return
            self._await_methods(module, name)
        self.digests[module][name] = found.definitions[name].digest
        self._new.append((module, found.definitions[name].words))

    def _await_methods(self, module: str, kind: str) -> None:
        """Count the methods of a class whose names are mentioned, now or later."""
        for name in module_of(module).definitions:
            if name.startswith(f"{kind}."):
                method = name.rpartition(".")[2]
                self._waiting[method].append((module, name))
                if method in self._words:
                    self._add(module, name)

    def _mention(self, module: str, word: str, beside: set[str]) -> None:
        """Count what a word stands for in a module: a definition, or what is imported."""
        found = module_of(module)
        dotted = found.imported.get(word, word if "." in word else "")
        if word in found.definitions:
            self._add(module, word)
        elif counts(dotted):
            self._load(dotted)
            outer, _, name = dotted.rpartition(".")
            if _file(dotted):  # a whole module, of which something is mentioned
                inside = module_of(dotted).definitions | module_of(dotted).imported
                for other in inside.keys() & beside:
                    self._mention(dotted, other, beside)
            elif _file(outer):
                self._mention(outer, name, beside)

    def _add_data(self, module: str, words: set[str]) -> None:
        """Count the data files that words in a module name, and in templates what they mention."""
        for path, names in _data(module.rpartition(".")[0]).items():
            name = path.relative_to(SOURCE.parent).as_posix()
            if names & words and name not in self.data:
                self.data[name] = digest_of_bytes(path.read_bytes())
                if path.suffix == ".jinja":
                    used = re.findall(r"\.([a-z_]\w*)", path.read_text(encoding="utf-8"))
                    self._new.append((module, {*used}))


@cache
def counts(dotted: str) -> bool:
    """Return whether what has this name is of a script or this package, and decides a result."""
    known = [COUNTS[name] for name in _around(dotted) if name in COUNTS]
    return known[-1] if known else dotted.startswith("/")


def _around(dotted: str) -> Iterator[str]:
    """Yield a, a.b, a.b.c for a.b.c."""
    return accumulate(dotted.split("."), "{}.{}".format)


def is_section(module: str) -> bool:
    """Return whether the classes of a module are sections of the configuration."""
    return module.startswith(CONFIG) and module not in WITH_FIELDS


@cache
def _file(name: str) -> Path | None:
    """Return the file of a module of this package, if it is one; a script is called by its path."""
    if name.endswith(".py"):
        return Path(name)
    path = SOURCE.joinpath(*name.split(".")[1:])
    package = path / "__init__.py"  # a folder without it may hold data beside a module
    return next((file for file in (package, path.with_suffix(".py")) if file.exists()), None)


@cache
def _data(package: str) -> dict[Path, set[str]]:
    """Return a package's files that are not Python, each with its name and the folders that it lies in.

    Hidden files, and the copies that an editor keeps, do not count.
    """
    ours, folder = package.split(".")[0] == SOURCE.name, SOURCE.joinpath(*package.split(".")[1:])
    return {
        path: {*path.relative_to(folder).parts}
        for path in (sorted(folder.rglob("[!.]*[!~]")) if ours else ())
        if path.is_file()
        and not path.suffix.startswith(".py")
        and next(one for one in path.parents if (one / "__init__.py").exists()) == folder
    }


@cache
def module_of(name: str) -> Module:
    """Return what stands in a module of this package, or in a script, which is called by its path.

    Raises:
        InputError: if it is not Python, or does not exist.
    """
    file = _file(name)
    assert file is not None, "only existing modules are followed"
    try:
        return parse(file.read_bytes(), str(file))
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: not Python: {error.msg}") from None
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
