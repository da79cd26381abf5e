"""A table is printed four ways: CSV with numbers as they are, Markdown, LaTeX, and the page."""

import re
import runpy
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_report import (
    NASTY,
    ROOT,
    made_claim,
    made_table,
    write_report,
)

from attnmt.reporting import table as printing
from attnmt.reporting.table import Format, Interval, P, Size, Spread
from attnmt.scoring.verdicts import ALPHA


@pytest.mark.parametrize(
    ("form", "cell", "text"),
    [
        (Format(), 1234.56, "1,234.6"),
        (Format(2, signed=True), 1.0, "+1.00"),
        (Format(1, signed=True), -0.04, "+0.0"),  # no minus before zero
        (Format(), Interval(9.04, 10.06), "9.0–10.1"),
        (Format(1, signed=True), Interval(-1.0, 2.0), "-1.0 to +2.0"),
        (Format(), Spread(10.0, 0.44), "10.0 ± 0.4"),
        (Format(), Size(0.0304, 3), "+0.030"),
        (Format(), ">7.0", ">7.0"),
        (Format(), None, ""),
        (P, 0.0, "<0.001"),
        (P, 0.0009, "<0.001"),
        (P, 0.0425, "0.043"),
        (P, 0.049996, "0.049996"),
        (P, 0.05, "0.050"),
    ],
)
def test_a_cell_is_shown_as_its_column_says(form, cell, text):
    assert form.show(cell) == text


@given(st.floats(0, 1) | st.floats(0.0499, 0.0501))
def test_p_is_never_zero_and_never_on_the_other_side_of_the_level(p):
    text = P.show(p)
    if text == "<0.001":
        assert p < 0.001
    else:
        assert float(text) > 0
        assert (float(text) < ALPHA) == (p < ALPHA)
        assert float(text) == pytest.approx(p, abs=0.0005 + 1e-12)


def test_the_csv_has_numbers_as_they_are_and_bounds_in_columns_of_their_own():
    frame = pd.read_csv(StringIO(printing.csv(made_table())))
    assert list(frame) == ["system", "n", "n sd", "range low", "range high", "size", "p"]
    assert list(frame["n"]) == ["1234.5678", "10.04", "x"]
    assert (frame["system"][0], frame["range low"][0], frame["n sd"][1]) == (NASTY, -0.25, 0.55)
    assert (frame["size"][2], frame["p"][2]) == (-0.0004, 0.0004)


def test_markdown_has_a_cell_for_each_column_and_nothing_that_is_read_as_html():
    text = printing.markdown(made_table(), "demo").splitlines()
    caption, _, head, rule, first, second, third, _, note = text
    assert "&lt;unk> & more." in caption
    assert (head, rule) == ("| system | n | range | size | p |", "| --- | --: | --: | --: | --: |")
    assert first.startswith("| &lt;/script>&lt;b/title='x'>&\"é | 1,234.6 | -0.2–10.0 |")
    assert r"c\|d &lt;unk>" in second
    assert third == "| plain | x |  | +0.000 | <0.001 |"
    assert [len(re.split(r"(?<!\\)\|", line)) for line in text[2:7]] == [5 + 2] * 5
    assert note == "A note."


def test_the_stage_writes_every_file_and_removes_an_earlier_report(tmp_path, monkeypatch):
    """tests/pipeline/test_engines.py compares the bytes of two runs."""
    monkeypatch.chdir(tmp_path)
    write_report(claims=[made_claim("one")])
    old = [Path("reports/demo/tables/table9.md"), Path("reports/demo/figures/figure9.svg")]
    for path in old:
        path.parent.mkdir(parents=True)
        path.touch()
    runpy.run_path(str(ROOT / "stages/report.py"))["main"](Path("params.yaml"))
    files = [path for path in Path("reports/demo").rglob("*") if path.is_file()]
    assert not {*old} & {*files}
    names = {f"{path.parent.name}/{path.name}" for path in files}
    tables = ("claims", "table1", "table5", "table6", "table_cost", "table_unknown")
    assert {f"tables/{name}.{end}" for name in tables for end in ("csv", "md", "tex")} < names
    figures = ("claims", "figure5", "figure6", "figure7")
    assert {f"figures/{name}.{end}" for name in figures for end in ("svg", "pdf")} < names
    for path in files:
        content = path.read_bytes()
        assert path.suffix == ".pdf" or (b"\r" not in content and content.endswith(b"\n"))
