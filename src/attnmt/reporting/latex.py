"""Tables as LaTeX, for a paper of two columns: the whole table across the page, and a part in a column.

A column is as wide as those of ACL's style. A test compiles the tables and looks for text beyond it.
"""

from collections.abc import Iterable, Sequence
from textwrap import wrap

from attnmt.reporting.table import Table, full_title

HEADING = 9  # characters of a heading above numbers, in a line
LINE = 16  # characters of a line in the narrow version, but for the first column
OVER = r"\newline\textit{over} "
LONG, LONGER = 20, 60  # characters; a column of longer text is broken into lines
_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#{}"}
    | {"_": r"\_\allowbreak{}", "\\": r"\textbackslash{}", "|": r"\textbar{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
_WIDE = r"""%% Needs \usepackage{array, booktabs, graphicx}
\begin{table*}
\centering
\caption{%(caption)s}
\label{%(label)s}
\setlength{\tabcolsep}{3pt}
\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%%
\begin{tabular}{%(columns)s}
%(rows)s
\end{tabular}}
\end{table*}
"""
_NARROW = r"""%% Needs \usepackage{booktabs, tabularx}
\begin{table}
\centering
\caption{\raggedright %(caption)s}
\label{%(label)s}
\fontsize{8}{9.5}\selectfont\setlength{\tabcolsep}{2.5pt}
%(rows)s
\end{table}
"""
_NARROW_ROWS = r"""\begin{tabularx}{\columnwidth}{@{}>{\raggedright\arraybackslash}X%s@{}}
%s
\end{tabularx}"""
OTHER_LETTERS = "% Has letters that pdflatex lacks: use xelatex or lualatex, and a font with them\n"
LATIN = ("cp1252", "cp1250", "cp1254", "cp1257")


def wide(table: Table, experiment: str) -> str:
    """Return a table as wide as the page, made smaller if it is wider."""
    columns = "".join(_column(table, heading) for heading in table.headings)
    heads = [_heading(table, heading) for heading in table.headings]
    rows = _ruled(heads, ([escaped(text) for text in texts] for texts in table.texts()))
    caption = f"{full_title(table, experiment)}. {table.caption}"
    return _filled(_WIDE, f"{experiment}-{table.name}", caption, rows, columns)


def narrow(table: Table, experiment: str) -> str:
    """Return the columns of ``table.narrow``, as wide as a column of a paper of two columns.

    The table ``above`` stands above it, and rows without a number are left out.
    """
    parts = [_narrow_rows(one) for one in (table.above, table) if one]
    caption = f"{full_title(table, experiment)}. {table.narrow_caption}"
    body = "\n\\par\\medskip\n".join(parts)
    return _filled(_NARROW, f"{experiment}-{table.name}-narrow", caption, body)


def _narrow_rows(table: Table) -> str:
    names, *others = table.narrow
    numbers = [one for column in others for one in column if table.is_number(one)]
    rows = [
        [OVER.join(escaped(text) for one in names if (text := table.text(row, one)))]
        + [_stacked([table.text(row, one) for one in column]) for column in others]
        for row in table.frame.index
        if any(table.text(row, one) for one in numbers)
    ]
    heads = ([one.removeprefix(column[0] + ", ") for one in column] for column in others)
    return _NARROW_ROWS % ("r" * len(others), _ruled([names[0], *map(_stacked, heads)], rows))


def _stacked(texts: Sequence[str]) -> str:
    """Return the cells of one column of the narrow version below each other."""
    lines = [line for text in texts for line in wrap(text, LINE, break_long_words=False)]
    if len(lines) < 2:
        return "".join(map(escaped, lines))
    return r"\begin{tabular}[t]{@{}r@{}}" + r"\\".join(map(escaped, lines)) + r"\end{tabular}"


def escaped(text: str) -> str:
    """Return text with LaTeX's special characters escaped. A line may end after an underscore.

    LaTeX would take a star or a bracket at the start of a row for an option of the row before.
    """
    return "{}" * text.startswith(("[", "*")) + text.translate(_ESCAPES)


def _ruled(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells below their headings, between rules."""
    lines = (" & ".join(cells) + r" \\" for cells in rows)
    head = " & ".join(heads) + r" \\"
    return "\n".join([r"\toprule", head, r"\midrule", *lines, r"\bottomrule"])


def _filled(form: str, label: str, caption: str, rows: str, columns: str = "") -> str:
    text = form % {
        "caption": escaped(caption),
        "label": f"tab:{label}",
        "columns": columns,
        "rows": rows,
    }
    return text if all(map(_is_latin, text)) else text.replace("\n", f"\n{OTHER_LETTERS}", 1)


def _is_latin(char: str) -> bool:
    """Return whether a code page of a Latin script has a character: pdflatex knows those."""
    return any(char == char.encode(page, "ignore").decode(page) for page in LATIN)


def _heading(table: Table, heading: str) -> str:
    """Return a heading; one above numbers has short lines, so that it is hardly wider than they are."""
    lines = [escaped(line) for line in wrap(heading, HEADING, break_long_words=False)]
    if len(lines) < 2 or not table.is_number(heading):
        return escaped(heading)
    return r"\shortstack[r]{" + r"\\".join(lines) + "}"


def _column(table: Table, heading: str) -> str:
    if table.is_number(heading):
        return "r"
    longest = max(len(table.text(row, heading)) for row in table.frame.index)
    if longest <= LONG:
        return "l"
    width = "0.2" if longest <= LONGER else "0.5"  # of the page; the text is broken into lines
    return rf">{{\raggedright\arraybackslash}}p{{{width}\textwidth}}"
