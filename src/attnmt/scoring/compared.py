"""Which numbers of an experiment are compared: what systems.yaml says, and the gain by attention."""

from collections.abc import Iterator

from attnmt.config import ALIGNER, Params, TableEntry, TableRow
from attnmt.scoring.published import printed_tables
from attnmt.scoring.ranking import attention_pair
from attnmt.scoring.score_table import ScoreRow, ScoreTable


def compared(params: Params, numbers: ScoreTable) -> Iterator[tuple[ScoreRow, ScoreRow]]:
    """Yield the pairs whose gain is tested: a number, and the one that the gain counts from.

    These are the rows of each table with the rows that they name in ``over``, and on the
    paper's systems the gain by attention.
    """
    for table in params.tables:
        if is_shown(params, table):
            yield from _of_table(params, numbers, table)
    one, two = attention_pair(params, numbers)
    if one and two and not params.own_text:
        yield one, two


def is_shown(params: Params, table: str) -> bool:
    """Return whether a table belongs to the report; on one's own text, the paper's tables do not."""
    return not (params.own_text and table in printed_tables())


def _of_table(
    params: Params, numbers: ScoreTable, table: str
) -> Iterator[tuple[ScoreRow, ScoreRow]]:
    entry = params.tables[table]
    by_replacement = entry.gain == "replacement"
    tested = params.sets.numbered(entry.test)
    for test in params.sets.aligned if entry.gain == "aer" else [tested]:
        for row in entry.rows.values():
            over = row if by_replacement else entry.rows.get(row.over or "")
            ours = _number(numbers, entry, test, row)
            other = _number(numbers, entry, test, over, before=by_replacement)
            # The aligner reads whole sentences, and a family may read only their last words.
            aligned = ALIGNER in (row.system, over and over.system)
            if ours and other and not (aligned and ours.reference != other.reference):
                yield ours, other


def _number(
    numbers: ScoreTable,
    entry: TableEntry,
    test: str,
    row: TableRow | None,
    before: bool = False,
) -> ScoreRow | None:
    if row is None:
        return None
    if entry.gain == "aer":
        return numbers.system(row.system, "aer", test)
    replaced = not before and (row.replaced or entry.gain != "bleu")
    replacement = "after" if replaced else "before"
    return numbers.system(row.system, "bleu", test, entry.script, replacement)
