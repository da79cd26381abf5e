"""Tables as CSV, Markdown, LaTeX and JSON, and the stage that writes them."""

import csv
import importlib.util
import io
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from made_scores import DIGEST, SIGNATURE, made_tests, write_all
from papers import paper_params

from attnmt.reporting.columns import shown_columns
from attnmt.reporting.compare import make_tables
from attnmt.reporting.cost_table import cost_table
from attnmt.reporting.lines import Compared, Gain, Line, Number
from attnmt.reporting.paper import Row
from attnmt.reporting.render import latex, markdown, write_tables
from attnmt.reporting.tables import Caption, Column, Table, TableSpec, Title
from attnmt.reporting.unknown_table import unknown_table
from attnmt.scoring.seed_runs import Study

ROOT = Path(__file__).parents[2]
PROVENANCE = [
    "model",
    "members",
    "files",
    "seeds",
    "average",
    "family",
    "direction",
    "stage",
    "number",
]
ENDS = (".csv", ".md", ".tex")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Return the demo's tables by name."""
    monkeypatch.chdir(tmp_path)
    made_tests(monkeypatch)
    params = paper_params()
    write_all(params)
    tables = [*make_tables(Study(params)), unknown_table(params), cost_table(params)]
    return {table.name: table for table in tables}


def written(tables):
    write_tables("demo", list(tables.values()), Path("tables"))
    return Path("tables")


def with_cell(table, at, key, text):
    """Return the table with the text of one cell replaced."""

    def changed(column):
        cells = [text if i == at else cell for i, cell in enumerate(column.cells)]
        return replace(column, cells=cells) if column.key == key else column

    return replace(table, columns=[changed(column) for column in table.columns])


def table_lines(text):
    return [line for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("table1", "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high difference p"),
        ("table2", "system paper_bleu bleu bleu_low bleu_high difference p"),
        ("table3", "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high difference p"),
        (
            "table4",
            "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high "
            "paper_bleu_unk bleu_unk bleu_unk_low bleu_unk_high difference p",
        ),
        ("table6", "system paper_aer aer aer_low aer_high difference p"),
        (
            "table_gru",
            "system paper_ppl ppl paper_bleu bleu bleu_low bleu_high difference p",
        ),
        (
            "table_bpe",
            "system bleu bleu_low bleu_high bleu_unk bleu_unk_low bleu_unk_high "
            "aer aer_low aer_high p",
        ),
        (
            "table_faults",
            "system ppl bleu bleu_low bleu_high bleu_unk bleu_unk_low bleu_unk_high "
            "aer aer_low aer_high p",
        ),
        (
            "table_unknown",
            "system unknown replaced right right_percent repeated repeated_percent "
            "copied copied_right copied_right_percent",
        ),
        ("table_scripts", "system tokenized tokenized_low tokenized_high nist nist_low nist_high"),
    ],
)
def test_the_csv_has_numbers_then_provenance(tables, name, first):
    rows = list(csv.DictReader(io.StringIO((written(tables) / f"{name}.csv").read_text())))
    columns = list(rows[0])
    assert columns[: len(first.split())] == first.split()
    at = columns.index("model")
    assert columns[at : at + len(PROVENANCE)] == PROVENANCE
    assert "dataset_digest" in columns
    published = name not in ("table_bpe", "table_faults", "table_scripts", "table_unknown")
    assert (columns[-2:] == ["paper_set", "source"]) == published
    assert len(rows) == len(tables[name].rows)


def test_an_empty_cell_of_the_csv_is_empty(tables):
    first = next(csv.DictReader(io.StringIO((written(tables) / "table1.csv").read_text())))
    assert first["bleu"] == first["model"] == first["p"] == ""


def test_markdown_has_a_cell_for_every_column(tables):
    for table in tables.values():
        lines = table_lines(markdown(table))
        assert len(lines) == 2 + len(table.rows)
        assert {line.count("|") for line in lines} == {len(table.columns) + 1}


def test_markdown_rows_show_the_numbers_and_gains(tables):
    def line(name, start):
        lines = table_lines(markdown(tables[name]))
        return next(line for line in lines if line.startswith(f"| {start} |"))

    numbers = "9.9 | 89.0 | 12.6 (+1.3) | 11.0 (+1.0) | 10.0–12.0 | Base | 0.010"
    assert line("table1", "Base + reverse") == f"| Base + reverse | {numbers} |"
    numbers = ">7.0 | 81.0 | x | 19.0 | 18.0–20.0 | x | 21.0 (+2.0) | 20.0–22.0 | 0.010"
    assert line("table4", "local-m (dot)") == f"| local-m (dot) | {numbers} |"
    numbers = "0.32 | 0.25 (-0.25) | 0.23–0.27 |  |  | ensemble | 0.010"
    # Our number is that of another aligner than the paper's.
    system = "Berkeley Aligner (ours: aligner 1.0, IBM 1)"
    assert line("table6", system) == f"| {system} | {numbers} |"
    cost = "1,200 | 20 | 1,500 | 1.5 | 17 | 1,234"
    assert line("table_cost", "base") == f"| base | {cost} |"


def test_columns_without_a_cell_are_not_shown(tables):
    def keys(name):
        return [column.key for column in tables[name].columns]

    assert "paper_ppl" in keys("table1")
    assert "paper_ppl" not in keys("table_gru")
    assert "p" not in keys("table2")
    metrics = ["bleu", "bleu_interval", "bleu_unk", "bleu_unk_interval", "aer", "aer_interval"]
    assert keys("table_bpe") == ["system", *metrics, "gain_over", "p"]


