"""The rows of the tables of scores: those of systems.yaml, and one for each system."""

from dataclasses import dataclass

from attnmt.config import ALIGNER, DIAGONAL, Params
from attnmt.scoring.published import printed_tables


@dataclass(frozen=True)
class Row:
    """One line of one table."""

    key: str  # unique in its table
    label: str  # what a reader sees
    system: str | None  # one, an ensemble, ALIGNER or DIAGONAL; None where the project has none
    over: str | None = None  # the key of the row from which its gain counts
    replaced: bool = False  # whether unknown words are replaced before BLEU is measured


def table_rows(params: Params, table: str) -> list[Row]:
    """Return the rows of a table in the order of systems.yaml, those of other people's systems last.

    A table without published numbers has only what the experiment trains. If its rows have gains, a row
    stays only if its gain counts from another one, or another's gain from it.
    """
    rows = [Row(key, **row.model_dump()) for key, row in params.tables[table].rows.items()]
    if table not in printed_tables():
        with_gains = any(row.over for row in rows)
        rows = [row for row in rows if params.runs_of(row.system)]
        if with_gains:
            keys, bases = {row.key for row in rows}, {row.over for row in rows}
            rows = [row for row in rows if row.over in keys or row.key in bases]
    return sorted(rows, key=lambda row: row.system is None)


def own_rows(params: Params) -> list[Row]:
    """Return a row of each system and ensemble of the experiment, as it translates in the end."""
    systems = params.systems_and_ensembles
    return [Row(n, n, n, replaced=params.replaces_words(n)) for n in systems]


def baseline_rows() -> list[Row]:
    """Return the rows of links that no model makes."""
    return [Row(ALIGNER, ALIGNER, ALIGNER), Row(DIAGONAL, DIAGONAL, DIAGONAL)]


def seeds_of(params: Params, system: str | None) -> float | None:
    """Return how many trainings a system has; None if it has one."""
    seeds = len(params.runs_of(system))
    return float(seeds) if seeds > 1 else None


def settings_of(params: Params, system: str | None) -> str | None:
    """Return what the experiment overrides in the training of a system or of an ensemble's members."""
    runs = params.runs_of(system)
    members = params.translators(runs[0]).members if runs else []
    systems = {params.training(member).system_name for member in members}
    given = [one.given for name, one in params.overrides.items() if name in systems]
    named = (", ".join(f"{key} {value}" for key, value in values.items()) for values in given)
    return "; ".join(dict.fromkeys(named)) or None
