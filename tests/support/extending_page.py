"""The score and the encoder of docs/extending.md, as the tests read them."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).parents[2] / "docs/extending.md"
BLOCK = re.compile(
    r"^```python\n# src/(attnmt/model/\w+/\w+)\.py\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@contextmanager
def parts_known() -> Iterator[None]:
    """Have this process know the page's parts, as if each stood in its file."""
    names = []
    for path, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        name = path.replace("/", ".")
        module = sys.modules[name] = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        exec(text, vars(module))
        names.append(name)
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
