"""The raw text of an experiment: ``<set>.en`` and ``<set>.de``, and gold links where known."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from attnmt.config import File, GrammarCorpus, ParallelFiles, Source
from attnmt.corpora.archives import extract
from attnmt.corpora.downloads import fetch
from attnmt.corpora.links import format_links, parse_links, parse_talp
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.corpora.sgm import read_parallel_sgm
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, read_text, write_lines, write_text
from attnmt.grammar import generate_splits


def write_generated(corpus: GrammarCorpus, folder: Path) -> None:
    """Write every set of the demo's grammar and the gold links of its pairs."""
    for name, pairs in generate_splits(corpus.sizes, corpus.seed).items():
        write_lines(folder / f"{name}.en", (pair.source for pair in pairs))
        write_lines(folder / f"{name}.de", (pair.target for pair in pairs))
        links = (format_links(pair.sure, pair.possible) for pair in pairs)
        write_lines(folder / f"{name}.links", links)


def write_downloaded(source: Source, train: str, folder: Path, downloads: Path) -> None:
    """Fetch, unpack, check and concatenate the files of every set.

    Args:
        train: the name of the training set. In the other sets no line may be blank, because their
            scores would then count fewer sentences than they claim.
        folder: where ``<set>.en``, ``<set>.de`` and, for gold links, ``<set>.links`` are written.
        downloads: the folder that keeps what was fetched.

    Raises:
        InputError: if a file cannot be fetched (see :func:`attnmt.corpora.downloads.fetch`) or
            unpacked, or is empty or not in its encoding; if the sides of a set do not correspond; if a
            line is blank where none may be.
    """
    fetched = fetch(source.downloads(), downloads)
    for name, sides in source.files.items():
        with TemporaryDirectory(dir=folder) as unpacked:
            try:
                texts = _unpack(sides.all(), fetched, Path(unpacked))
                rows = _rows(sides, texts, name == train)
                ends = ("en", "de", "links") if sides.links else ("en", "de")
                _write_set(rows, [folder / f"{name}.{end}" for end in ends])
            except InputError as error:  # it must not name a folder that is about to be deleted
                kept = next(iter(fetched.values())).parent
                raise InputError(str(error).replace(f"{unpacked}/", f"{kept}/")) from None


def _unpack(files: Sequence[File], fetched: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """Unpack and convert texts into ``folder``; return the path of each in UTF-8, by its name."""
    texts: dict[str, Path] = {}
    members: dict[Path, dict[str, Path]] = {}  # by archive
    for file in files:
        texts[file.text] = fetched[file.name]
        if file.member is not None:
            texts[file.text] = folder / file.text
            members.setdefault(fetched[file.name], {})[file.member] = texts[file.text]
    for archive, targets in members.items():
        extract(archive, targets)
    for file in {file.text: file for file in files}.values():  # a set may name a text twice
        if file.encoding != "utf-8":
            text = read_text(texts[file.text], file.encoding)
            texts[file.text] = folder / file.text
            write_text(texts[file.text], text)
    return texts


def _rows(
    sides: ParallelFiles, texts: Mapping[str, Path], may_be_blank: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the English line, the German line and, where known, the links of every pair of a set."""
    for i, (en, de) in enumerate(zip(sides.en, sides.de, strict=True)):
        paths = [texts[en.text], texts[de.text]]
        if en.text.endswith(".sgm"):
            yield from read_parallel_sgm(*paths)
            continue
        gold = texts[sides.links[i].text] if sides.links else None
        files = [*paths, gold] if gold else paths
        count_parallel_lines(files)
        for number, row in enumerate(zip(*map(iter_lines, files), strict=True), start=1):
            if gold and not "".join(row).strip():
                continue  # RWTH's files have such a line; it is not a pair
            if not may_be_blank:
                _refuse_blank(paths, row, number)
            yield (*row[:2], _links(gold, row[2], number)) if gold else row


def _refuse_blank(paths: Iterable[Path], row: Iterable[str], number: int) -> None:
    for path, line in zip(paths, row, strict=False):
        if not line.strip():
            raise InputError(
                f"{path}:{number}: blank line in a set that is scored; "
                f"take the pair out of both languages' files"
            )


def _links(path: Path, line: str, number: int) -> str:
    """Return a line of gold links in Pharaoh's format."""
    parse = parse_talp if path.suffix == ".talp" else parse_links
    return format_links(*parse(line, f"{path}:{number}"))


def _write_set(rows: Iterable[tuple[str, ...]], paths: Iterable[Path]) -> None:
    """Write each column of the rows into a file."""
    with ExitStack() as stack:
        streams = [
            stack.enter_context(path.open("w", encoding="utf-8", newline="\n")) for path in paths
        ]
        for row in rows:
            for stream, line in zip(streams, row, strict=True):
                stream.write(f"{line}\n")
