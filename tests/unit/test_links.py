"""Word links in Pharaoh's format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.corpora.links import format_links, parse_links, read_links
from attnmt.errors import InputError

LINKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)))


@given(sure=LINKS, possible=LINKS)
def test_links_are_read_back_as_they_were_written(sure, possible):
    gold = parse_links(format_links(sure, possible))
    assert gold.sure == sorted(set(sure))
    assert gold.possible == sorted({*sure, *possible})


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
def test_a_file_of_links_is_read_line_by_line(write, mark):
    path = write("x.links", mark + b"0-0 1?2\r\n\n3-3\n")
    assert read_links(path) == [([(0, 0)], [(0, 0), (1, 2)]), ([], []), ([(3, 3)], [(3, 3)])]


def test_links_are_sorted_in_text_and_sure_ones_count_as_possible():
    assert format_links([(10, 0), (2, 1)], [(2, 1), (0, 3)]) == "0?3 2-1 10-0"
    assert parse_links(" 1-0  0?3 ") == ([(1, 0)], [(0, 3), (1, 0)])
    assert parse_links("") == ([], [])


@pytest.mark.parametrize("item", ["1", "-1-2", "1_2", "²-1"])
def test_what_is_not_a_link_is_named_with_its_line(write, item):
    path = write("x.links", f"0-0\n1-1 {item}\n".encode())
    with pytest.raises(InputError, match=r"x\.links:2: .* is not a link"):
        read_links(path)
