"""Sets in SGM and TSV become plain lines; other forms are refused with what converts them."""

import gzip
from pathlib import Path

import pytest

from attnmt.corpora.plain import plain_set
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines

CODES = ("en", "de")


def sgm(kind: str, *versions: list[str]) -> bytes:
    """Return a set of one document, with the segments of each version."""
    documents = (
        f'<doc docid="d" sysid="{name}">'
        + "".join(f'<seg id="{number}">{text}</seg>' for number, text in enumerate(texts))
        + "</doc>"
        for name, texts in enumerate(versions)
    )
    return f'<{kind} setid="x">{"".join(documents)}</{kind}>'.encode()


def texts(folder: Path, **files: Path) -> dict[str, list[str]]:
    """Return the lines of the plain files of a set."""
    plain = plain_set({key.replace("_", "."): path for key, path in files.items()}, CODES, folder)
    return {suffix: read_lines(path, may_be_blank=True) for suffix, path in plain.items()}


def test_plain_files_stay_where_they_are(write, tmp_path):
    files = {code: write(f"x.{code}", b"a\tb\n") for code in CODES} | {"links": Path("gold")}
    assert plain_set(files, CODES, tmp_path) == files


def test_all_versions_of_a_language_come_along(write, tmp_path):
    two = sgm("refset", ["Eins.", "Zwei."], ["1.", ""])
    read = texts(
        tmp_path,
        en=write("s.sgm.gz", gzip.compress(sgm("srcset", ["One.", "Two &amp; a half."]))),
        de=write("r.SGM", two),
        de_2=write("r2.sgm", sgm("refset", ["", "Die zwei."])),
    )
    assert read == {
        "en": ["One.", "Two & a half."],
        "de": ["Eins.", "Zwei."],
        "de.2": ["1.", "Die zwei."],
    }


def test_both_sides_of_a_tsv_are_read(write, tmp_path):
    path = write("my pairs.tsv.gz", gzip.compress(b"a house\tein Haus\tCC\n\tleer\n"))
    assert texts(tmp_path, en=path, de=path) == {"en": ["a house", ""], "de": ["ein Haus", "leer"]}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"x.tsv": b"a\tb\nc\n"}, r"x\.tsv:2: no tab"),
        ({"x.tsv": b"a\tb\n", "y.tsv": b"a\tb\n"}, r"x\.tsv: a TSV has both sides"),
        ({"x.tsv": b"a\tb\n", "y.de": b"a\n"}, r"y\.de: not \.tsv"),
        ({"x.sgm": sgm("srcset", ["a"]), "y.de": b"a\n"}, r"y\.de: not \.sgm"),
        (
            {"x.sgm": sgm("srcset", ["a", "b"]), "y.sgm": sgm("refset", ["a"])},
            r"y\.sgm: no text of segment '1' in document 'd'",
        ),
        (
            {"x.sgm": sgm("srcset", ["a"]), "y.sgm": sgm("refset", *[["a"]] * 10)},
            r"y\.sgm: 10 versions",
        ),
    ],
)
def test_what_does_not_fit_is_named(write, tmp_path, files, message):
    paths = [write(name, content) for name, content in files.items()]
    with pytest.raises(InputError, match=message):
        texts(tmp_path, en=paths[0], de=paths[-1])
