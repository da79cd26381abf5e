"""Sets in SGM or TSV made to plain lines. The suffix of a file's name says what it is."""

from collections.abc import Mapping
from pathlib import Path

from attnmt.config import LINKS
from attnmt.corpora.parallel import MOST_REFERENCES, reference_suffixes
from attnmt.corpora.sgm import Version, joined_sides, read_sgm
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

Codes = tuple[str, str]  # of source and target


def has_suffix(path: Path, suffix: str) -> bool:
    """Return whether a file's name ends in a suffix, or in the same with ``.gz``."""
    return path.name.lower().removesuffix(".gz").endswith(suffix)


def plain_set(files: Mapping[str, Path], codes: Codes, folder: Path) -> dict[str, Path]:
    """Return a set's files as they are if they are plain lines, and else write such files.

    A TSV has both sides, source and target, and is given for both. All versions of a language in SGM
    come along: two translators of ``de`` become ``de`` and ``de.2``.

    Args:
        files: by suffix; see ``SetFiles``.
        folder: where files are written.

    Raises:
        InputError: if only some of the files are SGM or TSV, or one cannot be read.
    """
    texts = {suffix: path for suffix, path in files.items() if suffix != LINKS}
    for kind, convert in ((".sgm", _from_sgm), (".tsv", _from_tsv)):
        others = [path for path in texts.values() if not has_suffix(path, kind)]
        if not others:
            links = {LINKS: files[LINKS]} if LINKS in files else {}
            return convert(texts, codes, folder) | links
        if len(others) < len(texts):
            raise InputError(
                f"{others[0]}: not {kind}, as another file of its set; give all in one form"
            )
    return dict(files)


def _from_tsv(texts: Mapping[str, Path], codes: Codes, folder: Path) -> dict[str, Path]:
    path, *others = texts.values()
    if set(texts) != set(codes) or others != [path]:
        raise InputError(f"{path}: a TSV has both sides; give it for both, and no other file")
    rows = []
    for number, line in enumerate(iter_lines(path), start=1):
        rows.append(line.split("\t"))
        if len(rows[-1]) < len(codes):
            raise InputError(f"{path}:{number}: no tab; write a source, a tab and its translation")
    plain = {code: folder / f"{path.name}.{code}" for code in codes}
    for column, code in enumerate(codes):
        write_lines(plain[code], (row[column] for row in rows))
    return plain


def _from_sgm(texts: Mapping[str, Path], codes: Codes, folder: Path) -> dict[str, Path]:
    sides: dict[str, list[tuple[Path, Version]]] = {code: [] for code in codes}
    for suffix, path in sorted(texts.items()):  # de before de.2
        sides[suffix.partition(".")[0]] += [(path, version) for version in read_sgm(path)]
    rows = joined_sides(*sides.values())
    plain: dict[str, Path] = {}
    for side, code in enumerate(codes):
        width = max(len(row[side]) for row in rows)
        if width > MOST_REFERENCES:
            raise InputError(
                f"{texts[code]}: {width} versions of {code!r}; a set may have {MOST_REFERENCES}"
            )
        for at, suffix in enumerate([code, *reference_suffixes([code])][:width]):
            plain[suffix] = folder / f"{texts[code].name}.{suffix}"
            lines = (row[side][at] if at < len(row[side]) else "" for row in rows)
            write_lines(plain[suffix], lines)
    return plain
