"""The raw text of a profile: ``<set>.en`` and ``<set>.de``, gold links where they are known."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from attnmt.config import DownloadCorpus, GrammarCorpus
from attnmt.data.grammar import generate_splits
from attnmt.data.links import format_links
from attnmt.data.parallel import count_parallel_lines
from attnmt.data.sources import fetch
from attnmt.errors import InputError
from attnmt.files import iter_lines, write_lines


def write_generated(corpus: GrammarCorpus, folder: Path) -> None:
    """Write every set of the demo's grammar and the gold links of its pairs."""
    for name, pairs in generate_splits(corpus.sizes, corpus.seed).items():
        write_lines(folder / f"{name}.en", (pair.source for pair in pairs))
        write_lines(folder / f"{name}.de", (pair.target for pair in pairs))
        links = (format_links(pair.sure, pair.possible) for pair in pairs)
        write_lines(folder / f"{name}.links", links)


def write_downloaded(corpus: DownloadCorpus, train: str, folder: Path, downloads: Path) -> None:
    """Fetch, check and concatenate the files of every set; ``downloads`` keeps what was fetched.

    Raises:
        InputError: if a file cannot be had (see :func:`attnmt.data.sources.fetch`), is empty or not
            UTF-8, if the two sides differ in their lines, or if a set other than ``train`` has a
            blank line: its scores would be of fewer sentences than it says.
    """
    for name, sides in corpus.files.items():
        en = [fetch(file, downloads) for file in sides.en]
        de = [fetch(file, downloads) for file in sides.de]
        for pair in zip(en, de, strict=True):
            count_parallel_lines(pair)
            if name != train:
                _refuse_blank_lines(pair)
        _concatenate(en, folder / f"{name}.en")
        _concatenate(de, folder / f"{name}.de")


def _refuse_blank_lines(paths: Iterable[Path]) -> None:
    for path in paths:
        for number, line in enumerate(iter_lines(path), start=1):
            if not line.strip():
                raise InputError(
                    f"{path}:{number}: blank line in a set that is scored; "
                    f"take the pair out of both languages' files"
                )


def _concatenate(paths: Iterable[Path], target: Path) -> None:
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{line}\n" for line in _lines(paths))


def _lines(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        yield from iter_lines(path)
