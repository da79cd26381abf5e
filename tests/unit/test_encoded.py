"""Word ids on disk."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnmt.text.encoded import EncodedText, write_encoded


@given(lines=st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=5), max_size=6))
def test_what_is_written_is_read_back(tmp_path_factory, lines):
    folder = tmp_path_factory.getbasetemp()
    write_encoded(folder, "set", "en", lines)
    text = EncodedText.open(folder, "set", "en")
    assert isinstance(text.ids, np.memmap)
    assert [text[i].tolist() for i in range(len(text))] == lines
    np.save(folder / "saved.npy", np.array([i for line in lines for i in line], dtype=np.int32))
    assert (folder / "set.en.ids.npy").read_bytes() == (folder / "saved.npy").read_bytes()
    assert text.lengths.tolist() == [len(line) for line in lines]
    assert text.offsets.dtype == np.int64
