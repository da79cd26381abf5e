"""Attention as matrices of weights beside gold links: Figure 7, and those of the page.

Every function here raises an InputError if a file is missing or damaged.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped
from attnmt.decoding.kept_attention import read_attention
from attnmt.layout import Layout
from attnmt.reporting.rows import table_rows
from attnmt.scoring.ranking import ranked_systems
from attnmt.scoring.score_table import ScoreTable
from attnmt.text.encoded import EncodedSets
from attnmt.text.pieces import words_of_pieces
from attnmt.text.reference_links import link_kind, reference_links

FORCED, OWN = "forced", "own"
GOLD = "gold"  # in place of a system's label
LONGEST = 15  # most source words of a sentence that is drawn, unless all sampled ones are longer


@dataclass(frozen=True)
class Matrix:
    """What one model or ensemble attends to in one sentence."""

    line: int  # the number of the sentence in its set, from 0
    source: list[str]  # words or pieces
    target: list[str]  # words or pieces, ``</s>`` at the end
    weights: list[list[float]]  # (target, source), one row for each unit that is predicted
    gold: Links | None  # of units, source-target, sure and possible; None if they are not known


# A matrix: the numbers of its source and of its target in the list of texts, its weights in whole
# percent, row by row, and its gold links where they are known. A row is a target word.
Packed = tuple[int, int, list[int], Links | None]


@dataclass(frozen=True)
class SampledSet:
    """The matrices of one set. ``of`` has the matrices of each system, one for each of ``lines``."""

    lines: list[int]
    of: dict[str, list[Packed]]


@dataclass(frozen=True)
class AttentionData:
    """The matrices of all systems with attention."""

    gold: bool  # whether gold links are known
    texts: list[tuple[str, ...]]  # each sentence once, as words or pieces
    labels: dict[str, str]  # of the systems, the best one on the development set first
    # of references (FORCED) and of the systems' own translations (OWN)
    kinds: dict[str, SampledSet]


def read_matrices(params: Params, name: str, test: str, forced: bool) -> list[Matrix]:
    """Return the matrices of the sampled sentences of a set.

    Args:
        name: a model or an ensemble with attention.
        forced: True for the set's references, with gold links where these are known; False for the
            system's own translations, which have no gold links.
    """
    layout, again = Layout(params.experiment), f"run translate of {name} again"
    path = layout.translations(name) / f"{test}.{'forced.' if forced else ''}attention.json"
    data = EncodedSets(layout.encoded(params.translators(name).family))
    gold = _gold_links(params, name, data, test) if forced else None
    matrices = []
    for one in read_attention(path, again):
        links = gold[one.line] if gold else None
        # Moses wrote &apos; for '.
        source, target = ([unescape(unit) for unit in side] for side in (one.source, one.target))
        matrices.append(Matrix(one.line, source, target, one.weights, links))
    return matrices


def figure7(params: Params) -> dict[str, Matrix]:
    """Return gold links and the attention of Table 6's models in one short sentence, by their labels.

    On one's own text they are all systems of the main direction. The result is empty if there is none.
    """
    if params.own_text:
        names = params.systems_and_ensembles
        labels = {one: one for one in names if params.direction(one) == params.main_direction}
    else:
        rows = table_rows(params, "table6")
        labels = {row.system: row.label for row in rows if row.system in params.trainings}
    test = params.sets.aligned[0]
    sampled = {
        labels[name]: read_matrices(params, name, test, forced=True)
        for name in filter(params.attends, labels)
    }
    if not sampled:
        return {}
    line = _line_to_draw(next(iter(sampled.values())))
    matrices = {key: one for key, some in sampled.items() for one in some if one.line == line}
    first = next(iter(matrices.values()))
    if first.gold is None:
        return matrices
    words, size = range(len(first.target)), range(len(first.source))
    linked = [[float((i, j) in first.gold) for i in size] for j in words]
    return {GOLD: replace(first, weights=linked)} | matrices


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
    forward = params.training(system.members[0]).direction == "forward"
    links = [line.possible if forward else flipped(line.possible) for line in gold]
    if not data.pieces:
        return links
    sides = (data.units(test, language) for language in params.sides(name))
    return [piece_links(*line) for line in zip(links, *sides, strict=True)]


def attention_data(params: Params, numbers: ScoreTable) -> AttentionData | None:
    """Return the matrices of all systems with attention; None if the experiment has none.

    If a system has several seeds, the matrices are those of its first seed.
    """
    names = list(filter(params.attends, params.systems_and_ensembles))
    if not names:
        return None
    ranked = [name for name in ranked_systems(params, numbers) if name in names]
    aligned, tests = params.sets.aligned[0], params.sets.tests
    texts: dict[tuple[str, ...], int] = {}
    kinds, gold = {}, False
    for kind, test in {FORCED: aligned, OWN: aligned if aligned in tests else tests[0]}.items():
        matrices = {name: read_matrices(params, name, test, kind == FORCED) for name in names}
        lines = [matrix.line for matrix in matrices[names[0]]]
        packed = {name: [_packed(one, texts) for one in matrices[name]] for name in names}
        kinds[kind] = SampledSet(lines, packed)
        gold |= any(matrix.gold for one in matrices.values() for matrix in one)
    labels = {name: label(params, name) for name in dict.fromkeys([*ranked, *names])}
    return AttentionData(gold, list(texts), labels, kinds)


def _packed(matrix: Matrix, texts: dict[tuple[str, ...], int]) -> Packed:
    """Return a matrix in packed form, and add its sentences to ``texts`` if they are not there yet."""
    source, target = (
        texts.setdefault(tuple(units), len(texts)) for units in (matrix.source, matrix.target)
    )
    percents = [round(100 * weight) for row in matrix.weights for weight in row]
    return source, target, percents, matrix.gold
