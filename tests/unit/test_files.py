"""Files are read strictly, and what is written is read back."""

import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, read_json, read_lines, write_json, write_lines

SQUARES = "\n".join(str(i * i) for i in range(2000))
PACKED = gzip.compress(SQUARES.encode())
GERMAN = "ein Haus\nschön\n"
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"))


def test_line_ends_and_byte_order_marks_are_no_part_of_lines(write):
    path = write("x", b"\xef\xbb\xbfa \xe2\x80\xa8 b\r\n\nc\rd\n e")
    assert read_lines(path) == ["a \u2028 b", "", "c\rd", " e"]
    assert read_lines(write("x.gz", PACKED)) == SQUARES.split()


@given(lines=st.lists(TEXT, min_size=1).filter(lambda x: any(s.strip() for s in x)))
def test_what_is_written_is_read_back(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "round"
    write_lines(path, lines)
    # a byte-order mark is no part of a file's first line
    assert read_lines(path) == [lines[0].removeprefix("\ufeff"), *lines[1:]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x", b"", "x: the file is empty"),
        ("x.gz", PACKED[:-20], "x.gz: cannot be unpacked"),
        ("x", PACKED, r"x: .*gzip.*\.gz"),
        ("x", lzma.compress(GERMAN.encode()), "x: .*xz -dc"),
        ("x", b"PK\x03\x04...", "x: .*unzip"),
        ("x", GERMAN.encode("utf-16"), "x: .*UTF-16.*iconv"),
        ("x", b'\xef\xbb\xbf<?xml version="1.0"?>\n<tmx>\n', "x: .*tmxt.*wmt-unwrap"),
        ("x", GERMAN.encode("cp1252"), "x:2: not UTF-8"),
    ],
)
def test_what_is_no_text_is_named(write, name, content, message):
    with pytest.raises(InputError, match=message):
        read_lines(write(name, content))


def test_another_encoding_is_read_if_it_is_named(write):
    path = write("x", GERMAN.encode("cp1252"))
    assert list(iter_lines(path, encoding="cp1252")) == GERMAN.splitlines()
    with pytest.raises(InputError, match="x:2: not ascii"):
        list(iter_lines(path, encoding="ascii"))


def test_json_is_read_back_and_faults_are_named(tmp_path, write):
    write_json(tmp_path / "a.json", {"ü": [1, 2.5]})
    assert read_json(tmp_path / "a.json") == {"ü": [1, 2.5]}
    with pytest.raises(InputError, match="no such file"):
        read_json(tmp_path / "b.json")
    with pytest.raises(InputError, match=r"c\.json: not JSON"):
        read_json(write("c.json", b"{"))
