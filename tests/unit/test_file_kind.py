"""What is no text in UTF-8 is named, with what makes lines of it."""

import gzip
import lzma

import pytest

from attnmt.errors import InputError
from attnmt.files.text_file import read_lines

TEXT = "ein Haus\nschön\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(TEXT.encode(), mtime=0), r"x: .*gzip.*\.gz"),
        (lzma.compress(TEXT.encode()), "x: .*xz -dc"),
        (b"PK\x03\x04...", "x: .*unzip"),
        (TEXT.encode("utf-16"), "x: .*UTF-16.*iconv"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "x: .*UTF-16.*iconv"),
        (b'<?xml version="1.0"?>\n<tmx version="1.4">\n', "x: .*tmxt.*wmt-unwrap"),
        (b'\xef\xbb\xbf<?xml version="1.0"?><dataset>', "x: .*XML"),
        (TEXT.encode("cp1252"), "x:2: not UTF-8"),
    ],
)
def test_a_file_of_another_kind_is_named(write, content, message):
    with pytest.raises(InputError, match=message):
        read_lines(write("x", content))


def test_a_packed_file_of_another_kind_is_named(write):
    with pytest.raises(InputError, match=r"x\.gz: .*gzip"):
        read_lines(write("x.gz", gzip.compress(gzip.compress(TEXT.encode()))))
    assert read_lines(write("y.gz", gzip.compress(TEXT.encode()))) == TEXT.splitlines()
