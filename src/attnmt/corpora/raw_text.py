"""The raw text of an experiment: ``<set>.<suffix>``, such as ``train.en``; see ``SetFiles``."""

import shutil
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from attnmt.config import LINKS, File, Languages, Sets, Source
from attnmt.corpora.downloads import fetch
from attnmt.corpora.own_text import write_divided
from attnmt.corpora.parallel import parallel_rows
from attnmt.corpora.plain import Codes, plain_set
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

HELD_OUT = 5000  # pairs at most of each set that is held out of the training text
Part = Mapping[str, Path]  # files whose lines correspond, by suffix


def write_downloaded(
    source: Source,
    codes: Codes,
    sets: Sets,
    folder: Path,
    downloads: Path,
    accepted: Collection[str] = (),
    place: str = "corpus.accept",
) -> None:
    """Fetch, unpack, check and concatenate the files of every set.

    Args:
        codes: the codes of source and target.
        sets: their names. Only the training set may have blank lines.
        folder: where ``<set>.<suffix>`` is written.
        downloads: the folder that keeps what was fetched.
        accepted, place: as :func:`attnmt.corpora.downloads.fetch` takes them.

    Raises:
        InputError: if a file cannot be fetched (see :func:`attnmt.corpora.downloads.fetch`) or
            unpacked, or is empty or not in its encoding; if the sides of a set do not correspond; if a
            line is blank where none may be.
    """
    fetched = fetch(source.downloads(), downloads, accepted, place)
    for name, files in source.files.items():
        with TemporaryDirectory(dir=folder) as unpacked:
            try:
                listed = [file for together in files.values() for file in together]
                texts = _unpack(listed, fetched, Path(unpacked))
                parts = [
                    {suffix: texts[file.text] for suffix, file in zip(files, together, strict=True)}
                    for together in zip(*files.values(), strict=True)
                ]
                _write_set(name, parts, codes, folder, scored=name != sets.train)
            except InputError as error:
                # The message must not name a folder that is about to be deleted.
                kept = next(iter(fetched.values())).parent
                raise InputError(str(error).replace(f"{unpacked}/", f"{kept}/")) from None
    if source.hold_out:
        text = folder / f"{sets.train}.{codes[0]}", folder / f"{sets.train}.{codes[1]}"
        names = [sets.train, *(name for name in sets.all() if name not in source.files)]
        rule = source.hold_out.model_dump() | {"place": "corpus.hold_out"}
        left_out = write_divided(text, codes, HELD_OUT, folder, names, **rule)
        print(f"note: {left_out:,} pairs are held out and in no set", file=sys.stderr)


def write_local(local: Path, languages: Languages, sets: Sets, folder: Path) -> None:
    """Check the files of every set in the user's folder, and copy them.

    Raises:
        InputError: if a file is missing, empty or not UTF-8; if the files of a set do not correspond;
            if a line is blank where none may be.
    """
    for name in sets.all():
        part = _local_files(local, languages, name)
        _write_set(name, [part], languages.codes, folder, scored=name != sets.train)


def _local_files(local: Path, languages: Languages, name: str) -> dict[str, Path]:
    """Return the user's files of a set by their suffix."""
    needed = list(languages.codes)
    files: dict[str, Path] = {}
    for suffix in [*needed, LINKS]:
        both = [local / f"{name}.{suffix}{end}" for end in ("", ".gz")]
        there = [path for path in both if path.is_file()]
        if len(there) > 1:
            raise InputError(f"{both[0]}: there is {both[1].name}, too; keep one of the two")
        if there:
            files[suffix] = there[0]
        elif suffix in needed:
            raise InputError(
                f"{both[0]}: no such file; put the text of {suffix!r} there, or link it"
            )
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
            lines = list(iter_lines(texts[file.text], encoding=file.encoding))
            texts[file.text] = folder / file.text
            write_lines(texts[file.text], lines)
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
        plain = [plain_set(part, codes, Path(mkdtemp(dir=made))) for part in parts]
        suffixes = dict.fromkeys(suffix for part in plain for suffix in part)
        streams = {
            suffix: stack.enter_context((folder / f"{name}.{suffix}").open("w", encoding="utf-8"))
            for suffix in suffixes
        }
        changed, total = Counter[str](), 0
        for part in plain:
            for row in parallel_rows(part, scored, changed):
                total += 1
                lines = dict(zip(part, row, strict=True))
                for suffix, stream in streams.items():  # a part may have fewer references
                    stream.write(f"{lines.get(suffix, '')}\n")
    for suffix, count in changed.items():
        what = f"{name}.{suffix}: {count:,} of {total:,} lines were brought into one form"
        said = "accents composed, invisible and control characters taken out"
        if suffix == LINKS:
            what, said = name, f"{count:,} lines are blank in all of its files, and left out"
        if count:
            print(f"note: {what}: {said}", file=sys.stderr)
