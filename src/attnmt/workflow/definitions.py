"""What stands in a file of Python: its definitions, with a digest and what each of them mentions.

A definition is what a module calls by a name: a function, a method, a class without its methods, or what
other statements bind. Its digest is that of its syntax tree without comments, docstrings, formatting and
hints of types.
"""

import ast
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from types import CodeType
from typing import Any, NamedTuple

DIGITS = 16  # of a SHA-256 in hexadecimal; they tell two versions of a definition apart
LOADING = ""  # the name of all statements that do more than bind names when a module is loaded
# Decorators that change nothing about who calls a function. Others may hand it to a library.
QUIET = {"property", "setter", "cached_property", "classmethod", "staticmethod", "abstractmethod"}
QUIET |= {"cache", "contextmanager", "dataclass", "overload", "wraps", "no_grad", "inference_mode"}
# Foreign bases of which a library calls no method, or only those in CALLED. Of any other, all count.
PLAIN = {"ABC", "NamedTuple", "Protocol", "Generic", "BaseModel", "RootModel", "StrEnum"}
PLAIN |= {"Module", "Function", "Exception", "SystemExit", "dict"}
CALLED = {"forward", "backward", "extra_repr"}  # by torch
WORD = re.compile(r"[\w.-]{1,40}", re.ASCII)  # a text that may name a file or an attribute
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom


class Definition(NamedTuple):
    """What counts of a definition."""

    digest: str
    # what it mentions: names that are not local, attributes, texts, and what it imports itself, as a.b.c
    words: set[str]


class Module(NamedTuple):
    """A file of Python."""

    definitions: dict[str, Definition]  # by their names; a method's is C.method
    classes: dict[str, str]  # by what name a system would name each
    imported: dict[str, str]  # the dotted name of what a name of the module stands for


def digest_of_bytes(content: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def parse(content: bytes, file: str) -> Module:
    """Return what stands in a file.

    Raises:
        SyntaxError: if it is not Python.
    """
    tree = _WithoutHints().visit(ast.parse(content, file))
    imported = dict(
        chain.from_iterable(_imports(one) for one in tree.body if isinstance(one, Import))
    )
    bound, classes = defaultdict[str, list[ast.stmt]](list), dict[str, str]()
    called = defaultdict[str, set[str]](set)  # methods that count with their class
    for node in tree.body:
        if isinstance(node, Import) or _does_nothing(node):
            continue
        if isinstance(node, ast.ClassDef):
            classes[node.name] = _part(node)
            ours = {*classes, *(name for name, of in imported.items() if of.startswith("attnmt."))}
            foreign = _has_foreign_base(node, ours)
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            rest = [one for one in node.body if one not in methods and not _is_docstring(one)]
            node.body = rest or [ast.copy_location(ast.Pass(), node)]
            for one in methods:
                name = f"{node.name}.{one.name}"
                bound[name].append(one)
                if foreign or one.name.startswith("__") or not _is_quiet(one):
                    called[node.name].add(name)
        names = _bound(node)
        for name in names:
            bound[name].append(node)
        if not names or not _is_quiet(node):
            bound[LOADING].append(node)
    definitions = {name: _definition(found, called[name]) for name, found in bound.items()}
    return Module(definitions, classes, imported)


class _WithoutHints(ast.NodeTransformer):
    """Removes hints of types, but not those in the body of a class, of which libraries make fields."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        # Python 3.12 has empty parts in some of them, and 3.11 does not.
        node.values = [one for one in node.values if ast.unparse(one) != "''"]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return self.generic_visit(ast.fix_missing_locations(ast.copy_location(value, node)))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [
            one if isinstance(one, ast.AnnAssign) else self.visit(one) for one in node.body
        ]
        return node


def _part(node: ast.ClassDef) -> str:
    """Return how a system would name a class: by its ``name``, or else by that of the class."""
    given = [
        one.value for one in node.body if isinstance(one, ast.Assign) and _bound(one) == {"name"}
    ]
    return ast.unparse(given[0]).strip("'") if given else node.name


def _has_foreign_base(node: ast.ClassDef, ours: set[str]) -> bool:
    """Return whether a library may call any method of a class, because of its base."""
    bases = [ast.unparse(base).partition("[")[0].rpartition(".") for base in node.bases]
    return any((outer or name) not in ours and name not in PLAIN for outer, _, name in bases)


def _definition(nodes: Sequence[ast.stmt], called: set[str]) -> Definition:
    """Return what counts of the statements that bind a name."""
    # Python itself says which names are not local.
    outer = set(_names(compile(ast.Module([*nodes], []), "", "exec", optimize=0)))
    words = set(called)
    for node in chain.from_iterable(map(ast.walk, nodes)):
        if isinstance(node, ast.Name):
            words |= {node.id} & outer
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.Constant) and WORD.fullmatch(str(node.value)):
            words.add(str(node.value))
        elif isinstance(node, Import):
            words |= {dotted for _, dotted in _imports(node)}
    return Definition(digest_of_bytes(json.dumps(_plain([*nodes])).encode()), words)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names in a code object and in the functions in it that are not local."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _imports(node: Import) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, and the dotted name of what it stands for."""
    outer = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        yield alias.asname or alias.name, f"{outer}{alias.name}"


def _bound(node: ast.AST) -> set[str]:
    """Return the names that a statement of a module binds, also in an ``if`` or a ``try``."""
    if isinstance(node, Named):
        return {node.name}
    if isinstance(node, ast.comprehension | ast.Lambda):
        return set()
    stored = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    return stored.union(*map(_bound, ast.iter_child_nodes(node)))


def _is_quiet(node: ast.stmt) -> bool:
    """Return whether a statement only binds names, and hands what it binds to no library."""
    if isinstance(node, Named):
        calls = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        return all(ast.unparse(one).rpartition(".")[2] in QUIET for one in calls)
    places = node.targets if isinstance(node, ast.Assign) else [node]
    return all(isinstance(place, ast.Name | ast.Tuple) for place in places)


def _does_nothing(node: ast.stmt) -> bool:
    """Return whether a module does nothing there: a docstring, or what waits for another program."""
    test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
    waits = test == "TYPE_CHECKING" or test.startswith("__name__ ==")
    return waits or isinstance(node, ast.Pass) or _is_docstring(node)


def _is_docstring(node: object) -> bool:
    """Return whether a statement is only a string, which does nothing, wherever it stands."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _plain(node: object) -> Any:
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
