"""Attention as matrices of weights beside gold links: Figure 7, the GRU plots, and those of the page.

Every function here raises an InputError if a file is missing, or if its weights or the gold links do
not fit its text.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape
from itertools import chain

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped
from attnmt.decoding.kept_attention import read_attention
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.own_text import own_name
from attnmt.reporting.rows import table_rows
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.published import published_lines
from attnmt.scoring.ranking import ranked_systems
from attnmt.scoring.reference_links import link_kind, reference_links
from attnmt.text.encoded import EncodedSets
from attnmt.text.pieces import words_of_pieces

FORCED, OWN = "forced", "own"
GOLD = "gold"  # in place of a model's label
LONGEST = 15  # most source words of a sentence that is drawn, unless all sampled ones are longer


@dataclass(frozen=True)
class Matrix:
    """What one model or ensemble attends to in one sentence."""

    label: str  # the name of the model or the ensemble in the paper, or GOLD
    line: int  # the number of the sentence in its set, from 0
    source: list[str]  # words or pieces
    target: list[str]  # words or pieces, ``</s>`` at the end
    weights: list[list[float]]  # (target, source), one row for each unit that is predicted
    gold: Links | None  # of units, source-target, sure and possible; None if they are not known


@dataclass(frozen=True)
class MatrixFigure:
    """Matrices of one sentence. ``name`` is the stem of the figure's files."""

    name: str
    title: str
    matrices: list[Matrix]


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


def read_matrices(params: Params, name: str, test: str, forced: bool) -> list[Matrix]:
    """Return the matrices of the sampled sentences of a set; none if the system has no attention.

    Args:
        name: a model or an ensemble.
        forced: True for the set's references, with gold links where these are known; False for the
            system's own translations, which have no gold links.
    """
    system = params.translators(name)
    if not params.attends(name):
        return []
    layout = Layout(params.experiment)
    path = layout.translations(name) / f"{test}.{'forced.' if forced else ''}attention.json"
    data, again = EncodedSets(layout.encoded(system.family)), f"run translate of {name} again"
    gold = _gold_links(params, name, data, test) if forced else None
    matrices, shown_name = [], label(params, name)
    for one in read_attention(path, again):
        links = gold[one.line] if gold and one.line < len(gold) else None
        others = any(i >= len(one.source) or j >= len(one.target) for i, j in links or ())
        if others or (gold and links is None):
            why = f"line {one.line}: the gold links belong to another text"
            raise InputError(f"{path}: {why}; {again}")
        # Moses wrote &apos; for '.
        source, target = ([unescape(unit) for unit in side] for side in (one.source, one.target))
        matrices.append(Matrix(shown_name, one.line, source, target, one.weights, links))
    return matrices


def figure7(params: Params) -> MatrixFigure | None:
    """Return gold links and the attention of Table 6's models; None if none of them is trained.

    On one's own text they are all systems of the main direction with attention.
    """
    title, _ = own_name(params, "Figure 7", "alignments")
    return _figure(params, "figure7", title, "table6")


def figure_gru(params: Params) -> MatrixFigure | None:
    """Return gold links and the attention of the GRU table's models; None if none of them is trained."""
    if params.own_text:
        return None
    return _figure(params, "figure_gru", "GRU", "table_gru")


def piece_links(links: Links, source: list[str], target: list[str]) -> Links:
    """Return links of words as links between all their pieces."""
    linked = set(links)
    return [
        (i, j)
        for i, source_word in enumerate(words_of_pieces(source))
        for j, target_word in enumerate(words_of_pieces(target))
        if (source_word, target_word) in linked
    ]


def label(params: Params, name: str) -> str:
    """Return the shortest name that the tables give a system and no other one that is trained.

    Where they give none, and on one's own text, it is our own name, which commands take.
    """
    if params.own_text:
        return name
    rows = [row for table in params.tables.values() for row in table.rows.values()]
    others = {row.label for row in rows if row.system != name and params.runs_of(row.system)}
    labels = {row.label for row in rows if row.system == name}
    return min(sorted(labels - others), key=len, default=name)


def _figure(params: Params, name: str, title: str, table: str) -> MatrixFigure | None:
    if params.own_text:
        everyone = params.systems_and_ensembles
        labels = {
            name: name for name in everyone if params.direction(name) == params.main_direction
        }
    else:
        rows = table_rows(params, table)
        labels = {row.system: row.label for row in rows if row.system in params.models}
    if not (models := list(filter(params.attends, labels))):
        return None
    test = params.sets.aligned[0]
    by_model = [
        [
            replace(matrix, label=labels[model])
            for matrix in read_matrices(params, model, test, forced=True)
        ]
        for model in models
    ]
    line = _line_to_draw(by_model[0])
    matrices = [matrix for matrix in chain.from_iterable(by_model) if matrix.line == line]
    first = matrices[0]
    if first.gold is not None:
        linked = [
            [float((i, j) in first.gold) for i in range(len(first.source))]
            for j in range(len(first.target))
        ]
        matrices.insert(0, replace(first, label=GOLD, weights=linked))
    return MatrixFigure(name, title, matrices)


def _line_to_draw(matrices: Iterable[Matrix]) -> int:
    lengths = {matrix.line: len(matrix.source) for matrix in matrices}
    short = (line for line, length in lengths.items() if length <= LONGEST)
    return next(short, min(lengths, key=lengths.__getitem__))


def _gold_links(params: Params, name: str, data: EncodedSets, test: str) -> list[Links] | None:
    """Return the gold links of a set's units, from what the system reads to what it writes.

    The sure and the possible links are both included. The result is None if the set has no gold links.
    """
    system = params.translators(name)
    if link_kind(params, test) == "silver":
        return None
    gold = reference_links(params, test, system.family).links
    forward = params.model(system.members[0]).direction == "forward"
    links = [line.possible if forward else flipped(line.possible) for line in gold]
    if not data.pieces:
        return links
    sides = (data.units(test, language) for language in params.sides(name))
    return [piece_links(*line) for line in zip(links, *sides, strict=True)]


def attention_data(params: Params, numbers: Numbers) -> AttentionData | None:
    """Return the matrices of all systems with attention; None if the experiment has none.

    If a system has several seeds, the matrices are those of its first seed.
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
        models=[
            {"name": name, "label": label(params, name), "group": _group(params, name)}
            for name in names
        ],
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


def _group(params: Params, name: str) -> str:
    direction = params.languages.title(params.direction(name))
    return f"{direction}, family {params.translators(name).family}"


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
