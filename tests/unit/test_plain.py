"""Sets in SGM and TSV become plain lines; other forms are refused with what converts them."""

import gzip
from pathlib import Path

import pytest

from attnmt.corpora.plain import plain_set
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines

CODES = ("en", "de")


def sgm(kind: str, texts: list[str]) -> bytes:
    """Return a set of one document."""
    segments = "".join(f'<seg id="{number}">{text}</seg>' for number, text in enumerate(texts))
    return f'<{kind} setid="x"><doc docid="d" sysid="s">{segments}</doc></{kind}>'.encode()


def texts(folder: Path, **files: Path) -> dict[str, list[str]]:
    """Return the lines of the plain files of a set."""
    plain = plain_set({key.replace("_", "."): path for key, path in files.items()}, CODES, folder)
    return {suffix: read_lines(path, may_be_blank=True) for suffix, path in plain.items()}


def test_plain_files_stay_where_they_are(write, tmp_path):
    files = {code: write(f"x.{code}", b"a\tb\n") for code in CODES} | {"links": Path("gold")}
    assert plain_set(files, CODES, tmp_path) == files


def test_segments_are_paired_by_their_ids(write, tmp_path):
    read = texts(
        tmp_path,
        en=write("s.sgm.gz", gzip.compress(sgm("srcset", ["One.", "Two &amp; a half."]))),
        de=write("r.SGM", sgm("refset", ["Eins.", "Zwei."])),
    )
    assert read == {"en": ["One.", "Two & a half."], "de": ["Eins.", "Zwei."]}


def test_both_sides_of_a_tsv_are_read(write, tmp_path):
    path = write("my pairs.tsv.gz", gzip.compress(b"a house\tein Haus\tCC\n\tleer\n"))
    assert texts(tmp_path, en=path, de=path) == {"en": ["a house", ""], "de": ["ein Haus", "leer"]}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"x.tsv": b"a\tb\nc\n"}, r"x\.tsv:2: no tab"),
        ({"x.tsv": b"a\tb\n", "y.tsv": b"a\tb\n"}, r"x\.tsv: a TSV has both sides"),
        (
            {"x.sgm": sgm("srcset", ["a", "b"]), "y.sgm": sgm("refset", ["a"])},
            r"y\.sgm: segment '1' of document 'd'",
        ),
    ],
)
def test_what_does_not_fit_is_named(write, tmp_path, files, message):
    paths = [write(name, content) for name, content in files.items()]
    with pytest.raises(InputError, match=message):
        texts(tmp_path, en=paths[0], de=paths[-1])
