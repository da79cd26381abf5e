"""What is not lines of UTF-8 is known by its first bytes, and the cure works as it is typed."""

import bz2
import gzip
import io
import json
import lzma
import re
import shutil
import sqlite3
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed_files import tar

from attnmt.corpora.normal_form import normalized
from attnmt.errors import InputError
from attnmt.files.file_kind import markup_of, why_not_lines
from attnmt.files.text_file import find_markup, read_lines

LINES = ["Das schöne Haus – ein „Wort“.", "", "Käse & <Brot>"]
TEXT = "".join(f"{line}\n" for line in LINES)
COMMAND = re.compile(r": ((?:gzip|bzip2|xz|zstd|iconv|sed|grep|python|tr) .*? > (?:'[^']*'|\S+))")
TAR = tar({"x.de": b"a\n"}, "w")
RECORDS = [{"id": "x", "translation": {"en": "no", "de": line}} for line in LINES]


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


def database() -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table t (a)")
        return connection.serialize()


def array() -> bytes:
    packed = io.BytesIO()
    np.save(packed, np.arange(3))
    return packed.getvalue()


CONVERTED = {
    "gzip twice": (gzip.compress(gzip.compress(TEXT.encode())), "data compressed by gzip twice"),
    "bzip2": (bz2.compress(TEXT.encode()), "data compressed by bzip2"),
    "xz": (lzma.compress(TEXT.encode()), "data compressed by xz"),
    "UTF-16": (TEXT.encode("utf-16"), "text in UTF-16"),
    "UTF-16 from a Mac": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "text in UTF-16"),
    "UTF-32": (TEXT.encode("utf-32"), "text in UTF-32"),
    **{
        f"{code} without a mark": (TEXT.encode(code), f"text in {code.upper()}")
        for code in ("utf-16le", "utf-16be", "utf-32le", "utf-32be")
    },
    "cp1252": (TEXT.encode("cp1252"), "byte 0xf6 is not UTF-8"),
    "JSON": ("".join(json.dumps(one) + "\n" for one in RECORDS).encode(), "lines of JSON"),
    "NAACL's text": (
        "".join(f"<s snum={n:04d}> {line} </s>\n" for n, line in enumerate(LINES)).encode(),
        "text whose lines have tags",
    ),
    "old Mac": (TEXT.replace("\n", "\r").encode(), "its lines end in carriage returns alone"),
    "IWSLT's text": (
        f"<url>http://x</url>\n<keywords>a</keywords>\n{TEXT}<title>T</title>\n".encode(),
        "text among lines of tags",
    ),
}


@pytest.mark.parametrize("name", ["corpus.de", "my corpus.de.xz"])
@pytest.mark.parametrize("packed", [False, True], ids=["", "gz"])
@pytest.mark.parametrize(("content", "what"), CONVERTED.values(), ids=CONVERTED)
def test_the_cure_gives_the_text(write, content, what, packed, name):
    if packed and what.endswith("twice"):
        pytest.skip("three times is no other case")
    path = write(name, gzip.compress(content) if packed else content)
    assert re.match(rf"{re.escape(str(path))}(:1)?: (this is )?{what}", cure(path))
    made = path.with_name("my corpus.de" if "my" in name else "corpus.plain.de")
    assert read_lines(made) == LINES


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs zstd")
def test_zstd_is_unpacked_and_nothing_is_overwritten(write):
    write("x.de", b"kept\n")
    packed = subprocess.run(["zstd", "-c"], input=TEXT.encode(), capture_output=True, check=True)
    path = write("x.de.zst", packed.stdout)
    cure(path)
    assert read_lines(path.with_name("x.de")) == ["kept"]
    assert read_lines(path.with_name("x.plain.de")) == LINES


