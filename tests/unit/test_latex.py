"""Tables as LaTeX: what a paper of two columns reads, compiled where LaTeX is installed."""

import re
import shutil
import subprocess

import pandas as pd
import pytest
from made_report import ROOT, made_params, made_table, of_own_text, own_numbers

from attnmt.config import load_params, params_file
from attnmt.reporting import latex
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.table import Format, Table, table_of
from attnmt.reporting.tables import make_tables, write_tables
from attnmt.scoring.claim_lines import read_claims
from attnmt.scoring.numbers import read_numbers

# A page and its columns are as wide as those of ACL's style.
PAPER = r"""\documentclass[11pt,twocolumn]{article}
\usepackage{times}
\usepackage[T1]{fontenc}
\usepackage{PACKAGES}
\setlength{\textwidth}{16cm}\setlength{\columnsep}{.6cm}\setlength{\textheight}{24.7cm}
\begin{document}
TABLES
\end{document}
"""


def compiled(tables, folder, *packages):
    """Compile tables; return the log."""
    text = PAPER.replace("PACKAGES", ",".join(packages)).replace(
        "TABLES", "\\clearpage\n".join(tables)
    )
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "paper.tex"]
    for _ in range(2):  # the second time, labels are known
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return (folder / "paper.log").read_text(errors="replace")


BADNESS = re.compile(r"(?:Over|Under)full \\hbox.*")  # lines too long, or too empty
PACKAGES = ("array", "booktabs", "graphicx", "tabularx")
needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="needs pdflatex: texlive-latex-recommended"
)


@needs_latex
@pytest.mark.parametrize("experiment", ["demo", "captions"])
def test_every_table_of_a_report_compiles_and_fits_into_a_paper(experiment, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    tables = make_tables(load_params(params_file(experiment)), read_numbers(experiment))
    claims = claims_table(read_claims(experiment))
    samples = pd.read_csv(f"reports/{experiment}/tables/table5.csv", index_col=False).astype(object)
    tables += [Table("table5", "Table 5", "Samples.", samples, {"line": Format(0)})]
    write_tables(experiment, [*tables, *([claims] if claims else [])], tmp_path)
    files = list(tmp_path.glob("*.tex"))
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert len([path for path in files if path.stem.endswith("_narrow")]) > 4
    table1 = (tmp_path / "table1_narrow.tex").read_text(encoding="utf-8")
    assert r"\newline\textit{over} " in table1
    asked = {name for text in texts for name in re.search(r"{(.*)}", text).group(1).split(", ")}
    log = compiled(texts, tmp_path, *asked)
    assert BADNESS.findall(log) == []
    assert "multiply" not in log  # labels differ


@needs_latex
def test_the_tables_of_ones_own_text_fit_into_a_paper_too(tmp_path):
    params = of_own_text(made_params("base", "global_dot_feed", "local_p_general_feed"))
    write_tables("mine", make_tables(params, own_numbers(params)), tmp_path)
    narrow = (tmp_path / "table_attention_narrow.tex").read_text(encoding="utf-8")
    assert r"system & \begin{tabular}[t]{@{}r@{}}BLEU\\seeds\\set\end{tabular} & " in narrow
    compared = (tmp_path / "table_compared_narrow.tex").read_text(encoding="utf-8")
    assert r"system & BLEU & seeds \\" in compared
    assert r"feed & 14.0 & 1 \\" in compared
    assert r"gain\\95\%\end{tabular}" in compared
    assert r"p\\p after Holm\\verdict\end{tabular}" in compared
    assert "found from" not in compared
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.tex")]
    assert BADNESS.findall(compiled(texts, tmp_path, *PACKAGES)) == []


@needs_latex
def test_what_latex_would_read_compiles(tmp_path):
    letters = {
        char
        for page in latex.LATIN
        for code in range(0xA1, 256)
        for char in bytes([code]).decode(page, "ignore")
    } - {"\xad"}
    rows = {name: {"system": name, "gain": 1.0, "p": 0.5} for name in ("[1] a", "* b", "(c)")}
    rows |= {letter: {"system": letter, "gain": 2.0, "p": 0.5} for letter in sorted(letters)[:40]}
    table = table_of("t", "T", " ".join(sorted(letters)), rows, {}, {})
    texts = [
        form(one, one.name) for form in (latex.wide, latex.narrow) for one in (table, made_table())
    ]
    assert not any(latex.OTHER_LETTERS in text for text in texts)
    compiled(texts, tmp_path, *PACKAGES)


@pytest.mark.parametrize("word", ["слово", "語", "כלב", "ὁ", "Việt"])
def test_a_table_with_letters_that_pdflatex_lacks_says_so(word):
    table = table_of("t", "T", "A.", {"a": {"system": word, "n": 1.0}}, {}, {})
    assert latex.wide(table, "demo").split("\n")[1] + "\n" == latex.OTHER_LETTERS


def test_latex_escapes_what_latex_would_read_and_names_packages_and_experiment():
    text = latex.wide(made_table(), "demo")
    expected = (
        r"50\% of a\_\allowbreak{}b \& c\textbar{}d \textless{}unk\textgreater{} \$x\$ \{y\} "
    )
    assert expected + r"\textasciicircum{} \textasciitilde{} \# \textbackslash{} &" in text
    assert r"of \textless{}unk\textgreater{} \& more." in text
    assert text.startswith("% Needs \\usepackage{array, booktabs, graphicx}\n")
    assert r"\label{tab:demo-made}" in text
    narrow = latex.narrow(made_table(), "demo")
    assert narrow.startswith("% Needs \\usepackage{booktabs, tabularx}\n")
    assert r"\label{tab:demo-made-narrow}" in narrow
    assert "system & n & p \\\\\n" in narrow


def test_long_text_and_long_headings_above_numbers_are_broken_into_lines():
    rows = {
        "a": {"system": "b", "text": "a long text, which is broken " * 3, "change, in all": 1.0}
    }
    text = latex.wide(table_of("t", "T", "A.", rows, {}, {}), "demo")
    assert r"{l>{\raggedright\arraybackslash}p{0.5\textwidth}r}" in text
    assert r"& \shortstack[r]{change,\\in all} \\" in text
