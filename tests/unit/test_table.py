"""A table is printed four ways: CSV with numbers as they are, Markdown, LaTeX, and the page."""

import re
import runpy
import shutil
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_report import (
    MODELS,
    NASTY,
    ROOT,
    made_claim,
    made_numbers,
    made_params,
    write_report,
)

from attnmt.config import Params, load_params, params_file
from attnmt.reporting import tables as all_tables
from attnmt.reporting.attention import figure7, figure_gru
from attnmt.reporting.claims import claims_table
from attnmt.reporting.page import make_page
from attnmt.reporting.report import make_report
from attnmt.reporting.samples import samples_table
from attnmt.reporting.sections import attention_section
from attnmt.reporting.table import (
    LEVEL,
    Cell,
    Format,
    Interval,
    P,
    Size,
    Spread,
    Table,
    csv,
    latex,
    markdown,
    table_of,
    write_tables,
)
from attnmt.reporting.tables import make_tables
from attnmt.scoring.numbers import Numbers, read_numbers

LONG = "a long text that LaTeX must break into lines, because a page is narrow"


def own_table(params: Params, numbers: Numbers) -> Table:
    """Return a table such as a person adds: a function of the numbers, six lines of pandas."""
    ours = numbers.frame.query("kind == 'system' and script == 'tokenized' and set == 'test1'")
    bleu = ours[ours["max_words"].isna() & (ours["system"] != "base")]
    before = ours[ours["max_words"].isna() & (ours["replacement"] == "before")]
    scores = pd.concat([before, bleu[bleu["replacement"] == "after"]])
    frame = scores.pivot(index="system", columns="replacement", values="value")
    frame.insert(0, "system", frame.index)
    return Table("table_own", "My table", f"A caption of {params.experiment}.", frame)


def made_table() -> Table:
    """Return a table with every kind of cell."""
    rows: dict[str, dict[str, Cell]] = {
        "a": {"system": NASTY, "n": 1234.5678, "range": Interval(-0.25, 10.0), "empty": None},
        "b": {"system": "50% of a_b & c|d <unk> $x$ {y} ^ ~ # \\", "n": Spread(10.04, 0.55)},
        "c": {"system": "plain", "n": "x", "size": Size(-0.0004, 3), "p": 0.0004},
    }
    formats = {"gain": Format(2, signed=True), "p": P}
    caption = "Unknown words are <unk> & more."
    frame, kept = table_of(rows, formats)
    return Table("made", "Made up", caption, frame, kept, about="a subject")


def test_an_empty_column_is_dropped_and_the_others_keep_their_order() -> None:
    table = made_table()
    assert table.headings == ["system", "n", "range", "size", "p"]
    assert list(table.formats) == ["p"]
    assert table.text("c", "range") == ""


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
    ],
)
def test_a_cell_is_shown_with_the_decimals_of_its_column(
    form: Format, cell: Cell, text: str
) -> None:
    assert form.show(cell) == text


@given(st.floats(0, 1) | st.floats(0.0499, 0.0501))
def test_p_is_never_zero_and_never_on_the_other_side_of_the_level(p: float) -> None:
    text = P.show(p)
    if text == "<0.001":
        assert p < 0.001
        return
    assert float(text) > 0
    assert (float(text) < LEVEL) == (p < LEVEL)
    assert float(text) == pytest.approx(p, abs=0.0005 + 1e-12)


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "<0.001"), (0.0009, "<0.001"), (0.049996, "0.049996"), (0.05, "0.050")]
)
def test_p_is_shown_with_three_decimals_or_as_many_as_it_takes(p: float, text: str) -> None:
    assert P.show(p) == text


