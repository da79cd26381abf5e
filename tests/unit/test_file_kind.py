"""What is not lines of UTF-8 is known by its first bytes, and the cure works as it is typed."""

import bz2
import gzip
import io
import lzma
import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed_files import tar

from attnmt.corpora.normal_form import normalized
from attnmt.errors import InputError
from attnmt.files.encodings import LOOKED_AT, cure_of_encoding
from attnmt.files.text_file import find_markup, read_lines

LINES = ["Das schöne Haus – ein „Wort“.", "", "Käse & <Brot>"]
TEXT = "".join(f"{line}\n" for line in LINES)
COMMAND = re.compile(r": ((?:gzip|bzip2|xz|iconv|sed|grep) .*? > (?:'[^']*'|\S+))")
TAR = tar({"x.de": b"a\n"}, "w")


def cure(path: Path, *, check: bool = True) -> str:
    """Run the command that an error about a file names; return the error's message."""
    with pytest.raises(InputError) as error:
        read_lines(path)
    command = COMMAND.search(str(error.value))
    assert command is not None, error.value
    subprocess.run(["bash", "-c", command[1]], check=check)
    return str(error.value)


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "application/vnd.oasis.opendocument.text")
    return packed.getvalue()


CONVERTED = {
    "gzip twice": (gzip.compress(gzip.compress(TEXT.encode())), "data compressed by gzip twice"),
    "bzip2": (bz2.compress(TEXT.encode()), "data compressed by bzip2"),
    "xz": (lzma.compress(TEXT.encode()), "data compressed by xz"),
    "UTF-16": (TEXT.encode("utf-16"), "text in UTF-16"),
    "UTF-16 from a Mac": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "text in UTF-16"),
    "UTF-16LE": (TEXT.encode("utf-16le"), "text in UTF-16LE"),
    "UTF-16BE": (TEXT.encode("utf-16be"), "text in UTF-16BE"),
    "cp1252": (TEXT.encode("cp1252"), "byte 0xf6 is not UTF-8"),
    "NAACL's text": (
        "".join(f"<s snum={n:04d}> {line} </s>\n" for n, line in enumerate(LINES)).encode(),
        "text whose lines have tags",
    ),
    "IWSLT's text": (
        f"<url>http://x</url>\n<keywords>a</keywords>\n{TEXT}<title>T</title>\n".encode(),
        "text among lines of tags",
    ),
}


@pytest.mark.parametrize(
    ("name", "made", "pack"),
    [
        ("corpus.de", "corpus.plain.de", bytes),
        ("my corpus.de.xz", "my corpus.de", bytes),
        ("kept.de.gz", "kept.plain.de", gzip.compress),
    ],
)
@pytest.mark.parametrize(("content", "what"), CONVERTED.values(), ids=CONVERTED)
def test_the_cure_gives_the_text_and_overwrites_nothing(write, content, what, name, made, pack):
    if pack == gzip.compress and what.endswith("twice"):
        pytest.skip("three times is no other case")
    kept = write("kept.de", b"kept\n")
    path = write(name, pack(content))
    assert re.match(rf"{re.escape(str(path))}(:1)?: (this is )?{what}", cure(path))
    assert read_lines(path.with_name(made)) == LINES
    assert read_lines(kept) == ["kept"]


def test_the_encoding_is_found_however_late_its_first_letter_comes(tmp_path):
    lines = [b"a b\n"] * (LOOKED_AT + 1) + ["Haus und H\xf6fe\n".encode("cp1252")]
    path = tmp_path / "x.de"
    path.write_bytes(b"".join(lines))
    assert "iconv -f cp1252" in cure_of_encoding(lines, path)


OTHER = {
    "zip": (zipped("a.txt"), "a zip archive, not lines of UTF-8; unpack it: unzip "),
    "docx": (zipped("[Content_Types].xml", "a\n", "word/document.xml"), "a Word document"),
    "odt": (zipped("mimetype"), "an Office document"),
    "tgz": (gzip.compress(TAR), "a tar archive, not lines of UTF-8; unpack it: tar -xf "),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\n", "a PDF"),
    "RTF": (b"{\\rtf1\\ansi Haus}", "a document in RTF"),
    "Parquet": (b"PAR1\x15\x04", "a Parquet file"),
    "LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "a pointer of Git LFS, not the file itself, not lines of UTF-8; fetch the file: git lfs pull",
    ),
    "page": (b"\n<!DOCTYPE HTML PUBLIC>\n<html><body>404</body></html>", "a web page"),
    "page without a type": (b"<html lang='en'><head><title>x</title>", "a web page"),
    "XML": (b"<?xml version='1.0'?>\n<!-- x -->\n<corpus>\n", "XML"),
    "XLIFF": (b'<?xml version="1.0"?>\n<xliff version="1.2">', "markup (XLIFF)"),
    "TMX": (b'\xef\xbb\xbf<tmx version="1.4">', "markup"),
    "SGM": (b"<srcset>\r\n<a>\r\n", "markup"),
    "JSON in a piece": (b'{\n  "data": [\n    {"en": "a"}\n]}\n', "JSON"),
    "lines of JSON": (b'{"en": "a", "de": "b"}\n{"en": "c"}\n', "JSON"),
    "WebVTT": (
        b"WEBVTT - Haus\r\n\r\n00:01.000 --> 00:02.000\r\nHaus\r\n",
        "a file of subtitles (WebVTT)",
    ),
    "SubRip": (
        b"\xef\xbb\xbf1\r\n00:00:01,000 --> 00:00:02,000\r\nHaus\r\n",
        "a file of subtitles (SubRip)",
    ),
    "gettext": (
        b'# Haus\n#\n\nmsgid ""\nmsgstr ""\n"Language: de\\n"\n',
        "a file of messages (PO)",
    ),
}


