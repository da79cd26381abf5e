"""Word links, Pharaoh's and RWTH's: what is read, which way, and what does not fit."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.corpora.links import format_links, parse_links, read_links
from attnmt.corpora.plain import read_rwth
from attnmt.errors import InputError

LINKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)))
WORDS = [(3, 4), (2, 2)]  # of source and target


@given(sure=LINKS, possible=LINKS)
def test_links_are_read_back_as_they_were_written(sure, possible):
    gold = parse_links(format_links(sure, possible))
    assert gold.sure == sorted(set(sure))
    assert gold.possible == sorted({*sure, *possible})
    items = [f"{i + 1}-{j + 1}" for i, j in sure] + [f"{i + 1}p{j + 1}" for i, j in possible]
    assert parse_links(" ".join(items), first=1) == gold


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
def test_a_file_of_links_is_read_line_by_line(write, mark):
    path = write("x.links", mark + b"0-0 1?2\r\n\n3-3\n")
    assert read_links(path) == [([(0, 0)], [(0, 0), (1, 2)]), ([], []), ([(3, 3)], [(3, 3)])]


@pytest.mark.parametrize(
    ("codes", "content"),
    [
        (("de", "en"), b"1-1 2p3 3-4\n2-2\n"),
        (("en", "de"), b"1-1 3p2 4-3\n2-2\n"),
        (("en", "fr"), b"1-1 2p3 3-4\n2-2\n"),
    ],
)
def test_rwths_links_are_read_by_the_languages(write, codes, content):
    """They count from 1, and German comes first."""
    for path in (write("x.talp", content), write("x.talp.gz", gzip.compress(content))):
        lines = [format_links(*line) for line in read_rwth(path, codes)]
        assert lines == ["0-0 1?2 2-3", "1-1"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x", b"0-0 3-2\n0-0\n", "x:1: link 3-2 "),
        ("x", b"0-0\n", "x: 1 lines where the text has 2"),
        *(
            ("x", f"0-0\n1-1 {item}\n".encode(), "x:2: .* is not a link; write 0-0")
            for item in ("1", "1P1")
        ),
    ],
)
def test_what_does_not_fit_is_named(write, name, content, message):
    with pytest.raises(InputError, match=message):
        read_links(write(name, content), WORDS)
