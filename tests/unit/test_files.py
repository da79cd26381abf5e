"""Files are read strictly, and what is written is read back."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.errors import InputError
from attnmt.files.text_file import (
    read_json,
    read_lines,
    read_text,
    write_json,
    write_lines,
)

PACKED = gzip.compress("\n".join(str(i * i) for i in range(2000)).encode())
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"))


def test_line_ends_and_byte_order_marks_are_no_part_of_lines(write):
    path = write("x", b"\xef\xbb\xbfa \xe2\x80\xa8 b\r\n\nc\rd\n e")
    assert read_lines(path) == ["a \u2028 b", "", "c\rd", " e"]


@given(lines=st.lists(TEXT, min_size=1).filter(lambda x: any(s.strip() for s in x)))
def test_what_is_written_is_read_back(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "round"
    write_lines(path, lines)
    # a byte-order mark is no part of a file's first line
    assert read_lines(path) == [lines[0].removeprefix("\ufeff"), *lines[1:]]


def test_a_download_in_another_encoding_than_its_parameters_say_is_named(write):
    path = write("x", "gut\nschön\n".encode("latin1"))
    assert read_text(path, "latin1") == "gut\nschön\n"
    with pytest.raises(InputError, match="x:2: not ascii"):
        read_text(path, "ascii")


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_refused(write, content):
    with pytest.raises(InputError, match="x: the file is empty"):
        read_lines(write("x", content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PACKED[:-20], "file ended before the end-of-stream marker was reached"),
        (PACKED[:-8] + 8 * b"x", "CRC check failed"),
    ],
)
def test_gzip_that_is_cut_or_spoiled_is_refused(write, content, message):
    with pytest.raises(InputError, match=f"x.gz: cannot be unpacked: .*{message}"):
        read_lines(write("x.gz", content))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere: no such file"):
        read_lines(tmp_path / "nowhere")


def test_json_is_read_back_and_faults_are_named(tmp_path, write):
    write_json(tmp_path / "a.json", {"ü": [1, 2.5]})
    assert read_json(tmp_path / "a.json") == {"ü": [1, 2.5]}
    with pytest.raises(InputError, match="no such file; run the stage"):
        read_json(tmp_path / "b.json")
    with pytest.raises(InputError, match=r"c\.json: not JSON"):
        read_json(write("c.json", b"{"))
