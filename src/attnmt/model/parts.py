"""Scores, windows and encoders by their names in the configuration. Each is a module of its own.

``local_p`` is the class ``LocalP`` in ``windows/local_p.py``. So a new part is one more file, and its
code counts only for systems that name it (:mod:`attnmt.workflow.dependencies`).
"""

import re
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from attnmt.errors import InputError
from attnmt.files.yaml_file import suggestion


def module_of(kind: str, name: str) -> str:
    """Return the module of a part: for the window ``local_p``, ``attnmt.model.windows.local_p``.

    Raises:
        InputError: if there is no such module.
    """
    package = f"{__package__}.{kind}s"
    file = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if find_spec(f"{package}.{file}") is None:
        known = [one.name for one in iter_modules(import_module(package).__path__)]
        known += [_class_name(one) for one in known]
        raise InputError(
            f"no {kind} {name!r}{suggestion(name, known)}; it would be {package}.{file}"
        )
    return f"{package}.{file}"


def part(kind: str, name: str) -> Any:
    """Return the class of a part of a kind: a score, a window or an encoder.

    Raises:
        InputError: if there is no such module, or it lacks the class.
    """
    class_name = _class_name(name)
    module = module_of(kind, name)
    if not hasattr(import_module(module), class_name):
        raise InputError(f"{module}: no class {class_name}, which {kind}: {name} names")
    return getattr(import_module(module), class_name)


def _class_name(name: str) -> str:
    return "".join(one[0].upper() + one[1:] for one in name.split("_"))
