"""Pharaoh's format."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.data.links import flipped, format_links, parse_links, read_links
from attnmt.errors import InputError

LINKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)))


@given(sure=LINKS, possible=LINKS)
def test_round_trip(sure: list[tuple[int, int]], possible: list[tuple[int, int]]) -> None:
    gold = parse_links(format_links(sure, possible))
    assert gold.sure == sorted(set(sure))
    assert gold.possible == sorted({*sure, *possible})


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
def test_file(write: Callable[[str, bytes], Path], mark: bytes) -> None:
    path = write("x.links", mark + b"0-0 1?2\r\n\n3-3\n")
    assert read_links(path) == [([(0, 0)], [(0, 0), (1, 2)]), ([], []), ([(3, 3)], [(3, 3)])]


def test_text() -> None:
    assert format_links([(10, 0), (2, 1)], [(2, 1), (0, 3)]) == "0?3 2-1 10-0"
    assert parse_links(" 1-0  0?3 ") == ([(1, 0)], [(0, 3), (1, 0)])
    assert parse_links("") == ([], [])


def test_flipped() -> None:
    assert flipped([(0, 3), (2, 1), (2, 0)]) == [(0, 2), (1, 2), (3, 0)]


@pytest.mark.parametrize("item", ["1", "1-", "-1-2", "1_2", "a-b", "1-2-3", "1- 2", "²-1"])
def test_what_is_no_link(write: Callable[[str, bytes], Path], item: str) -> None:
    path = write("x.links", f"0-0\n1-1 {item}\n".encode())
    with pytest.raises(InputError, match=r"x\.links:2: .* is not a link"):
        read_links(path)
