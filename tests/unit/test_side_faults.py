"""One text on both sides, and both sides in the columns of one file."""

import gzip
import subprocess
from pathlib import Path

import pytest

from attnmt.corpora.parallel import parallel_rows
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_lines

PAIRS = [(f"house {n}", f"Haus {n}") for n in range(20)]


def sides(folder: Path, source: list[str], target: list[str]) -> dict[str, Path]:
    paths = {"en": folder / "x.en", "de": folder / "x.de"}
    write_lines(paths["en"], source)
    write_lines(paths["de"], target)
    return paths


@pytest.mark.parametrize("equal", [0, 10, 11, 20])
def test_more_than_half_of_the_lines_must_differ(tmp_path, equal):
    source = [one for one, _ in PAIRS]
    target = [other for _, other in PAIRS[equal:]]
    paths = sides(
        tmp_path, [*source, ""], [*target, *[f" {line}" for line in source[20 - equal :]], ""]
    )
    rows = parallel_rows(paths, scored=False)
    if equal <= 10:
        assert len(list(rows)) == 21
        return
    with pytest.raises(
        InputError, match=rf"x\.en:{21 - equal}: {equal} of 20 lines are the same in"
    ):
        list(rows)


@pytest.mark.parametrize("name", ["my pairs.tsv.gz", "pairs.en"])
def test_columns_are_divided_as_the_cure_says(tmp_path, name):
    path = tmp_path / name
    content = "".join(f"{one}\t{other}\tCC\n" for one, other in PAIRS).encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(InputError) as error:
        list(parallel_rows({"en": path, "de": path}, scored=True))
    message = str(error.value)
    assert ":1: nearly all lines have tabs" in message
    subprocess.run(["bash", "-c", message.partition("of its own: ")[2]], check=True)
    made = path.with_suffix("") if path.suffix == ".gz" else path.with_stem("pairs.plain")
    assert read_lines(made) == [one for one, _ in PAIRS]


def test_a_tab_in_some_lines_is_text(tmp_path):
    target = [f"{other}\tx" for _, other in PAIRS[:18]] + [other for _, other in PAIRS[18:]]
    paths = sides(tmp_path, [one for one, _ in PAIRS], target)
    assert len(list(parallel_rows(paths, scored=True))) == 20
