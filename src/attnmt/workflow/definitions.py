"""What stands in a file of Python: its definitions, with a digest and what each of them mentions.

A definition is a function, a method, a class without its methods, or another statement. Its digest is
that of its syntax tree without comments, docstrings, formatting and hints of types. Python itself says
which names a definition mentions: those in its bytecode.
"""

import ast
import dis
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from types import CodeType
from typing import Any, NamedTuple

DIGITS = 16  # of a SHA-256 in hexadecimal; they tell two versions of a definition apart
# Decorators that change nothing about who calls a function. Others may hand it to a library.
QUIET = {"property", "setter", "cached_property", "classmethod", "staticmethod", "abstractmethod"}
QUIET |= {"cache", "contextmanager", "dataclass", "overload", "wraps", "no_grad", "inference_mode"}
WORD = re.compile(r"[\w.-]{1,40}", re.ASCII)  # what may be a file's name, or an attribute's
READS_BY_NAME = {"getattr", "setattr", "hasattr", "attrgetter", "methodcaller"}


class Definition(NamedTuple):
    """What counts of a definition."""

    digest: str
    names: list[str]  # of its module that it mentions, and what it imports itself, as `a.b.c`
    attributes: list[str]  # that it mentions of any object
    strings: list[str]  # that may name a data file
    by_part: dict[str, list[str]]  # names in tables from a part's name to what it stands for


class Class(NamedTuple):
    """A class, whose methods count where they are mentioned."""

    head: Definition  # all of it but the methods
    bases: list[str]  # as they are written
    methods: dict[str, list[Definition]]
    called: list[str]  # the methods that count with the class: others than ours may call them
    part: str  # by what name a system would name it
    takes_parts: bool  # whether its subclasses are parts: it makes each of them known


class Module(NamedTuple):
    """A file of Python."""

    definitions: dict[str, list[Definition]]  # by the name that they bind
    classes: dict[str, Class]
    imported: dict[str, str]  # the dotted name of what a name of the module stands for
    loads: list[str]  # what is imported when the module is, as `a.b.c`
    effects: list[Definition]  # what is done when the module is loaded, beside binding names

    @classmethod
    def of(cls, values: list[Any]) -> "Module":
        """Return a module from its JSON."""
        definitions, classes, imported, loads, effects = values
        return cls(
            {name: [Definition(*one) for one in found] for name, found in definitions.items()},
            {name: _class_of(*one) for name, one in classes.items()},
            imported,
            loads,
            [Definition(*one) for one in effects],
        )


def _class_of(head: list[Any], bases: list[str], methods: dict[str, Any], *rest: Any) -> Class:
    by_name = {name: [Definition(*one) for one in found] for name, found in methods.items()}
    return Class(Definition(*head), bases, by_name, *rest)


