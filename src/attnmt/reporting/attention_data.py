"""The attention matrices of an experiment in the packed form that the report's page reads."""

from dataclasses import dataclass

from attnmt.config import Params
from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.attention import Matrix, read_matrices
from attnmt.reporting.own_text import on_own_text
from attnmt.reporting.published import published_lines
from attnmt.reporting.ranking import ranked_systems
from attnmt.reporting.rows import table_rows
from attnmt.scoring.numbers import Numbers

FORCED, OWN = "forced", "own"
# A matrix: the numbers of its source and of its target in the list of texts, its weights in whole
# percent, and its gold links where they are known. The weights are listed row by row. A row is a target
# word.
Packed = tuple[int, int, list[int], Links | None]


@dataclass(frozen=True)
class SampledSet:
    """The matrices of one set. ``of`` has the matrices of each system, one for each of ``lines``."""

    set: str
    lines: list[int]
    of: dict[str, list[Packed]]


@dataclass(frozen=True)
class AttentionData:
    """The matrices of all systems with attention.

    Attributes:
        gold: whether gold links are known.
        texts: each sentence once, as words or pieces.
        models: the name, the label and the group of each system, in the order of the page's lists.
        first: the two systems that the page shows at first.
        kinds: the matrices of references (FORCED) and of the systems' own translations (OWN).
    """

    gold: bool
    texts: list[tuple[str, ...]]
    models: list[dict[str, str]]
    first: list[str]
    kinds: dict[str, SampledSet]


def attention_data(params: Params, numbers: Numbers) -> AttentionData | None:
    """Return the matrices of all systems with attention; None if the experiment has none.

    If a system has several seeds, the matrices are those of its first seed.

    Raises:
        InputError: if a file is missing or does not fit its text.
    """
    names = [name for name, model in params.models.items() if model.seed == 1]
    names += [name for name, ensemble in params.ensembles.items() if ensemble.seed == 1]
    aligned, tests = params.sets.aligned[0], params.sets.tests
    sets = {FORCED: aligned, OWN: aligned if aligned in tests else tests[0]}
    matrices = {
        kind: {name: read_matrices(params, name, test, forced=kind == FORCED) for name in names}
        for kind, test in sets.items()
    }
    attentional = [name for name in names if matrices[FORCED][name]]
    if not attentional:
        return None
    for kind, test in sets.items():
        _check_lines(params, test, {name: matrices[kind][name] for name in attentional})
    texts: dict[tuple[str, ...], int] = {}
    kinds = {
        kind: SampledSet(
            test,
            [matrix.line for matrix in matrices[kind][attentional[0]]],
            {name: [_packed(m, texts) for m in matrices[kind][name]] for name in attentional},
        )
        for kind, test in sets.items()
    }
    return AttentionData(
        gold=any(matrix.gold for name in attentional for matrix in matrices[FORCED][name]),
        texts=list(texts),
        models=[_described(params, matrices[FORCED][name][0]) for name in attentional],
        first=_first_two(params, numbers, attentional),
        kinds=kinds,
    )


def _check_lines(params: Params, test: str, by_system: dict[str, list[Matrix]]) -> None:
    """Check that all systems have samples of the same lines.

    Raises:
        InputError: if two systems have samples of different lines.
    """
    lines = {name: [matrix.line for matrix in matrices] for name, matrices in by_system.items()}
    first = next(iter(lines))
    for name in lines:
        if lines[name] != lines[first]:
            folder = Layout(params.experiment).translations(name)
            raise InputError(
                f"{folder}: holds attention for other lines of {test} than {first} has; run translate "
                f"of both again"
            )


def _packed(matrix: Matrix, texts: dict[tuple[str, ...], int]) -> Packed:
    """Return a matrix in packed form, and add its sentences to ``texts`` if they are not there yet."""
    source, target = (
        texts.setdefault(tuple(units), len(texts)) for units in (matrix.source, matrix.target)
    )
    percents = [round(100 * weight) for row in matrix.weights for weight in row]
    return source, target, percents, matrix.gold


def _described(params: Params, matrix: Matrix) -> dict[str, str]:
    system = params.translators(matrix.name)
    direction = params.languages.title(params.model(system.members[0]).direction)
    group = f"{direction}, family {system.family}"
    return {"name": matrix.name, "label": matrix.label, "group": group}


def _first_two(params: Params, numbers: Numbers, attentional: list[str]) -> list[str]:
    """Return the systems with the paper's best and worst AER, or the first two if Table 6 has none.

    On one's own text they are the two best systems on the development set.
    """
    rates = {line.system: line.value for line in published_lines(params) if line.metric == "aer"}
    rows = [row.system for row in table_rows(params, "table6") if row.system in attentional]
    ranked = sorted((str(name) for name in rows), key=lambda name: rates.get(name) or 0.0)
    first = ranked[:1] + ranked[1:][-1:]
    if on_own_text(params):
        first = [name for name in ranked_systems(params, numbers) if name in attentional]
    return ((first or attentional) + ["", ""])[:2]
