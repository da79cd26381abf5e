"""Sets in SGM or TSV made to plain lines, and RWTH's links to Pharaoh's; a file's suffix says which."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from attnmt.config import LINKS
from attnmt.corpora.language_codes import language_code
from attnmt.corpora.links import GoldLinks, format_links, read_links
from attnmt.corpora.sgm import Place, read_sgm
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines

Codes = tuple[str, str]  # of source and target


def plain_set(files: Mapping[str, Path], codes: Codes, folder: Path) -> dict[str, Path]:
    """Return a set's files as they are if they are plain, and write plain files of the others.

    A TSV has both sides, source and target, and is given for both. Segments of SGM are paired by ids.

    Raises:
        InputError: if a file cannot be read, or files in SGM have not the same segments.
    """
    plain: dict[str, Path] = {}
    first: dict[Place, str] = {}  # the segments of the first file in SGM
    for suffix, path in files.items():
        name = path.name.lower().removesuffix(".gz")
        lines: Iterable[str]
        if suffix == LINKS and name.endswith(".talp"):
            lines = (format_links(*line) for line in read_rwth(path, codes))
        elif name.endswith(".sgm"):
            own = read_sgm(path)
            first = first or own
            if odd := first.keys() ^ own.keys():
                doc, number = min(odd)
                raise InputError(
                    f"{path}: segment {number!r} of document {doc!r} is not in all files of its set; "
                    f"get the files of one set, or take it out of all"
                )
            lines = (own[place] for place in first)
        elif name.endswith(".tsv"):
            if any(other != path for key, other in files.items() if key != LINKS):
                raise InputError(
                    f"{path}: a TSV has both sides; give it for both, and no other file"
                )
            lines = _column(path, codes.index(suffix))
        else:
            plain[suffix] = path
            continue
        plain[suffix] = folder / f"{path.name}.{suffix}"
        write_lines(plain[suffix], lines)
    return plain


def read_rwth(path: Path, codes: Codes) -> list[GoldLinks]:
    """Read RWTH's ``1-1 1p2``, from 1, as source-target links; German comes first in their files."""
    return read_links(path, first=1, exchanged=language_code(codes[1]) == "de")


def _column(path: Path, column: int) -> Iterator[str]:
    for number, line in enumerate(iter_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) == 1:
            raise InputError(f"{path}:{number}: no tab; write a source, a tab and its translation")
        yield cells[column]
