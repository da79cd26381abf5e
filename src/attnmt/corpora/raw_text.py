"""The raw text of an experiment: ``<set>.<suffix>``, such as ``train.en``; see ``SetFiles``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from attnmt.config import LINKS, File, GrammarCorpus, Languages, SetFiles, Sets, Source
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
        write_lines(folder / f"{name}.{LINKS}", links)


def write_downloaded(source: Source, train: str, folder: Path, downloads: Path) -> None:
    """Fetch, unpack, check and concatenate the files of every set.

    Args:
        train: the name of the training set. In the other sets no line may be blank, because their
            scores would then count fewer sentences than they claim.
        folder: where ``<set>.<suffix>`` is written.
        downloads: the folder that keeps what was fetched.

    Raises:
        InputError: if a file cannot be fetched (see :func:`attnmt.corpora.downloads.fetch`) or
            unpacked, or is empty or not in its encoding; if the sides of a set do not correspond; if a
            line is blank where none may be.
    """
    fetched = fetch(source.downloads(), downloads)
    for name, files in source.files.items():
        with TemporaryDirectory(dir=folder) as unpacked:
            try:
                listed = [file for together in files.values() for file in together]
                texts = _unpack(listed, fetched, Path(unpacked))
                rows = _rows(files, texts, name == train)
                _write_set(rows, [folder / f"{name}.{suffix}" for suffix in files])
            except InputError as error:
                # The message must not name a folder that is about to be deleted.
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


def write_local(local: Path, languages: Languages, sets: Sets, folder: Path) -> None:
    """Check the files of every set in the user's folder, and copy them.

    Raises:
        InputError: if a file is missing, empty or not UTF-8; if the files of a set do not correspond;
            if a line is blank where none may be.
    """
    for name in sets.all():
        files = local_files(local, languages, name)
        rows = _together(files, name == sets.train)
        _write_set(rows, [folder / f"{name}.{suffix}" for suffix in files])


def local_files(local: Path, languages: Languages, name: str) -> dict[str, Path]:
    """Return the user's files of a set by their suffix.

    Raises:
        InputError: if the file of a language is missing, or there is both a file and its ``.gz``.
    """
    needed = list(languages.codes)
    possible = [*needed, *(f"{code}.{n}" for code in needed for n in range(2, 10)), LINKS]
    files: dict[str, Path] = {}
    for suffix in possible:
        ways = [Path(local, f"{name}.{suffix}{end}") for end in ("", ".gz")]
        there = [path for path in ways if path.is_file()]
        if len(there) > 1:
            raise InputError(f"{there[0]}: there is {there[1].name}, too; keep one of the two")
        if there:
            files[suffix] = there[0]
        elif suffix in needed:
            raise InputError(
                f"{ways[0]}: no such file; put the text of {suffix!r} there, or link it"
            )
    return files


def _rows(
    files: SetFiles, texts: Mapping[str, Path], may_be_blank: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the lines of every pair of a set, in the order of the suffixes."""
    for together in zip(*files.values(), strict=True):
        paths = {suffix: texts[file.text] for suffix, file in zip(files, together, strict=True)}
        if together[0].text.endswith(".sgm"):
            yield from read_parallel_sgm(*paths.values())
        else:
            yield from _together(paths, may_be_blank)


def _together(paths: Mapping[str, Path], may_be_blank: bool) -> Iterator[tuple[str, ...]]:
    """Yield the corresponding lines of files, which are given by suffix; links in Pharaoh's format."""
    count_parallel_lines(paths.values())
    for number, lines in enumerate(zip(*map(iter_lines, paths.values()), strict=True), start=1):
        row = dict(zip(paths, lines, strict=True))
        if LINKS in row:
            if not "".join(lines).strip():
                continue  # RWTH's files have such a line; it is not a pair
            row[LINKS] = _links(paths[LINKS], row[LINKS], number)
        if not may_be_blank:
            _refuse_blank(paths, row, number)
        yield tuple(row.values())


def _refuse_blank(paths: Mapping[str, Path], row: Mapping[str, str], number: int) -> None:
    for suffix, line in row.items():
        if suffix != LINKS and not line.strip():
            raise InputError(
                f"{paths[suffix]}:{number}: blank line in a set that is scored; "
                f"take the pair out of all files of the set"
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
