"""The lines of a pipe, each as soon as it is there."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.commands import input_lines
from attnmt.commands.input_lines import Arriving, in_chunks


@given(st.binary(max_size=60), st.integers(1, 5), st.integers(1, 8))
def test_any_bytes_give_the_lines_that_python_reads(content, chunk, block):
    ours, theirs = os.pipe()
    os.write(theirs, content)
    os.close(theirs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_lines, "CHUNK", chunk)
        patch.setattr(input_lines, "BLOCK", block)
        lines = Arriving(ours, "pipe")
        chunks = list(in_chunks(iter(lines), lines.waiting))
    os.close(ours)
    split = content.split(b"\n")
    expected = [line + b"\n" for line in split[:-1]] + ([split[-1]] if split[-1] else [])
    assert [line for part in chunks for line in part] == expected
    assert all(len(part) <= chunk for part in chunks)
