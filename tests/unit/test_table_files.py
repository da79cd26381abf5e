"""Tables as CSV, Markdown and LaTeX, and the stage that writes them."""

import csv
import importlib.util
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from made_scores import write_all

from attnmt.config import load_params
from attnmt.reporting.compare import make_tables
from attnmt.reporting.render import latex, markdown, shown, write_table

ROOT = Path(__file__).parents[2]
PROVENANCE = ["model", "files", "seeds", "average", "family", "direction", "stage", "number"]
ENDS = (".csv", ".md", ".tex")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """The demo's tables by name."""
    monkeypatch.chdir(tmp_path)
    params = load_params(ROOT / "params.yaml", ROOT)
    write_all(params)
    return {table.spec.name: table for table in make_tables(params)}


def table_lines(text):
    return [line for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("table1", "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high difference verdict"),
        ("table2", "system paper_bleu bleu bleu_low bleu_high difference verdict"),
        ("table3", "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high difference verdict"),
        (
            "table4",
            "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high "
            "paper_bleu_unk bleu_unk bleu_unk_low bleu_unk_high difference verdict",
        ),
        ("table6", "system paper_aer aer difference verdict"),
        ("table_gru", "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high difference verdict"),
        (
            "table_bpe",
            "system bleu bleu_low bleu_high bleu_unk bleu_unk_low bleu_unk_high aer verdict",
        ),
    ],
)
def test_the_csv_has_numbers_then_provenance(tables, name, first):
    write_table(tables[name], Path("tables"))
    rows = list(csv.DictReader(io.StringIO(Path(f"tables/{name}.csv").read_text())))
    columns = list(rows[0])
    assert columns[: len(first.split())] == first.split()
    at = columns.index("model")
    assert columns[at : at + len(PROVENANCE)] == PROVENANCE
    assert "dataset_digest" in columns
    assert (columns[-2:] == ["paper_set", "source"]) == (name != "table_bpe")
    assert len(rows) == len(tables[name].rows)


def test_an_empty_cell_of_the_csv_is_empty(tables):
    write_table(tables["table1"], Path("tables"))
    first = next(csv.DictReader(io.StringIO(Path("tables/table1.csv").read_text())))
    assert first["bleu"] == first["model"] == first["verdict"] == ""


def test_markdown_has_a_cell_for_every_column(tables):
    for table in tables.values():
        lines = table_lines(markdown(table))
        assert len(lines) == 2 + len(table.rows)
        assert {line.count("|") for line in lines} == {len(shown(table).columns) + 1}


def test_what_a_reader_sees_of_a_row(tables):
    def line(name, start):
        found = table_lines(markdown(tables[name]))
        return next(line for line in found if line.startswith(f"| {start} |"))

    numbers = "9.9 | 89.0 | 12.6 (+1.3) | 11.0 (+1.0) | 10.0–12.0 | -1.6 | within noise"
    assert line("table1", "Base + reverse") == f"| Base + reverse | {numbers} |"
    numbers = ">7.0 | 81.0 | x | 19.0 | 18.0–20.0 | x | 21.0 (+2.0) | 20.0–22.0 |  | "
    assert line("table4", "local-m (dot)") == f"| local-m (dot) | {numbers} |"
    numbers = "0.32 | 0.25 (-0.25) | -0.07 | same order"
    assert line("table6", "Berkeley Aligner") == f"| Berkeley Aligner | {numbers} |"


def test_columns_without_a_cell_are_not_shown(tables):
    assert "paper ppl" in shown(tables["table1"])
    assert "paper ppl" not in shown(tables["table_gru"])
    assert "verdict" not in shown(tables["table2"])
    columns = ["system", "BLEU", "95% interval", "BLEU after unk", "interval after unk", "AER"]
    assert list(shown(tables["table_bpe"])) == [*columns, "verdict"]


def test_a_deviation_between_seeds_is_shown(tables):
    table = tables["table1"]
    table.rows[4]["bleu_sd"] = 0.38
    assert "| 10.0 ± 0.4 |" in markdown(table)


def test_latex_escapes_what_latex_would_read(tables):
    table = tables["table4"]
    table.rows[0]["system"] = "50% of A & B_c"
    text = latex(table)
    assert r"50\% of A \& B\_c &" in text
    assert r"nrefs:1\textbar{}bs:1000" in text
    assert r"\textgreater{}7.0 &" in text
    assert r"95\% interval &" in text
    assert r"\label{tab:table4}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tables):
    tables["table1"].rows[4]["bleu_sd"] = 0.38
    body = "\n".join(latex(table) for table in tables.values())
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}%s\end{document}"
    Path("t.tex").write_text(document % body, encoding="utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], check=True, capture_output=True)


def test_the_same_scores_give_the_same_bytes(tables):
    for folder in ("a", "b"):
        write_table(tables["table1"], Path(folder))
    for end in ENDS:
        text = Path("a/table1").with_suffix(end).read_bytes()
        assert text == Path("b/table1").with_suffix(end).read_bytes()
        assert b"\r" not in text
        assert text.endswith(b"\n")


def test_the_stage_writes_the_folder_and_nothing_of_an_earlier_one(tables):
    old = Path("reports/demo/tables/table9.md")
    old.parent.mkdir(parents=True)
    old.touch()
    Path("params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    spec = importlib.util.spec_from_file_location("tables_stage", ROOT / "stages/tables.py")
    stage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stage)
    stage.main(Path("params.yaml"))
    expected = {f"{name}{end}" for name in tables for end in ENDS}
    assert {path.name for path in old.parent.iterdir()} == expected
    assert [path.name for path in Path("reports/demo").iterdir()] == ["tables"]
