"""The score and the encoder of docs/extending.md, as the tests read them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attnmt.model.attention import scores
from attnmt.model.fast import encoder

PAGE = Path(__file__).parents[2] / "docs/extending.md"
BLOCK = re.compile(r"^```\w+\n# \S*/(\w+\.py), at the end\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@contextmanager
def parts_known() -> Iterator[None]:
    """Have this process know the page's score and encoder, as if each stood at the end of its file."""
    files = {"scores.py": scores, "encoder.py": encoder}
    registries = (scores.SCORES, encoder.ENCODERS)
    before = [dict(registry) for registry in registries]
    try:
        for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            if name in files:
                exec(f"from __future__ import annotations\n{text}", dict(vars(files[name])))
        yield
    finally:
        for registry, classes in zip(registries, before, strict=True):
            registry.clear()
            registry.update(classes)
