"""The lines of a stream in chunks."""

from hypothesis import given
from hypothesis import strategies as st

from attnmt.commands.input_lines import in_chunks


@given(st.lists(st.text()), st.integers(1, 5))
def test_chunks_have_all_items_in_their_order(items, size):
    chunks = list(in_chunks(iter(items), size))
    assert [item for chunk in chunks for item in chunk] == items
    assert all(len(chunk) == size for chunk in chunks[:-1])
