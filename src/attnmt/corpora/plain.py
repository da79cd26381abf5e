"""Sets in markup made to plain lines: SGM, WMT's XML and TMX, known by their first bytes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from attnmt.config import LINKS
from attnmt.corpora.parallel import MOST_REFERENCES, reference_suffixes
from attnmt.corpora.segments import Side, join_sides, widths
from attnmt.corpora.sgm import read_sgm
from attnmt.corpora.tmx import memory_pairs
from attnmt.corpora.wmt_xml import read_wmt
from attnmt.errors import InputError
from attnmt.files.file_kind import Markup
from attnmt.files.text_file import find_markup, write_lines

Codes = tuple[str, str]  # of source and target
_NAMES = {"sgm": "SGM", "wmt": "XML", "tmx": "TMX", None: "plain lines"}


class PlainSet(NamedTuple):
    """The files of a set as plain lines, by suffix, and what a person should know of how they came."""

    files: dict[str, Path]
    notes: list[str]


def plain_set(files: Mapping[str, Path], codes: Codes, folder: Path) -> PlainSet:
    """Return a set's files as they are if they are plain lines, and else write such files.

    All versions of a language come along: two translators of ``de`` become ``de`` and ``de.2``.

    Args:
        files: by suffix; see ``SetFiles``.
        folder: where files are written, as ``<suffix>``.

    Raises:
        InputError: if only some of the files have markup, or one cannot be read.
    """
    texts = {suffix: path for suffix, path in files.items() if suffix != LINKS}
    markup = {path: find_markup(path) for path in texts.values()}
    kinds = set(markup.values())
    if kinds == {None}:
        return PlainSet(dict(files), [])
    if None in kinds or ("tmx" in kinds and len(kinds) > 1):
        one, *rest = markup
        other = next(path for path in rest if markup[path] != markup[one])
        raise InputError(
            f"{one} is {_NAMES[markup[one]]} and {other} is {_NAMES[markup[other]]}; give all files of "
            f"a set in one form"
        )
    if "tmx" in kinds:
        made, notes = _from_memory(texts, codes, folder)
    else:
        made, notes = _from_segments(texts, markup, codes, folder)
    links = {LINKS: files[LINKS]} if LINKS in files else {}
    return PlainSet(made | links, notes)


@contextmanager
def original_names(plain: Mapping[str, Path], given: Mapping[str, Path]) -> Iterator[None]:
    """Have an error name the file that was given in place of one that was made of it."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for suffix, path in sorted(plain.items(), key=lambda item: -len(str(item[1]))):
            original = given.get(suffix, given.get(suffix.partition(".")[0], path))
            if original != path:
                message = message.replace(f"{path}", f"{original} (text of {suffix!r})")
        raise InputError(message) from None


def _from_memory(
    texts: Mapping[str, Path], codes: Codes, folder: Path
) -> tuple[dict[str, Path], list[str]]:
    paths = list(texts.values())
    if set(texts) != set(codes) or not paths[0].samefile(paths[1]):
        raise InputError(f"{paths[0]}: a TMX has both sides; give it for both, and no other file")
    pairs, note = memory_pairs(paths[0], codes)
    made = {code: folder / code for code in codes}
    source, target = (made[code].open("w", encoding="utf-8") for code in codes)
    with source, target:
        for one, other in pairs:
            source.write(f"{one}\n")
            target.write(f"{other}\n")
    return made, [note] if note else []


def _from_segments(
    texts: Mapping[str, Path], markup: Mapping[Path, Markup | None], codes: Codes, folder: Path
) -> tuple[dict[str, Path], list[str]]:
    sides: dict[str, Side] = {code: [] for code in codes}
    for suffix in sorted(texts):  # de before de.2
        code, path = suffix.partition(".")[0], texts[suffix]
        sides[code] += read_wmt(path, code) if markup[path] == "wmt" else read_sgm(path)
    rows, notes = join_sides(sides[codes[0]], sides[codes[1]], "wmt" in markup.values())
    made: dict[str, Path] = {}
    for at, (code, width) in enumerate(zip(codes, widths(rows), strict=True)):
        if width > MOST_REFERENCES:
            raise InputError(
                f"{texts[code]}: {width} versions of {code!r}; a set may have {MOST_REFERENCES}"
            )
        for version, suffix in enumerate([code, *reference_suffixes([code])][:width]):
            made[suffix] = folder / suffix
            lines = (row[at][version] if version < len(row[at]) else "" for row in rows)
            write_lines(made[suffix], lines)
    paths = ", ".join(map(str, markup))
    return made, [f"{paths}: {note}" for note in notes]
