"""The tables that are made from scores.csv. Each is a function of its numbers.

A function takes the parameters and the numbers, and returns a table, several, or None where the
experiment has no number to show. To add a table, write such a function and name it in ``TABLES``.
"""

from collections.abc import Callable

from attnmt.config import Params
from attnmt.reporting.answer import answers_table
from attnmt.reporting.attention_table import attention_table
from attnmt.reporting.count_tables import cost_table, dictionary_table, recipe_table, unknown_table
from attnmt.reporting.score_tables import score_tables
from attnmt.reporting.table import Table
from attnmt.scoring.numbers import Numbers

TABLES: tuple[Callable[[Params, Numbers], Table | list[Table] | None], ...] = (
    answers_table,
    attention_table,
    score_tables,
    dictionary_table,
    unknown_table,
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
