"""docs/extending.md as the tests read it: its blocks, and how they are applied to a copy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attnmt.model.attention import scores
from attnmt.model.fast import encoder

PAGE = Path(__file__).parents[2] / "docs/extending.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r'# (\S+), (a new file|at the end|below "(.+)"|in place of the sections of .*)')
SECTION = re.compile(
    r"^(\w+):.*\n(?:(?:[ ].*)?\n)*", re.MULTILINE
)  # of YAML, indented lines included


@dataclass(frozen=True)
class Block:
    """One block of code: what a reader writes into ``file``, or types where ``file`` is None."""

    recipe: str
    text: str
    file: str | None
    place: str
    anchor: str | None

    def apply(self, folder: Path) -> None:
        """Do what the block's first line says in a copy of the project."""
        assert self.file is not None
        path = folder / self.file
        if self.place == "a new file":
            assert not path.exists()
            path.write_text(self.text)
            return
        before = path.read_text()
        if self.place == "at the end":
            path.write_text(f"{before}\n\n{self.text}")
        elif self.anchor is not None:
            lines = before.splitlines(keepends=True)
            (at,) = (i for i, line in enumerate(lines) if line.startswith(self.anchor))
            path.write_text("".join([*lines[: at + 1], self.text, *lines[at + 1 :]]))
        else:
            for section in SECTION.finditer(self.text):
                (old,) = (one for one in SECTION.finditer(before) if one[1] == section[1])
                before = before[: old.start()] + section[0] + before[old.end() :]
            path.write_text(before)


def blocks() -> list[Block]:
    """Return the page's blocks in their order."""
    found = []
    for recipe in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = recipe.partition("\n")[0]
        for language, text in BLOCK.findall(recipe):
            if language == "sh":
                found.append(Block(title, text, None, "typed", None))
                continue
            first, _, rest = text.partition("\n")
            place = PLACE.fullmatch(first)
            assert place is not None, f"{title}: {first}"
            found.append(Block(title, rest, place[1], place[2], place[3]))
    return found


@contextmanager
def parts_known() -> Iterator[None]:
    """Have this process know the page's score and encoder, as if each stood at the end of its file."""
    files = {"scores.py": scores, "encoder.py": encoder}
    registries = (scores.SCORES, encoder.ENCODERS)
    before = [dict(registry) for registry in registries]
    try:
        for block in blocks():
            if block.file is not None and (module := files.get(Path(block.file).name)):
                exec(f"from __future__ import annotations\n{block.text}", dict(vars(module)))
        yield
    finally:
        for registry, classes in zip(registries, before, strict=True):
            registry.clear()
            registry.update(classes)