def digest_of_bytes(content: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def parse(content: bytes, file: str, parts: Iterable[str]) -> Module:
    """Return what stands in a file.

    Args:
        parts: names that a table from parts to definitions may have.

    Raises:
        SyntaxError: if it is not Python.
    """
    tree, parts = _WithoutHints().visit(ast.parse(content, file)), set(parts)
    module = Module({}, {}, {}, [], [])
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            module.classes[node.name] = _class(node, parts)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module.imported.update(_imports(node))
        elif not (isinstance(node, ast.Pass) or _is_docstring(node) or _is_guard(node)):
            definition = _definition(node, parts)
            names = _bound(node)
            for name in names:
                module.definitions.setdefault(name, []).append(definition)
            if not names or not isinstance(node, ast.Assign | ast.FunctionDef) or not _quiet(node):
                module.effects.append(definition)
    module.loads.extend(module.imported.values())
    return module


class _WithoutHints(ast.NodeTransformer):
    """Removes hints of types where Python itself makes nothing of them: not in the body of a class."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def _function(self, node: Any) -> Any:
        node.returns = None
        return self._statements(node)

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def _statements(self, node: Any) -> Any:
        self.generic_visit(node)
        node.body = [
            _assignment(one) if isinstance(one, ast.AnnAssign) else one for one in node.body
        ]
        return node

    visit_Module = visit_If = visit_For = visit_While = visit_With = _statements


def _assignment(node: ast.AnnAssign) -> ast.stmt:
    """Return a statement without its hint."""
    value = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
    return ast.fix_missing_locations(ast.copy_location(value, node))


def _class(node: ast.ClassDef, parts: set[str]) -> Class:
    functions = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    methods: dict[str, list[Definition]] = {}
    for one in functions:
        methods.setdefault(one.name, []).append(_definition(one, parts))
    called = {one.name for one in functions if one.name.startswith("__") or not _quiet(one)}
    bases = [ast.unparse(base).partition("[")[0] for base in node.bases]
    rest = [one for one in node.body if one not in functions and not _is_docstring(one)]
    named = [
        one.value.value
        for one in rest
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Constant)
        and _bound(one) == ["name"]
    ]
    known = not any(word.arg == "known" for word in node.keywords)
    head = ast.ClassDef(node.name, node.bases, node.keywords, rest or [ast.Pass()], [])
    head.decorator_list = node.decorator_list
    return Class(
        _definition(ast.fix_missing_locations(ast.copy_location(head, node)), parts),
        bases,
        methods,
        sorted(called & methods.keys()),
        str(named[0] if named else node.name) if known else "",
        "__init_subclass__" in methods,
    )


def _definition(node: ast.stmt, parts: set[str]) -> Definition:
    tables = _Tables(parts)
    tree = _plain(node)
    code = compile(ast.Module([tables.visit(node)], []), "", "exec", optimize=0)
    names, attributes, strings = set[str](), set[str](), set[str]()
    for function in _codes(code):
        strings |= set(filter(WORD.fullmatch, _strings(function.co_consts)))
        for instruction in dis.get_instructions(function):
            if instruction.opname.endswith(("_GLOBAL", "_NAME", "_GLOBALS")):
                names.add(instruction.argval)
            elif instruction.opcode in dis.hasname:
                attributes.add(instruction.argval)
        if READS_BY_NAME & names:
            attributes |= set(filter(str.isidentifier, strings))
    for one in ast.walk(node):
        if isinstance(one, ast.Import | ast.ImportFrom):
            names |= {dotted for _, dotted in _imports(one)}
    digest = digest_of_bytes(json.dumps(tree).encode())
    return Definition(digest, sorted(names), sorted(attributes), sorted(strings), tables.found)


class _Tables(ast.NodeTransformer):
    """Takes the values out of tables whose keys are all names of parts: a part's value is its code."""

    def __init__(self, parts: set[str]) -> None:
        self.parts, self.found = parts, dict[str, list[str]]()

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        keys = [str(key.value) if isinstance(key, ast.Constant) else "" for key in node.keys]
        simple = (ast.Name, ast.Attribute, ast.Constant)
        whole = all(isinstance(value, simple) for value in node.values)
        if not (keys and whole and self.parts.issuperset(keys)):
            return self.generic_visit(node)
        for key, value in zip(keys, node.values, strict=True):
            names = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
            self.found[key] = sorted({*self.found.get(key, ()), *names})
        return ast.copy_location(ast.Dict([], []), node)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _strings(constants: Iterable[object]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple | frozenset):
            yield from _strings(constant)


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, and the dotted name of what it stands for."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        else:
            yield alias.asname or alias.name, alias.name


def _bound(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    inner = [
        _bound(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)
    ]  # of an if or a try
    stored = [
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    return list(dict.fromkeys(chain(stored, *inner)))


def _quiet(node: ast.stmt) -> bool:
    """Return whether a statement does nothing but bind names, and hands no function to a library."""
    if isinstance(node, ast.FunctionDef):
        calls = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        return all(ast.unparse(one).rpartition(".")[2] in QUIET for one in calls)
    return isinstance(node, ast.Assign) and all(
        isinstance(target, ast.Name | ast.Tuple) for target in node.targets
    )


def _is_guard(node: ast.stmt) -> bool:
    """Return whether a statement is only for type checkers, or only for a file that is run itself."""
    test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
    return test == "TYPE_CHECKING" or test.startswith("__name__ ==")


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
