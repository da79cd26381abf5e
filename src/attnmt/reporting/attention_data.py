"""The attention matrices of an experiment in the packed form that the report's page reads."""

from dataclasses import dataclass

from attnmt.config import Params
from attnmt.corpora.links import Links
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.attention import Matrix, read_matrices
from attnmt.reporting.rows import table_rows
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.published import published_lines
from attnmt.scoring.ranking import ranked_systems

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
    """The matrices of all systems with attention."""

    gold: bool  # whether gold links are known
    texts: list[tuple[str, ...]]  # each sentence once, as words or pieces
    models: list[dict[str, str]]  # each system's name, label and group, in the order of the lists
    first: list[str]  # the two systems that the page shows at first
    # of references (FORCED) and of the systems' own translations (OWN)
    kinds: dict[str, SampledSet]


def attention_data(params: Params, numbers: Numbers) -> AttentionData | None:
    """Return the matrices of all systems with attention; None if the experiment has none.

    If a system has several seeds, the matrices are those of its first seed.

    Raises:
        InputError: if a file is missing or does not fit its text.
    """
    aligned, tests = params.sets.aligned[0], params.sets.tests
    sets = {FORCED: aligned, OWN: aligned if aligned in tests else tests[0]}
    matrices = {
        kind: {
            name: read_matrices(params, name, test, forced=kind == FORCED)
            for name in params.systems_and_ensembles
        }
        for kind, test in sets.items()
    }
    names = [name for name, of_name in matrices[FORCED].items() if of_name]
    if not names:
        return None
    texts: dict[tuple[str, ...], int] = {}
    kinds = {}
    for kind, test in sets.items():
        lines = [matrix.line for matrix in matrices[kind][names[0]]]
        for name in names:
            if [matrix.line for matrix in matrices[kind][name]] != lines:
                folder = Layout(params.experiment).translations(name)
                why = f"holds attention for other lines of {test} than {names[0]} has"
                raise InputError(f"{folder}: {why}; run translate of both again")
        packed = {name: [_packed(one, texts) for one in matrices[kind][name]] for name in names}
        kinds[kind] = SampledSet(test, lines, packed)
    return AttentionData(
        gold=any(matrix.gold for name in names for matrix in matrices[FORCED][name]),
        texts=list(texts),
        models=[_described(params, matrices[FORCED][name][0]) for name in names],
        first=_first_two(params, numbers, names),
        kinds=kinds,
    )


def _packed(matrix: Matrix, texts: dict[tuple[str, ...], int]) -> Packed:
    """Return a matrix in packed form, and add its sentences to ``texts`` if they are not there yet."""
    source, target = (
        texts.setdefault(tuple(units), len(texts)) for units in (matrix.source, matrix.target)
    )
    percents = [round(100 * weight) for row in matrix.weights for weight in row]
    return source, target, percents, matrix.gold


def _described(params: Params, matrix: Matrix) -> dict[str, str]:
    direction = params.languages.title(params.direction(matrix.name))
    group = f"{direction}, family {params.translators(matrix.name).family}"
    return {"name": matrix.name, "label": matrix.label, "group": group}


def _first_two(params: Params, numbers: Numbers, attentional: list[str]) -> list[str]:
    """Return the systems with the paper's best and worst AER, or the first two if Table 6 has none.

    On one's own text they are the two best systems on the development set.
    """
    rates = {line.system: line.value for line in published_lines(params) if line.metric == "aer"}
    rows = [row.system for row in table_rows(params, "table6") if row.system in attentional]
    ranked = sorted((str(name) for name in rows), key=lambda name: rates.get(name) or 0.0)
    first = ranked[:1] + ranked[1:][-1:]
    if params.own_text:
        first = [name for name in ranked_systems(params, numbers) if name in attentional]
    return ((first or attentional) + ["", ""])[:2]
