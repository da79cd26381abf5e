"""Attention as matrices of weights beside gold links: Figure 7 and the plots of the GRU systems."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape
from itertools import chain
from pathlib import Path

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped
from attnmt.decoding.kept_attention import Attended, read_attention
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.own_text import direction_of, on_own_text, own_name, own_systems
from attnmt.reporting.rows import rows_of, table_rows
from attnmt.scoring.reference_links import link_kind, reference_links
from attnmt.text.encoded import EncodedSets
from attnmt.text.pieces import words_of_pieces

GOLD = "gold"  # in place of a model's name
LONGEST = 15  # most source words of a sentence that is drawn, unless all sampled ones are longer


@dataclass(frozen=True)
class Matrix:
    """What one model or ensemble attends to in one sentence.

    Attributes:
        name: the model or the ensemble, or GOLD.
        label: its name in the paper.
        line: the number of its line in the set, from 0.
        source: words or pieces.
        target: words or pieces, ``</s>`` at the end.
        weights: (target, source), one row for each unit that is predicted.
        gold: source-target links of the units, both sure and possible ones; None if they are not known.
    """

    name: str
    label: str
    line: int
    source: list[str]
    target: list[str]
    weights: list[list[float]]
    gold: Links | None


@dataclass(frozen=True)
class MatrixFigure:
    """Matrices of one sentence. ``name`` is the stem of the figure's files."""

    name: str
    title: str
    about: str
    caption: str
    matrices: list[Matrix]


def read_matrices(params: Params, name: str, test: str, forced: bool) -> list[Matrix]:
    """Return the matrices of the sampled sentences of a set; none if the system has no attention.

    Args:
        name: a model or an ensemble.
        forced: True for the set's references, with gold links where these are known; False for the
            system's own translations, which have no gold links.

    Raises:
        InputError: if the file is missing, or its weights or the gold links do not fit its text.
    """
    system = params.translators(name)
    if not params.attends(name):
        return []
    layout = Layout(params.experiment)
    path = layout.translations(name) / f"{test}.{'forced.' if forced else ''}attention.json"
    data = EncodedSets(layout.encoded(system.family))
    gold = _gold_links(params, name, data, test) if forced else None
    samples = read_attention(path, data.lines(test), f"run translate of {name} again")
    shown_name = label(params, name)
    return [_matrix(path, name, shown_name, sample, gold) for sample in samples]


def figure7(params: Params) -> MatrixFigure | None:
    """Return gold links and the attention of Table 6's models; None if none of them is trained.

    On one's own text they are all forward systems with attention.
    """
    return _figure(params, "figure7", own_name(params, "Figure 7", "alignments"), "table6")


def figure_gru(params: Params) -> MatrixFigure | None:
    """Return gold links and the attention of the GRU table's models; None if none of them is trained."""
    if on_own_text(params):
        return None
    return _figure(params, "figure_gru", ("GRU", "attention of the GRU systems"), "table_gru")


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
    """Return the shortest name that the paper gives a system, or our own name where it gives none.

    On one's own text it is our own name, which commands take.
    """
    if on_own_text(params):
        return name
    labels = [row.label for row in rows_of(params, name)]
    return min(labels, key=len, default=name)


def _figure(params: Params, name: str, title: tuple[str, str], table: str) -> MatrixFigure | None:
    models = [row.system for row in table_rows(params, table) if row.system in params.models]
    if on_own_text(params):
        forward = [name for name in own_systems(params) if direction_of(params, name) == "forward"]
        models = [name for name in forward if params.attends(name)]
    if not models:
        return None
    test = params.sets.aligned[0]
    by_model = [read_matrices(params, str(model), test, forced=True) for model in models]
    line = _line_to_draw(by_model[0])
    matrices = [matrix for matrix in chain.from_iterable(by_model) if matrix.line == line]
    first = matrices[0]
    if first.gold is not None:
        matrices.insert(0, _gold_matrix(first, first.gold))
    caption = (
        f"Line {line + 1} of {test}, force-decoded: a row is the step that predicts the word at its "
        "left. White is a weight of 0, the darkest blue a weight of 1."
    )
    if first.gold is not None:
        caption += " Squares are gold links."
    return MatrixFigure(name, *title, caption, matrices)


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


def _matrix(
    path: Path, name: str, label: str, sample: Attended, gold: list[Links] | None
) -> Matrix:
    """Join a sample of a file to the gold links of its line.

    Raises:
        InputError: if the gold links do not fit the text of the sample.
    """
    line, source, target, weights = sample.line, sample.source, sample.target, sample.weights
    again = f"run translate of {name} again"
    if gold is None:
        links = None
    elif all(i < len(source) and j < len(target) for i, j in gold[line]):
        links = gold[line]
    else:
        raise InputError(f"{path}: line {line}: the gold links belong to another text; {again}")
    # Moses wrote &apos; for '.
    source, target = ([unescape(unit) for unit in units] for units in (source, target))
    return Matrix(name, label, line, source, target, weights, links)


def _gold_matrix(like: Matrix, gold: Links) -> Matrix:
    """Return gold links as a matrix of the same sentence, with 1 at each link and 0 elsewhere."""
    linked = set(gold)
    weights = [
        [float((i, j) in linked) for i in range(len(like.source))] for j in range(len(like.target))
    ]
    return replace(like, name=GOLD, label=GOLD, weights=weights)
