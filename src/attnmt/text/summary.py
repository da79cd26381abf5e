"""What the encode stage says about a family's text: ``summary.json``, read strictly."""

import hashlib
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from attnmt.config.strict import Name
from attnmt.errors import InputError
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.files.text_file import sha256
from attnmt.files.yaml_file import hint


class Side(Record):
    """One language of a set."""

    tokens: Positive


class SetCounts(Record):
    """A set of sentence pairs."""

    lines: Positive
    text: dict[Name, Side]  # by language


class Summary(Record):
    """A family's text: its sets, its vocabularies, and a digest of every byte that a training reads."""

    languages: Annotated[list[Name], Field(min_length=2, max_length=2)]  # source and target
    sets: dict[Name, SetCounts]
    vocabulary: dict[Name, Positive]  # entries of each language
    pieces: bool
    digest: Text

    @model_validator(mode="after")
    def _has_both_languages(self) -> Self:
        in_parts = [list(self.vocabulary), *(list(counts.text) for counts in self.sets.values())]
        for languages in in_parts:
            if languages != self.languages:
                raise ValueError(f"languages {self.languages}, but also {languages}")
        return self

    def of(self, name: str, folder: Path) -> SetCounts:
        """Return the counts of a set; ``folder`` is where the summary lies.

        Raises:
            InputError: if there is no such set.
        """
        if name not in self.sets:
            raise InputError(
                f"{folder / 'summary.json'}: sets: no set {name!r}{hint(name, self.sets)}; "
                f"{again(folder)}"
            )
        return self.sets[name]


def read_summary(folder: Path) -> Summary:
    """Read the summary of a folder that the encode stage wrote.

    Raises:
        InputError: if it is missing or damaged.
    """
    return read_model(folder / "summary.json", Summary, again(folder))


def training_digest(folder: Path) -> str:
    """Return the digest of every byte in the folder that a training reads: vocabularies and ids."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("vocab.*"), *folder.glob("*.npy")]):
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()


def again(folder: Path) -> str:
    """Return what is to be done about a damaged file of the folder."""
    return f"run encode of {folder.name} again"