@pytest.mark.parametrize(("content", "what"), OTHER.values(), ids=OTHER)
def test_what_holds_no_lines_is_named(write, content, what):
    with pytest.raises(InputError) as error:
        read_lines(write("x", content))
    assert f"x: this is {what}" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "<b>Ein Haus</b>\n",
        "<html> is a tag\n",
        '<dataset id="a"> is one, too\n',
        "WEBVTT is a format\n",
        "1\n00:00 is midnight\n",
        'msgid "a" is a message\n',
        "[" * 3000 + "\n",
        "a\rb\nc\n",
        "<!-- no comment\n",
        "{Applaus} Danke.\n",
        "BZ ist eine Zeitung\n",
    ],
)
def test_text_that_looks_a_little_like_something_else_is_read(write, text):
    assert read_lines(write("x", text.encode())) == text.removesuffix("\n").split("\n")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))))
def test_no_text_is_taken_for_something_else(tmp_path_factory, lines):
    text = "\n".join(["x", *lines])
    path = tmp_path_factory.getbasetemp() / "random"
    path.write_text(text, encoding="utf-8", newline="\n")
    assert read_lines(path) == text.removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("cp1252", "Tällä hetkellä meillä on pieniä hiiriä, jotka eivät enää sairastu."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
        ("cp1251", "Съешь ещё этих мягких французских булок, да выпей чаю."),
        ("gb18030", "我们的房子很大,花园也很漂亮。"),
        ("utf-16le", "人人生而自由，在尊严和权利上一律平等。"),
    ],
)
def test_the_encoding_is_guessed_and_shown(write, encoding, line):
    path = write("x.txt", "".join(f"{line}\n" for _ in range(20)).encode(encoding))
    message = cure(path)
    assert repr(line[:10])[:-1] in message or f"text in {encoding.upper()}" in message
    assert read_lines(path.with_name("x.plain.txt")) == [line] * 20


@pytest.mark.parametrize("nul", ["\0", " \0 "])
@pytest.mark.parametrize("before", ["", "ä" * 3000, "Haus\n" * 2000])
def test_a_nul_byte_in_other_text_is_a_control_character(write, before, nul):
    """A large corpus may have one; it is no sign of another encoding, and parts two words."""
    (*_, line) = read_lines(write("x", f"{before}ein{nul}Haus\n".encode()))
    assert " ".join(normalized(line).split()).endswith("ein Haus")


def test_one_faulty_line_of_many_is_not_taken_for_another_encoding(write):
    path = write("x.de", TEXT.encode() + b"sch\xf6n\n" + TEXT.encode())
    assert re.search(r"x\.de:4: byte 0xf6 .* correct this line, or drop", cure(path, check=False))
    assert read_lines(path.with_name("x.plain.de")) == [*LINES, "schn", *LINES]


@pytest.mark.parametrize(
    ("name", "content", "markup"),
    [
        ("x", b'<srcset setid="x" srclang="any">', "sgm"),
        ("x.xml", b'<?xml version="1.0"?>\n<mteval>\n<refset>', "sgm"),
        ("x.SGM.gz", b"\n", "sgm"),
        ("x", b'<!DOCTYPE srcset [<!ENTITY a "b">]>\n<srcset>', "sgm"),
        ("x.xml", b'<?xml version="1.0"?><dataset id="a">', "wmt"),
        ("x.tmx", b"<tmx><header/>", "tmx"),
        ("x", "<?xml version='1.0' encoding='utf-16'?>\n<!-- a -->\n<tmx>".encode("utf-16"), "tmx"),
        ("x.tmx", '<?xml version="1.0"?>\n<tmx version="1.4">'.encode("utf-16le"), "tmx"),
        ("x.xml", b'<dataset id="a"> is a tag\n', None),
        ("x.tmx", b"Ein Haus.\n", None),
    ],
)
def test_markup_is_known(write, name, content, markup):
    assert find_markup(write(name, content)) == markup