def test_the_csv_has_numbers_as_they_are_and_bounds_in_columns_of_their_own() -> None:
    frame = pd.read_csv(StringIO(csv(made_table())))
    assert list(frame) == ["system", "n", "n sd", "range low", "range high", "size", "p"]
    assert list(frame["n"]) == ["1234.5678", "10.04", "x"]
    assert frame["range low"][0] == -0.25
    assert frame["n sd"][1] == 0.55
    assert frame["size"][2] == -0.0004
    assert frame["p"][2] == 0.0004
    assert frame["system"][0] == NASTY


def test_pandas_reads_the_demo_s_numbers_back_from_every_csv(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    for table in make_tables(load_params(Path("params.yaml")), read_numbers("demo")):
        frame = pd.read_csv(StringIO(csv(table)), keep_default_na=False)
        for heading in filter(table.is_number, table.headings):
            for at, row in enumerate(table.frame.index):
                cell = table.cell(row, heading)
                names = [heading] if not isinstance(cell, Interval) else []
                names = names or [f"{heading} low", f"{heading} high"]
                parts = cell if isinstance(cell, tuple) else [cell]
                for name, part in zip(names, parts, strict=False):
                    if part is not None:
                        found = frame[name][at]
                        assert (found if isinstance(part, str) else float(found)) == part


def test_markdown_has_a_cell_for_each_column_and_nothing_that_is_read_as_html() -> None:
    text = markdown(made_table(), "demo")
    caption, blank, head, rule, first, second, third = text.splitlines()
    assert caption == "**Made up, a subject, experiment demo.** Unknown words are &lt;unk> & more."
    assert (blank, head) == ("", "| system | n | range | size | p |")
    assert rule == "| --- | --: | --: | --: | --: |"
    assert first.startswith("| &lt;/script>&lt;b/title='x'>&\"é | 1,234.6 | -0.2–10.0 |")
    assert r"c\|d &lt;unk>" in second
    assert third == "| plain | x |  | +0.000 | <0.001 |"
    for line in (first, second, third):
        assert len(re.split(r"(?<!\\)\|", line)) == 5 + 2


def test_latex_escapes_what_latex_would_read() -> None:
    text = latex(made_table(), "demo")
    expected = r"50\% of a\_b \& c\textbar{}d \textless{}unk\textgreater{} \$x\$ \{y\} "
    assert expected + r"\textasciicircum{} \textasciitilde{} \# \textbackslash{} &" in text
    assert r"\begin{tabular}{lrrrr}" in text
    assert r"are \textless{}unk\textgreater{} \& more." in text
    assert r"\label{tab:made}" in text
    frame, _ = table_of({"a": {"system": "b", "text": LONG}}, {})
    assert r"{lp{0.5\linewidth}}" in latex(Table("t", "T", "A.", frame), "demo")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    params = made_params(seeds=2)
    tables = [made_table(), *make_tables(params, made_numbers(params))]
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}%s\end{document}"
    body = "\n".join(latex(table, "demo") for table in tables)
    (tmp_path / "t.tex").write_text(document % body, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_the_tables_of_the_demo_in_git_are_those_of_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their difference in git shows what a change does to every table."""
    monkeypatch.chdir(ROOT)
    tables = make_tables(load_params(Path("params.yaml")), read_numbers("demo"))
    write_tables("demo", tables, tmp_path)
    different = [
        path.name
        for path in sorted(tmp_path.iterdir())
        if path.read_bytes() != Path("reports/demo/tables", path.name).read_bytes()
    ]
    assert different == [], "run `python stages/report.py params.yaml` if you meant that"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_table_of_one_s_own_is_printed_four_ways(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a function in a file and a line in TABLES."""
    monkeypatch.setattr(all_tables, "TABLES", (*all_tables.TABLES, own_table))
    params = write_report(["base", "base_reverse"])
    report = make_report(params)
    write_tables(params.experiment, report.tables, folder)
    lines = "system,after,before\nbase,,10.0\nbase_reverse,13.0,11.0\n"
    assert Path("table_own.csv").read_text() == lines
    text = Path("table_own.md").read_text()
    assert text.startswith("**My table, experiment demo.** A caption of demo.\n")
    assert "| base |  | 10.0 |" in text
    assert r"base\_reverse & 13.0 & 11.0 \\" in Path("table_own.tex").read_text()
    page = make_page(params, report)
    section = page.split('<section id="table_own">')[1].split("</section>")[0]
    assert "A caption of demo." in section
    assert '<td class="number" data-sort="13.0">13.0</td>' in section
    assert '<td class="number"></td>' in section


def test_the_stage_writes_the_same_bytes_and_removes_an_earlier_report(folder: Path) -> None:
    write_report(claims=[made_claim("one")])
    old = [Path("reports/demo/tables/table9.md"), Path("reports/demo/figures/figure9.svg")]
    for path in old:
        path.parent.mkdir(parents=True)
        path.touch()
    written = []
    for _ in range(2):
        run_report()
        files = [path for path in Path("reports/demo").rglob("*") if path.is_file()]
        written.append({path: path.read_bytes() for path in files})
    assert written[0] == written[1]
    names = {path.name for path in written[0]}
    assert not {path.name for path in old} & names
    stems = {"claims", "table1", "table5", "table6", "table_cost", "table_unknown"}
    assert {f"{stem}{end}" for stem in stems for end in (".csv", ".md", ".tex")} <= names
    figures = {"figure5", "figure6", "figure7", "figure_gru", "claims"}
    assert {f"{stem}{end}" for stem in figures for end in (".svg", ".pdf")} <= names
    for path, content in written[0].items():
        assert path.suffix == ".pdf" or (b"\r" not in content and content.endswith(b"\n"))


def run_report() -> None:
    runpy.run_path(str(ROOT / "stages/report.py"))["main"](Path("params.yaml"))


def captions() -> Iterator[tuple[str, str]]:
    """Yield the captions of all tables: of the reports in git, of many marks, on the paper's text."""
    for path in sorted(Path("reports").glob("*/scores.csv")):
        experiment = path.parent.name
        params = load_params(params_file(experiment))
        yield from table_captions(experiment, make_tables(params, read_numbers(experiment)))
    for file in ("params.yaml", "experiments/wmt14/params.yaml"):
        for seeds in (1, 2):
            params = made_params(seeds=seeds, file=file)
            models = dict(params.models)
            for name in list(models)[1::3]:
                models[name] = models[name].model_copy(update={"dropout": 0.5, "epochs": 1})
            params = params.model_copy(update={"models": models})
            tables = make_tables(params, made_numbers(params))
            yield from table_captions(f"{file}, {seeds} seeds", tables)


def table_captions(source: str, tables: list[Table]) -> Iterator[tuple[str, str]]:
    for table in tables:
        yield f"{source}, {table.name}", table.caption


def figure_captions(params: Params) -> Iterator[tuple[str, str]]:
    report = make_report(params)
    for figure in [*report.figures, figure7(params), figure_gru(params)]:
        assert figure is not None
        yield figure.name, figure.caption
    assert report.attention is not None
    yield "attention", attention_section(report.attention, report.matrices).caption
    samples = samples_table(report.samples)
    claims = claims_table(report.claims)
    assert samples is not None
    assert claims is not None
    yield from table_captions("made", [samples, claims, *report.tables])


def test_every_caption_has_at_most_three_sentences_and_sixty_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [made_claim("one"), made_claim("two", verdict="not tested")]
    found = list(figure_captions(write_report(MODELS, claims, seeds=2)))
    monkeypatch.chdir(ROOT)
    found += captions()
    assert len(found) > 80
    for name, caption in found:
        sentences = re.findall(r"[.!?](?= [A-Z“†<]|$)", caption)
        assert 1 <= len(sentences) <= 3, f"{name}: {caption}"
        assert len(caption.split()) <= 60, f"{name}: {caption}"
        assert caption.endswith("."), f"{name}: {caption}"
