"""The attention matrices of an experiment as the report's page reads them: small, in whole percent."""

from dataclasses import dataclass

from attnmt.config import Params
from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.attention import Matrix, read_matrices
from attnmt.reporting.caption import LANGUAGES
from attnmt.reporting.paper import table_rows

FORCED, OWN = "forced", "own"
# The numbers of its source and target among the texts; its weights in percent, row by row, a row a
# target word; gold links where they are known.
Packed = tuple[int, int, list[int], Links | None]


@dataclass(frozen=True)
class SampledSet:
    """The matrices of one set: ``of`` each system, one for each of the sampled ``lines``."""

    set: str
    lines: list[int]
    of: dict[str, list[Packed]]


@dataclass(frozen=True)
class Described:
    """A system as the page lists it."""

    name: str
    label: str
    group: str


@dataclass(frozen=True)
class AttentionData:
    """The matrices of all systems with attention.

    Attributes:
        gold: whether gold links are known.
        texts: each sentence once, as words.
        models: what each system is.
        first: the two to show at first.
        kinds: the matrices of references (FORCED) and of the systems' own translations (OWN).
    """

    gold: bool
    texts: list[tuple[str, ...]]
    models: list[Described]
    first: list[str]
    kinds: dict[str, SampledSet]


def attention_data(params: Params) -> AttentionData | None:
    """Return the matrices of all systems with attention; None if the experiment has none.

    Raises:
        InputError: if a file is missing or does not fit its text.
    """
    names = [*params.models, *params.ensembles]
    aligned, tests = params.sets.aligned, params.sets.tests
    sets = {FORCED: aligned, OWN: aligned if aligned in tests else tests[0]}
    read = {
        kind: {name: read_matrices(params, name, test, forced=kind == FORCED) for name in names}
        for kind, test in sets.items()
    }
    shown = [name for name in names if read[FORCED][name]]
    if not shown:
        return None
    for kind, test in sets.items():
        _check_lines(params, test, {name: read[kind][name] for name in shown})
    texts: dict[tuple[str, ...], int] = {}
    kinds = {
        kind: SampledSet(
            test,
            [matrix.line for matrix in read[kind][shown[0]]],
            {name: [_packed(m, texts) for m in read[kind][name]] for name in shown},
        )
        for kind, test in sets.items()
    }
    return AttentionData(
        gold=any(matrix.gold for name in shown for matrix in read[FORCED][name]),
        texts=list(texts),
        models=[_described(params, read[FORCED][name][0]) for name in shown],
        first=_first_two(params, shown),
        kinds=kinds,
    )


def _check_lines(params: Params, test: str, read: dict[str, list[Matrix]]) -> None:
    """Refuse systems whose samples are not of the same lines."""
    lines = {name: [matrix.line for matrix in found] for name, found in read.items()}
    first = next(iter(lines))
    for name, own in lines.items():
        if own != lines[first]:
            folder = Layout(params.experiment).translations(name)
            raise InputError(
                f"{folder}: holds attention for other lines of {test} than {first} has; run translate "
                f"of both again"
            )


def _packed(matrix: Matrix, texts: dict[tuple[str, ...], int]) -> Packed:
    source, target = (
        texts.setdefault(tuple(units), len(texts)) for units in (matrix.source, matrix.target)
    )
    percents = [round(100 * weight) for row in matrix.weights for weight in row]
    return source, target, percents, matrix.gold


def _described(params: Params, matrix: Matrix) -> Described:
    system = params.translators(matrix.name)
    direction = LANGUAGES[params.model(system.members[0]).direction]
    return Described(matrix.name, matrix.label, f"{direction}, family {system.family}")


def _first_two(params: Params, shown: list[str]) -> list[str]:
    """Return the systems that link best and worst in the paper's Table 6, else any two."""
    known = sorted(
        (row for row in table_rows(params, "table6") if row.model in shown),
        key=lambda row: row.number("aer") or 0.0,
    )
    ends = [str(row.model) for row in (known[:1] + known[1:][-1:])]
    return ((ends or shown) + ["", ""])[:2]