OTHER = {
    "zip": (zipped("a.txt"), "a zip archive, not lines of UTF-8; unpack it: unzip "),
    "docx": (zipped("[Content_Types].xml", "a\n", "word/document.xml"), "a Word document"),
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel sheet"),
    "odt": (zipped("mimetype"), "an Office document"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "an older Office document"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(9), "a 7z archive, not lines of UTF-8; unpack it: 7z x "),
    "tar": (TAR, "a tar archive, not lines of UTF-8; unpack it: tar -xf "),
    "tgz": (gzip.compress(TAR), "a tar archive"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\n", "a PDF"),
    "RTF": (b"{\\rtf1\\ansi Haus}", "a document in RTF"),
    "Parquet": (b"PAR1\x15\x04", "a Parquet file"),
    "database": (database(), "an SQLite database"),
    "array": (array(), "an array of NumPy"),
    "LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "a pointer of Git LFS, not the file itself, not lines of UTF-8; fetch the file: git lfs pull",
    ),
    "page": (b"\n<!DOCTYPE HTML PUBLIC>\n<html><body>404</body></html>", "a web page"),
    "page without a type": (b"<html lang='en'><head><title>x</title>", "a web page"),
    "XML": (b"<?xml version='1.0'?>\n<!-- x -->\n<corpus>\n", "XML (<corpus>)"),
    "XLIFF": (b'<?xml version="1.0"?>\n<xliff version="1.2">', "markup (<xliff>)"),
    "TMX": (b'\xef\xbb\xbf<tmx version="1.4">', "markup (<tmx>)"),
    "JSON in a piece": (b'{\n  "data": [\n    {"en": "a"}\n]}\n', "JSON"),
    "an array of JSON": (b'[{"en": "a", "de": "b"}, {"en": "c"}]\n', "JSON"),
    "WebVTT": (
        b"WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nHaus\r\n",
        "a file of subtitles (WebVTT)",
    ),
    "WebVTT with a name": (
        b"WEBVTT - Haus\nKind: captions\n\n00:01.000 --> 00:02.000\nHaus\n",
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
    "gettext without a head": (
        b'msgctxt "a"\nmsgid "A "\n"house"\nmsgstr "Haus"\n',
        "a file of mess",
    ),
    **{
        f"<{tag}> alone": (f"<{tag}>\r\n<a>\r\n".encode(), f"{what} (<{tag.lower()}>)")
        for what, tags in {
            "markup": ("mteval", "srcset", "refset", "tstset", "dataset", "tmx", "xliff"),
            "XML": ("TEI", "corpus"),
        }.items()
        for tag in tags
    },
    "<corpus> before a tag": (b"<corpus> <s>Haus</s></corpus>\n", "XML (<corpus>)"),
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
        "<dataset> is one, too\n",
        '<dataset id="a"> is one, too\n',
        "<srcset> and\n<refset>\n",
        "<corpus>, <TEI> and <xliff> are tags\n",
        "<b>\n",
        "WEBVTT is a format\n",
        "WEBVTT\u00fc\n --> \n",
        "1\n00:00 is midnight\n",
        'msgid "a" is a message\n',
        '[{"a"}]\n',
        "[" * 3000 + "\n",
        "a\rb\nc\n",
        "< 5\n",
        "<!-- no comment\n",
        "{Applaus} Danke.\n",
        '{"a": 1\nb\n',
        "[1, 2]\n[3]\n",
        "{}\n{}\n",
        "BZ ist eine Zeitung\n",
        "PK\n",
        "7z\n",
        "%PDF\n",
        "version 1\n",
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
        ("cp1253", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."),
        ("gb18030", "我们的房子很大,花园也很漂亮。"),
        ("euc-kr", "우리 집은 크고 정원도 아름답습니다."),
    ],
)
def test_the_encoding_is_guessed_and_shown(write, encoding, line):
    path = write("x.txt", "".join(f"{line}\n" for _ in range(20)).encode(encoding))
    assert repr(line[:10])[:-1] in cure(path)
    assert read_lines(path.with_name("x.plain.txt")) == [line] * 20


@pytest.mark.parametrize(
    ("encoding", "lines"),
    [("iso-2022-jp", ["私の家", "庭"]), ("iso-2022-kr", ["우리 집", "정원"])],
)
def test_text_in_seven_bits_is_known(write, encoding, lines):
    path = write("x.txt", "".join(f"{line}\n" for line in lines).encode(encoding))
    assert f"text in {encoding.upper()}" in cure(path)
    assert read_lines(path.with_name("x.plain.txt")) == lines


SCRIPTS = {  # how Article 1 of the Universal Declaration of Human Rights begins
    "Russian": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.",
    "Arabic": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "Hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता",
    "Punjabi": "ਸਾਰੇ ਮਨੁੱਖ ਆਜ਼ਾਦ ਪੈਦਾ ਹੁੰਦੇ ਹਨ",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน",
    "Amharic": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
    "Chinese": "人人生而自由，在尊严和权利上一律平等。",
    "Japanese": "すべての人間は、生まれながらにして自由であり",
}
WIDE = ["utf-16le", "utf-16be", "utf-32le", "utf-32be"]


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("line", SCRIPTS.values(), ids=SCRIPTS)
def test_wide_text_without_a_mark_is_known_in_any_script(write, encoding, line):
    path = write("x.txt", f"{line}\r\n{line}\r\n".encode(encoding))
    assert f"this is text in {encoding.upper()}, " in cure(path)
    assert read_lines(path.with_name("x.plain.txt")) == [line, line]


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("text", ["Все люди", "人人\r生\r", "生\n"], ids=["space", "Mac", "short"])
def test_one_line_end_or_space_tells_a_wide_encoding(write, encoding, text):
    with pytest.raises(InputError, match=f"this is text in {encoding.upper()}, "):
        read_lines(write("x", text.encode(encoding)))


@pytest.mark.parametrize("before", ["", "ä" * 3000, "Haus\n" * 2000])
def test_a_nul_byte_in_other_text_is_a_control_character(write, before):
    """A large corpus may have one; it is no sign of another encoding, and parts two words."""
    (*_, line) = read_lines(write("x", f"{before}ein\0Haus\n".encode()))
    assert normalized(line).endswith("ein Haus")


def test_a_tag_of_many_attributes_is_looked_at_once():
    """A second way to read an attribute would double the steps with each of them."""
    tag = "<img" + ' data-a="1"' * 2000
    for text in (f"{tag} /> is a tag.", tag, f"{tag} a='"):
        assert why_not_lines(text.encode(), Path("x"), False) is None
        assert markup_of(text, Path("x")) is None


def test_a_line_is_made_of_each_record_of_json_or_none_at_all(write):
    """The first record says nothing of its text, one has a line break, one half a character."""
    records = [{"t": None}, {"t": {"de": " ein \n Haus"}}, {"u": 1}, {"t": {"de": None}}]
    records += [{"t": {"de": "\ud800 ü"}}]
    content = "\ufeff" + "\n\n".join(map(json.dumps, records))
    path = write("x.json", content.encode())
    with pytest.raises(InputError, match="lines of JSON") as error:
        read_lines(path)
    command, made = COMMAND.search(str(error.value))[1], path.with_name("x.plain.json")
    subprocess.run(["bash", "-c", command], check=True)
    assert made.read_text() == "\nein Haus\n\n\n? ü\n"
    path.write_text(content + '\n{"t": {"de": "ei')
    assert subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE).returncode != 0
    assert made.read_text() == ""


