"""Tables as LaTeX, for a paper of two columns: the whole table across the page, and a part in a column.

A column is as wide as those of ACL's style. A test compiles the tables and looks for text beyond it.
"""

from collections.abc import Sequence
from dataclasses import replace
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
\caption{%(caption)s}
\label{%(label)s}
\fontsize{8}{9.5}\selectfont\setlength{\tabcolsep}{2.5pt}
\begin{tabularx}{\columnwidth}{@{}%(columns)s@{}}
%(rows)s
\end{tabularx}
\end{table}
"""


def wide(table: Table, experiment: str) -> str:
    """Return a table as wide as the page, made smaller if it is wider."""
    columns = [_column(table, heading) for heading in table.headings]
    return _filled(_WIDE, table, experiment, table.headings, columns)


def narrow(table: Table, experiment: str) -> str:
    """Return the columns of ``table.narrow``, as wide as a column of a paper of two columns.

    Rows without a number in them are left out.
    """
    _, *others = table.narrow
    columns = ["r" if table.is_number(heading) else _broken("1.4cm") for heading in others]
    columns = [r">{\raggedright\arraybackslash}X", *columns]
    numbers = [heading for heading in others if table.is_number(heading)]
    rows = [r for r in table.frame.index if any(table.text(r, heading) for heading in numbers)]
    short = replace(table, frame=table.frame.loc[rows])
    return _filled(_NARROW, short, experiment, table.narrow, columns, "-narrow")


def escaped(text: str) -> str:
    """Return text with LaTeX's special characters escaped. A line may end after an underscore."""
    return text.translate(_ESCAPES)


def _filled(
    form: str,
    table: Table,
    experiment: str,
    headings: Sequence[str],
    columns: Sequence[str],
    end: str = "",
) -> str:
    head = " & ".join(_heading(table, heading) for heading in headings)
    body = [
        " & ".join(escaped(table.text(row, heading)) for heading in headings) + r" \\"
        for row in table.frame.index
    ]
    return form % {
        "caption": escaped(f"{full_title(table, experiment)}. {table.caption}"),
        "label": f"tab:{experiment}-{table.name}{end}",
        "columns": "".join(columns),
        "rows": "\n".join([r"\toprule", head + r" \\", r"\midrule", *body, r"\bottomrule"]),
    }


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
    return _broken(r"0.2\textwidth" if longest <= LONGER else r"0.5\textwidth")


def _broken(width: str) -> str:
    """Return a column of text that is broken into lines."""
    return rf">{{\raggedright\arraybackslash}}p{{{width}}}"
