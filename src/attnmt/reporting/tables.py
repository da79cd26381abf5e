"""The tables that are made from scores.csv, each a function of its numbers; and the files of tables.

A function takes the parameters and the numbers, and returns a table, several, or None where the
experiment has no number to show. To add a table, write such a function and name it in ``TABLES``.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from attnmt.config import Params
from attnmt.files.text_file import write_text
from attnmt.reporting import latex
from attnmt.reporting.answer import answers_table
from attnmt.reporting.attention_table import attention_table
from attnmt.reporting.count_tables import cost_table, dictionary_table, recipe_table, unknown_table
from attnmt.reporting.score_tables import score_tables
from attnmt.reporting.settings_table import settings_table
from attnmt.reporting.table import Table, csv, markdown
from attnmt.scoring.numbers import Numbers

TABLES: tuple[Callable[[Params, Numbers], Table | list[Table] | None], ...] = (
    answers_table,
    attention_table,
    score_tables,
    dictionary_table,
    unknown_table,
    settings_table,
    recipe_table,
    cost_table,
)


def make_tables(params: Params, numbers: Numbers) -> list[Table]:
    """Return every table in which the experiment has a number of its own."""
    tables: list[Table] = []
    for function in TABLES:
        made = function(params, numbers)
        tables += made if isinstance(made, list) else [made] if made else []
    return tables


def write_tables(experiment: str, tables: Iterable[Table], folder: Path) -> None:
    """Write each table as CSV, Markdown and LaTeX. The same tables give the same bytes.

    A table that has a narrow version is written as ``<name>_narrow.tex``, too.
    """
    for table in tables:
        texts = {".csv": csv(table), ".md": markdown(table, experiment)}
        texts[".tex"] = latex.wide(table, experiment)
        if table.narrow:
            texts["_narrow.tex"] = latex.narrow(table, experiment)
        for end, text in texts.items():
            write_text(folder / f"{table.name}{end}", text)
