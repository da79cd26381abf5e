"""Files of numbers: what is written is read again, damage is named, and each number is found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_scores import score_lines
from small_experiment import make_params

from attnmt.errors import InputError
from attnmt.files.csv_file import read_csv, write_csv
from attnmt.scoring.score_table import (
    ScoreRow,
    metrics,
    read_score_table,
    write_score_table,
)

# A cell may hold line ends, quotation marks and commas; a carriage return would be read as a line end,
# and a zero as half of a letter in UTF-16.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1)
REAL = st.floats(allow_nan=False, allow_infinity=False)
LINES = st.builds(
    ScoreRow,
    kind=st.sampled_from(["training", "system", "gain"]),
    metric=TEXT,
    source=TEXT,
    system=st.none() | TEXT,
    seed=st.none() | st.integers(0, 2**63),
    direction=st.sampled_from([None, "forward", "backward"]),
    replacement=st.sampled_from([None, "before", "after"]),
    value=st.none() | REAL,
    low=st.none() | REAL,
    p=st.none() | st.floats(0, 1),
    note=st.none() | TEXT,
)


@given(lines=st.lists(LINES, max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("csv") / "scores.csv"
    write_score_table(path, lines)
    assert read_csv(path, ScoreRow, "again") == lines


def test_a_file_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"reports/demo/scores.csv: no such file"):
        read_score_table("demo")
    write_csv(
        Path("reports/demo/scores.csv"), ScoreRow, [ScoreRow(kind="system", metric="ppl", value=2)]
    )
    assert read_score_table("demo").lines == [ScoreRow(kind="system", metric="ppl", value=2)]


def test_dvc_shows_a_few_numbers_of_each_training(tmp_path):
    params = make_params(tmp_path)
    lines = list(score_lines(params, "local_p", 20, 0.5))
    group = lines[1].model_copy(update={"max_words": 7, "value": 99})
    assert metrics([*lines, group]) == {"test": {"ppl": 80, "bleu": 20, "bleu_unk": 22, "aer": 0.5}}