def test_what_is_no_text_at_all_gets_no_guess(write):
    path = write("x", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    with pytest.raises(InputError, match="x:1: byte 0x89 is not UTF-8; it has many control char"):
        read_lines(path)


def test_one_faulty_line_of_many_is_not_taken_for_another_encoding(write):
    path = write("x.de", TEXT.encode() + b"sch\xf6n\n" + TEXT.encode())
    assert re.search(r"x\.de:4: byte 0xf6 .* correct this line, or drop", cure(path, check=False))
    assert read_lines(path.with_name("x.plain.de")) == [*LINES, "schn", *LINES]


@pytest.mark.parametrize("name", ["x.gz", "x"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_gzip_is_known_by_its_bytes_and_not_by_its_name(write, name, pack):
    assert read_lines(write(name, pack(TEXT.encode()))) == LINES


@pytest.mark.parametrize(
    ("name", "content", "markup"),
    [
        ("x", b'<srcset setid="x" srclang="any">', "sgm"),
        ("x.xml", b'<?xml version="1.0"?>\n<mteval>\n<refset>', "sgm"),
        ("x.sgm", b"\n<hl>", "sgm"),
        ("x.SGM.gz", b"\n", "sgm"),
        ("x", b'<!DOCTYPE srcset SYSTEM "a.dtd">\n<srcset>', "sgm"),
        ("x.xml", b'<?xml version="1.0"?><dataset id="a">', "wmt"),
        ("x", "<?xml version='1.0' encoding='utf-16'?>\n<!-- a -->\n<tmx>".encode("utf-16"), "tmx"),
        ("x.xml", b"<dataset>\n<collection>", "wmt"),
        ("x.tmx", b"<tmx><header/>", "tmx"),
        ("x.tmx", '<?xml version="1.0"?>\n<tmx version="1.4">'.encode("utf-16le"), "tmx"),
        ("x.xml", b'<dataset id="a"> is a tag\n', None),
        ("x.xml", b"<dataset> is a tag\n", None),
        ("x.tmx", b"Ein Haus.\n", None),
    ],
)
def test_markup_is_known(write, name, content, markup):
    assert find_markup(write(name, content)) == markup
