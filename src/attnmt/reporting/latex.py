"""Tables as LaTeX: across the page, made smaller if they are wider, in a paper of one column or two."""

from collections.abc import Iterable
from textwrap import wrap

from attnmt.reporting.table import Table, full_title

HEADING = 9  # characters of a heading above numbers, in a line
LONG, LONGER = 20, 60  # characters; a column of longer text is broken into lines
_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#{}"}
    | {"_": r"\_\allowbreak{}", "\\": r"\textbackslash{}", "|": r"\textbar{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
_TABLE = r"""%% Needs \usepackage{array, booktabs, graphicx}
\begin{table*}
\centering
\small
\caption{%(caption)s}
\label{tab:%(label)s}
\setlength{\tabcolsep}{3pt}
\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%%
\begin{tabular}{%(columns)s}
\toprule
%(rows)s
\bottomrule
\end{tabular}}
\end{table*}
"""


def latex(table: Table, experiment: str) -> str:
    """Return a table as LaTeX; its notes follow the caption."""
    heads = [_heading(table, heading) for heading in table.headings]
    body = ([escaped(text) for text in texts] for texts in table.texts())
    lines = [_line(heads), r"\midrule", *map(_line, body)]
    caption = " ".join([f"{full_title(table, experiment)}. {table.caption}", *table.notes])
    return _TABLE % {
        "caption": escaped(caption),
        "label": f"{experiment}-{table.name}",
        "columns": "".join(_column(table, heading) for heading in table.headings),
        "rows": "\n".join(lines),
    }


def escaped(text: str) -> str:
    """Return text with LaTeX's special characters escaped. A line may end after an underscore.

    LaTeX would take a star or a bracket at the start of a row for an option of the row before.
    """
    return "{}" * text.startswith(("[", "*")) + text.translate(_ESCAPES)


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


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
