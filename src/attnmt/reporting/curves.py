"""Figures 5 and 6: the paper's published points beside curves of ours, as data."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import mean

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.caption import seed_words
from attnmt.reporting.paper import Point, Row, paper_curves, paper_set, table_rows
from attnmt.reporting.recipes import marks
from attnmt.reporting.tables import Caption, Title
from attnmt.scoring.results import read_system_scores
from attnmt.training.trained import read_history

Points = dict[int, tuple[float, float]]  # (x, y) by what seeds share: a step or a group's number


@dataclass(frozen=True)
class Series:
    """One curve of the system that ``label`` names: the published one if ``paper``, otherwise ours.

    ``model`` is our model or ensemble. A published curve has it too if we have the system. ``number`` is
    the place of the system among the systems of both figures.
    """

    label: str
    model: str | None
    paper: bool
    x: list[float]
    y: list[float]
    number: int


@dataclass(frozen=True)
class Panel:
    """Curves in one pair of axes."""

    title: str
    x_label: str
    y_label: str
    series: list[Series]


@dataclass(frozen=True)
class Figure:
    """Panels side by side. ``name`` is the stem of its files."""

    name: str
    title: Title
    caption: Caption
    panels: list[Panel]


def figure5(params: Params) -> Figure | None:
    """Return the learning curves; None if the experiment has none of the six systems.

    Raises:
        InputError: if a file of a model is missing, or has no costs of the first test set.
    """
    column = f"{params.sets.tests[0]}_cost"

    def read(name: str, _: bool) -> Points:
        return _history(Layout(params.experiment).model(name), column)

    labels = "Mini-batches", "Test cost (ln perplexity)"
    caption = "The curves show the cost of the test set while a model learns."
    return _figure(params, "Figure 5", "learning curves", labels, caption, read)


def figure6(params: Params) -> Figure | None:
    """Return BLEU by sentence length; None if the experiment has none of the five systems.

    Raises:
        InputError: if scores are missing, or have no groups by length of the first test set.
    """
    test = params.sets.tests[0]

    def read(name: str, replaced: bool) -> Points:
        groups = read_system_scores(params, name, test).sets[test].lengths
        if not groups:
            path = Layout(params.experiment).scores(name)
            raise InputError(f"{path}: no groups by length; run evaluate of {name} again")
        return {
            k: (group.max_length, group.after if replaced else group.before)
            for k, group in enumerate(groups)
        }

    labels = "Words of the longest reference", "BLEU"
    caption = (
        "The curves show BLEU on Moses tokens for groups of sentences, from those with the shortest "
        "references to those with the longest. A group has 200 sentences in the paper and "
        f"{params.evaluation.length_group} in ours."
    )
    return _figure(params, "Figure 6", "BLEU by sentence length", labels, caption, read)


def _figure(
    params: Params,
    figure: str,
    subject: str,
    labels: tuple[str, str],
    measured: str,
    read: Callable[[str, bool], Points],
) -> Figure | None:
    """Put the published curves and ours side by side, or in one panel if they are on the same set.

    Args:
        figure: its name in the file of published points.
        subject: the subject of the figure.
        labels: the labels of the x axis and the y axis.
        measured: sentences for the caption.
        read: returns a curve of a model or an ensemble, with unknown words replaced or not.
    """
    published, ours, names, signs = [], [], [], set()
    numbers, curves = _numbers(params), _by_row(params, figure)
    for row, points in curves:
        x, y = [p.x for p in points], [p.y for p in points]
        number = numbers.index(_system(row))
        published.append(Series(row.system, row.model, True, x, y, number))
        if runs := params.runs_of(row.model):
            x, y = _mean([read(name, row.replaced) for name in runs])
            ours.append(Series(row.system, row.model, False, x, y, number))
            names.append(runs)
            signs.add(row.mark)
    if not ours:
        return None
    test, papers = params.sets.tests[0], paper_set("table1")
    first, seeds = read_system_scores(params, names[0][0], test), _seeds(params, names)
    lines, title = first.sets[test].lines, Title(figure, subject, params.experiment)
    if test == papers:
        panels = [Panel(f"{test}{seeds}", *labels, published + ours)]
        beside = "Rings are the paper's, lines are ours."
    else:
        heading = f"Ours (experiment {params.experiment}, {test}{seeds})"
        panels = [Panel("The paper", *labels, published), Panel(heading, *labels, ours)]
        beside = "Our text is not the paper's: only the order and shape of curves can be compared."
    notes = marks(params, [row.model for row in table_rows(params, "table1")]).notes
    explained = [note for sign, note in notes.items() if sign in signs]
    source = f"{beside} Paper: {curves[0][1][0].source}, {papers}."
    caption = Caption(
        f"{measured} Ours: {test}, {lines} sentences{seeds}.", " ".join([source, *explained])
    )
    return Figure(figure.lower().replace(" ", ""), title, caption, panels)


def _by_row(params: Params, figure: str) -> list[tuple[Row, list[Point]]]:
    """Return the published curves, each with its row."""
    curves = groupby(paper_curves(params, figure), key=lambda point: point.row.key)
    return [(points[0].row, points) for points in (list(curve) for _, curve in curves)]


def _numbers(params: Params) -> list[str]:
    """Return the systems of both figures, in their order."""
    points = [*paper_curves(params, "Figure 5"), *paper_curves(params, "Figure 6")]
    return list(dict.fromkeys(_system(point.row) for point in points))


def _system(row: Row) -> str:
    """Return a name that all rows of a system share: our model, or the row's key if we have none."""
    return row.model or row.key


def _seeds(params: Params, curves: Iterable[Sequence[str]]) -> str:
    """Return the seeds of the models' curves, such as ", seed 1"."""
    seeds = {
        tuple(str(params.models[name].seed) for name in names)
        for names in curves
        if names[0] in params.models
    }
    return "".join(f", {words}" for words in seed_words(seeds))


def _mean(curves: Sequence[Points]) -> tuple[list[float], list[float]]:
    """Return x and the mean of y at the points that all curves have."""
    common = [key for key in curves[0] if all(key in curve for curve in curves)]
    x = [curves[0][key][0] for key in common]
    return x, [mean(curve[key][1] for curve in curves) for key in common]


def _history(folder: Path, column: str) -> Points:
    """Read the costs of a set at each evaluated step."""
    rows = read_history(folder, column)
    return {int(row["step"]): (row["step"], row[column]) for row in rows}
