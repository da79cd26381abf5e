"""Tables as LaTeX: what a paper reads, compiled in one column and in two where LaTeX is installed."""

import re
import shutil
import subprocess

import pandas as pd
import pytest
from made_report import ROOT, made_table

from attnmt.config import load_params, params_file
from attnmt.reporting import latex
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.table import Format, Table
from attnmt.reporting.tables import make_tables
from attnmt.scoring.claim_lines import read_claims
from attnmt.scoring.score_table import read_score_table

# A page and its columns are as wide as those of ACL's style.
PAPER = r"""\documentclass[11pt,COLUMNS]{article}
\usepackage{times}
\usepackage[T1]{fontenc}
\usepackage{array, booktabs, graphicx}
\setlength{\textwidth}{16cm}\setlength{\columnsep}{.6cm}\setlength{\textheight}{24.7cm}
\begin{document}
TABLES
\end{document}
"""
BADNESS = re.compile(r"(?:Over|Under)full \\hbox.*")  # lines too long, or too empty


@pytest.fixture(params=["onecolumn", "twocolumn"])
def compiled(request, tmp_path):
    """Return a function that compiles tables and returns the log."""
    if shutil.which("pdflatex") is None:
        pytest.skip("needs pdflatex: texlive-latex-recommended")

    def compile_all(experiment, tables):
        texts = [latex.latex(table, experiment) for table in tables]
        text = PAPER.replace("COLUMNS", request.param)
        text = text.replace("TABLES", "\\clearpage\n".join(texts))
        (tmp_path / "paper.tex").write_text(text, encoding="utf-8")
        command = ["pdflatex", "-halt-on-error", "paper.tex"]
        for _ in range(2):  # the second time, labels are known
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
            assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
        return (tmp_path / "paper.log").read_text(errors="replace")

    return compile_all


def test_every_table_of_a_report_compiles_and_fits(compiled, monkeypatch):
    monkeypatch.chdir(ROOT)
    tables = make_tables(load_params(params_file("demo")), read_score_table("demo"))
    samples = pd.read_csv("reports/demo/tables/table5.csv", index_col=False).astype(object)
    tables.append(Table("table5", "Table 5", "Samples.", samples, {"line": Format(0)}))
    claims = claims_table(read_claims("captions"))
    log = compiled("demo", [*tables, *([claims] if claims else [])])
    assert BADNESS.findall(log) == []
    assert "multiply" not in log  # labels differ


def test_a_table_has_rules_a_label_and_a_cell_for_each_column():
    table = made_table()
    text = latex.latex(table, "demo")
    assert text.startswith("% Needs \\usepackage{array, booktabs, graphicx}\n")
    assert r"\label{tab:demo-made}" in text
    body = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    assert len(body) == len(table.frame)
    assert all(len(re.split(r"(?<!\\)&", line)) == len(table.headings) for line in body)
    assert [text.count(rf"\{rule}rule") for rule in ("top", "mid", "bottom")] == [1, 1, 1]
    assert text.index("A note.") < text.index(r"\toprule")


def test_latex_escapes_what_latex_would_read():
    text = latex.latex(made_table(), "demo")
    expected = (
        r"50\% of a\_\allowbreak{}b \& c\textbar{}d \textless{}unk\textgreater{} \$x\$ \{y\} "
    )
    assert expected + r"\textasciicircum{} \textasciitilde{} \# \textbackslash{} &" in text
    assert r"of \textless{}unk\textgreater{} \& more." in text
