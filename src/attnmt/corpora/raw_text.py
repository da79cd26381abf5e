"""The raw text of an experiment: ``<set>.<suffix>``, such as ``train.en``; see ``SetFiles``."""

import shutil
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from attnmt.config import LINKS, File, Languages, Sets, Source
from attnmt.corpora.downloads import fetch
from attnmt.corpora.gold_links import read_gold
from attnmt.corpora.links import format_links
from attnmt.corpora.normal_form import form_note
from attnmt.corpora.parallel import count_parallel_lines, parallel_rows, reference_suffixes
from attnmt.corpora.plain import Codes, original_names, plain_set
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path
from attnmt.files.text_file import read_text, write_lines, write_text

Part = Mapping[str, Path]  # files whose lines correspond, by suffix


def write_downloaded(
    source: Source, codes: Codes, train: str, folder: Path, downloads: Path
) -> None:
    """Fetch, unpack, check and concatenate the files of every set.

    Args:
        codes: the codes of source and target.
        train: the name of the training set, the only one in which lines may be blank.
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
                parts = [
                    {suffix: texts[file.text] for suffix, file in zip(files, together, strict=True)}
                    for together in zip(*files.values(), strict=True)
                ]
                _write_set(name, parts, codes, folder, scored=name != train)
            except InputError as error:
                # The message must not name a folder that is about to be deleted.
                kept = next(iter(fetched.values())).parent
                raise InputError(str(error).replace(f"{unpacked}/", f"{kept}/")) from None


def write_local(local: Path, languages: Languages, sets: Sets, folder: Path) -> None:
    """Check the files of every set in the user's folder, and copy them.

    Raises:
        InputError: if a file is missing, empty or not UTF-8; if the files of a set do not correspond;
            if a line is blank where none may be.
    """
    for name in sets.all():
        part = local_files(local, languages, name)
        _write_set(name, [part], languages.codes, folder, scored=name != sets.train)


def local_files(local: Path, languages: Languages, name: str) -> dict[str, Path]:
    """Return the user's files of a set by their suffix.

    Raises:
        InputError: if the file of a language is missing, or there is both a file and its ``.gz``.
    """
    needed = list(languages.codes)
    possible = [*needed, *reference_suffixes(needed), LINKS]
    files: dict[str, Path] = {}
    for suffix in possible:
        plain, packed = (local / f"{name}.{suffix}{end}" for end in ("", ".gz"))
        if plain.is_file() and packed.is_file():
            raise InputError(f"{plain}: there is {packed.name}, too; keep one of the two")
        if plain.is_file() or packed.is_file():
            files[suffix] = plain if plain.is_file() else packed
        elif suffix in needed:
            raise InputError(f"{plain}: no such file; put the text of {suffix!r} there, or link it")
    return files


def _unpack(files: Sequence[File], fetched: Mapping[str, Path], folder: Path) -> dict[str, Path]:
    """Unpack and convert texts into ``folder``; return the path of each in UTF-8, by its name."""
    members: dict[str, set[str]] = defaultdict(set)  # by archive
    texts: dict[str, Path] = {}
    for file in files:
        texts[file.text] = folder / file.text if file.member else fetched[file.name]
        if file.member:
            members[file.name].add(file.member)
    for archive, wanted in members.items():
        extract(fetched[archive], wanted, folder / archive)
    for file in {file.text: file for file in files}.values():  # a set may name a text twice
        if file.encoding != "utf-8":
            text = read_text(texts[file.text], file.encoding)
            texts[file.text] = folder / file.text
            write_text(texts[file.text], text)
    return texts


def extract(archive: Path, members: Collection[str], folder: Path) -> None:
    """Write the chosen members of an archive as ``folder/<member>``; it is streamed once."""
    missing = set(members)
    try:
        with tarfile.open(archive, mode="r|gz") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if name in missing and (content := tar.extractfile(member)):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    with (folder / name).open("wb") as stream:
                        shutil.copyfileobj(content, stream)
                    missing.remove(name)
    except (tarfile.TarError, OSError) as error:
        why = f"cannot be unpacked: {error}; get a good copy of the archive"
        raise InputError(f"{archive}: {why}") from None
    if missing:
        raise InputError(f"{archive}: has no file {', '.join(sorted(missing))}; check member")


def _write_set(name: str, parts: Sequence[Part], codes: Codes, folder: Path, scored: bool) -> None:
    """Write the files of a set, one for each suffix, from its parts one after another."""
    with TemporaryDirectory(dir=folder) as made, ExitStack() as stack:
        plain = [_plain(part, codes, Path(made, str(n))) for n, part in enumerate(parts)]
        suffixes = dict.fromkeys(suffix for part in plain for suffix in part)
        paths = [stack.enter_context(atomic_path(folder / f"{name}.{s}")) for s in suffixes]
        streams = [stack.enter_context(path.open("w", encoding="utf-8")) for path in paths]
        changed, total = Counter[str](), 0
        for part, given in zip(plain, parts, strict=True):
            with original_names(part, given):
                for row in parallel_rows(part, scored, changed):
                    total += 1
                    lines = dict(zip(part, row, strict=True))
                    for stream, suffix in zip(streams, suffixes, strict=True):
                        stream.write(
                            f"{lines.get(suffix, '')}\n"
                        )  # a part may have fewer references
    if blank := changed.pop(LINKS, 0):
        said = f"{blank:,} lines are blank in all of its files, and left out"
        print(f"note: {name}: {said}", file=sys.stderr)
    for suffix in changed:
        print(f"note: {name}.{suffix}: {form_note(changed[suffix], total)}", file=sys.stderr)


def _plain(part: Part, codes: Codes, folder: Path) -> Part:
    """Return the files of a part as plain lines and Pharaoh's links; say what is left out."""
    folder.mkdir()
    files, notes = plain_set(part, codes, folder)
    if LINKS in files:
        pairs = count_parallel_lines([files[codes[0]]])
        gold = read_gold(files[LINKS], codes, pairs)
        if not gold.as_written:
            files[LINKS] = folder / LINKS
            write_lines(files[LINKS], (format_links(*line) for line in gold.links))
            notes += gold.notes
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return files
