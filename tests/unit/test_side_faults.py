"""One text on both sides."""

import pytest

from attnmt.corpora.parallel import parallel_rows
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines

PAIRS = [(f"house {n}", f"Haus {n}") for n in range(20)]


@pytest.mark.parametrize("equal", [0, 10, 11, 20])
def test_more_than_half_of_the_lines_must_differ(tmp_path, equal):
    paths = {"en": tmp_path / "x.en", "de": tmp_path / "x.de"}
    write_lines(paths["en"], [one for one, _ in PAIRS])
    other = [one if n < equal else other for n, (one, other) in enumerate(PAIRS)]
    write_lines(paths["de"], [f" {line}" for line in other])
    rows = parallel_rows(paths, scored=False)
    if equal <= 10:
        assert len(list(rows)) == 20
        return
    with pytest.raises(InputError, match=rf"x\.en: {equal} of 20 lines are the same in .*x\.de"):
        list(rows)
