"""The table of unknown words: how many each system replaced, and how many replacements are right."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.reporting.caption import seed_words
from attnmt.reporting.columns import decimal, filled, number_column, text_column
from attnmt.reporting.lines import Line, Measured, read_systems
from attnmt.reporting.paper import Row
from attnmt.reporting.provenance import common_conditions, provenance
from attnmt.reporting.tables import Caption, Cell, Column, Table, TableSpec, Title
from attnmt.scoring.results import Replacements

# The table shows no score. Its conditions are those of BLEU after replacement.
SPEC = TableSpec(
    "table_unknown", "Unknown words", metrics=("bleu_unk",), judged=None, published=False
)
HEADINGS = {
    "unknown": "unknown words",
    "replaced": "replaced",
    "right": "right",
    "repeated": "repeats a neighbor",
    "copied": "copied",
    "copied_right": "copied, right",
}
WHOLES = {"right": "replaced", "repeated": "replaced", "copied_right": "copied"}
FILE_DIGITS, SHOWN_DIGITS = 2, 1  # decimals of a percentage
MEANINGS = (
    "“right” counts the replaced words that are among the unknown words of their own sentence's "
    "reference. “repeats a neighbor” counts those that are equal to the word directly before or after "
    "them, and “copied” those that also occur in the source sentence, such as names. The "
    "percentages are of the replaced words and, in “copied, right”, of the copied ones."
)
SEVERAL_SEEDS = (
    "Where a system has several seeds, its numbers are means over them, and the number after ± is the "
    "standard deviation between their percentages."
)


@dataclass(frozen=True)
class _Replaced:
    """A row: means over a system's seeds.

    Attributes:
        counts: by the fields of Replacements.
        percents: by the keys of WHOLES; None where the whole is 0 for every seed.
        deviations: standard deviations of the percentages between seeds; None where fewer than two
            seeds have a percentage.
    """

    line: Line
    counts: dict[str, float]
    percents: dict[str, float | None]
    deviations: dict[str, float | None]


def unknown_table(params: Params) -> Table | None:
    """Return the table on the first test set; None if no system that reads words has attention.

    Models that differ only in the seed share a row.

    Raises:
        InputError: if scores are missing or damaged, belong to another system, or were not
            measured under the same conditions.
    """
    names, test = _names(params), params.sets.tests[0]
    if not names:
        return None
    rows = [_row(params, name, test) for name in names]
    several = any(len(row.line.systems) > 1 for row in rows)
    columns = [text_column("system", "system", names, "name")]
    if several:
        seeds = [len(row.line.systems) for row in rows]
        columns.append(number_column("trainings", "seeds", seeds, 0))
    columns += [_column(key, rows) for key in HEADINGS]
    return Table(
        SPEC.name,
        Title(SPEC.title, "", params.experiment),
        _caption(rows, test, several),
        filled(columns),
        [_cells(row, test, several) for row in rows],
        names,
    )


def _names(params: Params) -> list[str]:
    """Return the first seed of each model and ensemble that attends and reads words."""
    return [
        name
        for name in [*params.models, *params.ensembles]
        if params.replaces_words(name) and params.runs_of(name)[0] == name
    ]


def _row(params: Params, name: str, test: str) -> _Replaced:
    line = Line(Row(name, name, name, replaced=True), read_systems(params, name, test), {})
    by_seed = []
    for system in line.systems:
        counts = system.scores.sets[test].replacements if system.scores else None
        if counts is None:
            raise InputError(
                f"{system.file}: sets.{test}.replacements: none, though {system.name} replaces unknown "
                f"words; run evaluate of {system.name} again"
            )
        by_seed.append(counts)
    shares = {key: _percents(by_seed, key) for key in WHOLES}
    return _Replaced(
        line,
        {key: round(mean(getattr(seed, key) for seed in by_seed), FILE_DIGITS) for key in HEADINGS},
        {key: round(mean(of), FILE_DIGITS) if of else None for key, of in shares.items()},
        {key: round(stdev(of), FILE_DIGITS) if len(of) > 1 else None for key, of in shares.items()},
    )


def _percents(by_seed: Sequence[Replacements], key: str) -> list[float]:
    """Return a count's percentage of its whole, for each seed whose whole is not 0."""
    pairs = [(getattr(seed, key), getattr(seed, WHOLES[key])) for seed in by_seed]
    return [100 * part / whole for part, whole in pairs if whole]


def _column(key: str, rows: Sequence[_Replaced]) -> Column:
    counts = [row.counts[key] for row in rows]
    cells = [decimal(row.counts[key], 0) + _share(row, key) for row in rows]
    return Column(key, HEADINGS[key], cells, list(counts))


def _share(row: _Replaced, key: str) -> str:
    """Return a percentage in brackets; an empty text for a count that is not a share."""
    percent, sd = row.percents.get(key), row.deviations.get(key)
    if percent is None:
        return ""
    deviation = "" if sd is None else f" ± {decimal(sd, SHOWN_DIGITS)}"
    return f" ({decimal(percent, SHOWN_DIGITS)}{deviation}%)"


def _cells(row: _Replaced, test: str, several: bool) -> dict[str, Cell]:
    """Return a row of the CSV file."""
    cells: dict[str, Cell] = {"system": row.line.row.system}
    for key, count in row.counts.items():
        cells[key] = count
        if key in WHOLES:
            cells[f"{key}_percent"] = row.percents[key]
    if several:
        cells |= {f"{key}_percent_sd": sd for key, sd in row.deviations.items()}
        cells["trainings"] = len(row.line.systems)
    origin = provenance(row.line, SPEC, test) | {"number": "replaced unknown words"}
    del origin["signature"]
    return cells | origin


def _conditions(rows: Sequence[_Replaced], test: str) -> dict[str, Cell]:
    """Return the conditions of the first row's family and direction.

    Raises:
        InputError: if systems of the same family and direction were not scored alike.
    """
    alike: dict[tuple[str, str], list[Measured]] = {}
    for row in rows:
        for system, scores in zip(row.line.systems, row.line.scores, strict=True):
            alike.setdefault((scores.family, scores.direction), []).append(system)
    first, *_ = [common_conditions(systems, SPEC, test) for systems in alike.values()]
    return first


def _caption(rows: Sequence[_Replaced], test: str, several: bool) -> Caption:
    common = _conditions(rows, test)
    seeds = seed_words({row.line.seeds for row in rows if row.line.seeds})
    details = ", ".join([f"{common['lines']} sentences", *seeds, f"beam {common['beam']}"])
    lead = (
        f"“unknown words” counts the words of the references of {test} ({details}) that the system's "
        "vocabulary lacks. “replaced” counts the unknown words of its translations that were replaced "
        "by a word."
    )
    return Caption(lead, f"{MEANINGS} {SEVERAL_SEEDS}" if several else MEANINGS)
