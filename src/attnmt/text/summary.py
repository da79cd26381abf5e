"""What the encode stage says about a family's text: ``summary.json``, read strictly."""

import hashlib
from pathlib import Path

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
    en: Side
    de: Side


class Entries(Record):
    """How many entries the vocabularies have."""

    en: Positive
    de: Positive

    def of(self, language: str) -> int:
        """Return the number of a language's entries."""
        return {"en": self.en, "de": self.de}[language]


class Summary(Record):
    """A family's text: its sets, its vocabularies, and a digest of every byte that a training reads."""

    sets: dict[Name, SetCounts]
    vocabulary: Entries
    pieces: bool
    digest: Text

    def of(self, name: str, folder: Path) -> SetCounts:
        """Return the counts of a set; ``folder`` is where the summary lies.

        Raises:
            InputError: if there is no such set.
        """
        if name not in self.sets:
            raise InputError(
                f"{folder / 'summary.json'}: sets: no set {name!r}{hint(name, self.sets)}; "
                f"{_again(folder)}"
            )
        return self.sets[name]


def read_summary(folder: Path) -> Summary:
    """Read the summary of a folder that the encode stage wrote.

    Raises:
        InputError: if it is missing or damaged.
    """
    return read_model(folder / "summary.json", Summary, _again(folder))


def digest_of(folder: Path) -> str:
    """Return the digest of every byte in the folder that a training reads: vocabularies and ids."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("vocab.*"), *folder.glob("*.npy")]):
        digest.update(f"{path.name} {sha256(path)}\n".encode())
    return digest.hexdigest()


def _again(folder: Path) -> str:
    return f"run encode of {folder.name} again"
