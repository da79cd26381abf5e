"""Word ids on disk."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.errors import InputError
from attnmt.text.encoded import EncodedText, write_encoded


@given(lines=st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=5), max_size=6))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[int]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    write_encoded(folder, "set", "en", lines)
    text = EncodedText.open(folder, "set", "en")
    assert isinstance(text.ids, np.memmap)
    assert [text[i].tolist() for i in range(len(text))] == lines
    np.save(folder / "saved.npy", np.array([i for line in lines for i in line], dtype=np.int32))
    assert (folder / "set.en.ids.npy").read_bytes() == (folder / "saved.npy").read_bytes()
    assert text.lengths.tolist() == [len(line) for line in lines]
    assert text.offsets.dtype == np.int64


def test_files_of_different_runs_are_refused(tmp_path: Path) -> None:
    write_encoded(tmp_path, "a", "en", [[1, 2]])
    write_encoded(tmp_path, "b", "en", [[1, 2, 3]])
    (tmp_path / "b.en.ids.npy").replace(tmp_path / "a.en.ids.npy")
    with pytest.raises(
        InputError, match=r"a\.en\.ids\.npy: 3 ids where a\.en\.offsets\.npy expects 2"
    ):
        EncodedText.open(tmp_path, "a", "en")