@pytest.mark.parametrize(
    ("p", "shown"), [(0.000999, "0.001"), (0.04995, "0.04995"), (0.05095, "0.051"), (1.0, "1.000")]
)
def test_p_is_not_rounded_across_the_level_of_the_verdict(p, shown):
    line = Line(Row("T", "a", "a"), [], {"bleu": Number(1.0, (0.0, 2.0))})
    row = Compared(line, Gain(1.0, p=p), None, "higher", {})
    spec = TableSpec("t", "T", metrics=("bleu",), published=False)
    (column,) = (c for c in shown_columns(spec, [row], papers_text=False) if c.key == "p")
    assert column.cells == [shown]


def test_a_deviation_between_seeds_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made_tests(monkeypatch)
    params = paper_params()
    twin = params.models["base"].model_copy(update={"seed": 2})
    params = params.model_copy(update={"models": {"base": params.models["base"], "twin": twin}})
    params = params.model_copy(update={"ensembles": {}})
    write_all(params)
    assert "| 2 | 10.6 | 89.5 ± 0.7 | 11.3 | 10.5 ± 0.7 | -0.5–21.5 |" in markdown(
        make_tables(Study(params))[0]
    )


def test_the_page_gets_text_sort_keys_and_facts(tables):
    content = json.loads((written(tables) / "tables.json").read_text(encoding="utf-8"))
    assert content["experiment"] == "demo"
    assert [table["name"] for table in content["tables"]] == list(tables)
    first = content["tables"][0]
    assert set(first) == {"name", "short", "about", "lead", "rest", "columns", "rows"}
    columns = {column["key"]: column for column in first["columns"]}
    bleu = {"heading": "BLEU", "numeric": True, "role": "ours"}
    assert columns["bleu"] == {"key": "bleu", **bleu}
    paper = {"heading": "paper BLEU", "numeric": True, "role": "paper"}
    assert columns["paper_bleu"] == {"key": "paper_bleu", **paper}
    assert first["columns"][0] == {
        **{"key": "system", "heading": "system"},
        **{"numeric": False, "role": "name"},
    }
    row = next(row for row in first["rows"] if row["key"] == "reverse")
    assert row["cells"]["system"] == "Base + reverse"
    keys = [column["key"] for column in first["columns"]]
    assert list(row["cells"]) == list(row["sort"]) == keys
    assert row["cells"]["bleu"] == "11.0 (+1.0)"
    assert row["sort"] == {
        **{"system": None, "paper_ppl": 9.9, "ppl": 89.0, "paper_bleu": 12.6, "bleu": 11.0},
        **{"bleu_interval": 10.0, "gain_over": None, "p": 0.01},
    }
    facts = row["facts"]
    assert [facts[key] for key in ("model", "seed", "set")] == ["base_reverse", "1", "test1"]
    assert [facts[key] for key in ("sentences", "beam", "stage")] == ["500", "5", "evaluate"]
    assert facts["signature"] == SIGNATURE
    assert facts["reference SHA-256"] == DIGEST[:12]
    assert facts["paper"] == "Luong et al. 2015, Table 1"
    other = first["rows"][0]["facts"]
    assert set(other) == {"paper", "paper's set"}
    odd = next(table for table in content["tables"] if table["name"] == "table4")["rows"][4]
    assert (odd["cells"]["paper_ppl"], odd["sort"]["paper_ppl"]) == (">7.0", None)


def test_latex_escapes_what_latex_would_read(tables):
    text = latex(with_cell(tables["table4"], 0, "system", "50% of A & B_c"))
    assert r"50\% of A \& B\_c &" in text
    assert r"nrefs:1\textbar{}bs:1000" in text
    assert r"\textgreater{}7.0 &" in text
    assert r"95\% interval &" in text
    assert r"\label{tab:table4}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tables):
    tables["table1"] = with_cell(tables["table1"], 4, "bleu", "10.0 ± 0.4")
    body = "\n".join(latex(table) for table in tables.values())
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}%s\end{document}"
    Path("t.tex").write_text(document % body, encoding="utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], check=True, capture_output=True)


def test_the_same_scores_give_the_same_bytes(tables):
    folder = written(tables)
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(first) == {f"{name}{end}" for name in tables for end in ENDS} | {"tables.json"}
    shutil.rmtree(folder)
    written(tables)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    for text in first.values():
        assert b"\r" not in text
        assert text.endswith(b"\n")


def test_the_stage_writes_the_folder_and_nothing_of_an_earlier_one(tables, monkeypatch):
    old = Path("reports/demo/tables/table9.md")
    old.parent.mkdir(parents=True)
    old.touch()
    for name in ("claims.yaml", "systems.yaml"):
        shutil.copy(ROOT / name, name)
    spec = importlib.util.spec_from_file_location("tables_stage", ROOT / "stages/tables.py")
    stage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stage)
    monkeypatch.setattr(stage, "load_params", lambda path: paper_params())
    monkeypatch.setattr(stage, "make_samples", lambda params: [])
    monkeypatch.setattr(
        stage,
        "write_samples",
        lambda params, samples, folder: (folder / "table5.md").write_text("5"),
    )
    columns = [Column("system", "dictionary", [])]
    title, caption = Title("Dictionaries", "", "demo"), Caption("A caption.", "")
    empty = Table("table_dictionary", title, caption, columns, [], [])
    monkeypatch.setattr(stage, "dictionary_table", lambda params: empty)
    stage.main(Path("params.yaml"))
    names = {*tables, "table_dictionary"} - {"table_cost"}
    expected = {f"{name}{end}" for name in names for end in ENDS}
    assert {path.name for path in old.parent.iterdir()} == expected | {"tables.json", "table5.md"}
    assert [path.name for path in Path("reports/demo").iterdir()] == ["tables"]
