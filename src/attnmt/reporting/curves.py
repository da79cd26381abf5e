"""Figures 5 and 6: the paper's published points beside curves of ours, as data.

Both raise an InputError if a file of a model, or the numbers of one of the systems, are missing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.rows import Row, table_rows
from attnmt.scoring.published import PublishedPoint, printed_curves
from attnmt.scoring.score_table import AGAIN, ScoreTable
from attnmt.training.trained import read_history

COSTS = (
    "The cost of the first test set while a model learns, the mean over its seeds. Lower is better."
)
LENGTHS = (
    "BLEU on tokens of the first test set, for groups of sentences of similar length. A group stands at "
    "the length of its longest reference; groups with the same length are one point, their mean."
)
Points = dict[float, float]  # y by x, which seeds share: a step or a length


@dataclass(frozen=True)
class Series:
    """One curve of the system that ``label`` names.

    ``model`` is our model or ensemble. A published curve has it too if we have the system. ``number`` is
    the place of the system among the systems of both figures.
    """

    label: str
    model: str | None
    x: list[float]
    y: list[float]
    number: int

    @property
    def key(self) -> str:
        """The name of the system, the same in every panel and figure, such as "system-2"."""
        return f"system-{self.number}"


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
    title: str
    caption: str
    panels: list[Panel]

    @property
    def systems(self) -> dict[str, Series]:
        """A curve of each system by its key, ours if there is one."""
        return {series.key: series for panel in self.panels for series in panel.series}


def figure5(params: Params) -> Figure | None:
    """Return the learning curves; None if the experiment has none of the six systems."""
    column = f"{params.sets.tests[0]}_cost"

    def read(row: Row) -> list[Points]:
        """Read the costs of the set at each evaluated step."""
        folders = map(Layout(params.experiment).model, params.runs_of(row.system))
        histories = (read_history(folder, column) for folder in folders)
        return [{line["step"]: line[column] for line in history} for history in histories]

    panels = _panels(params, "Figure 5", "Mini-batches", "Test cost (ln perplexity)", read)
    title = "Learning curves" if params.own_text else "Figure 5, learning curves"
    return Figure("figure5", title, COSTS, panels) if panels else None


def figure6(params: Params, numbers: ScoreTable) -> Figure | None:
    """Return BLEU by sentence length; None if the experiment has none of the five systems."""
    test = params.sets.tests[0]
    groups = numbers.groups("bleu", test, "tokenized")

    def read(row: Row) -> list[Points]:
        lines = groups.get((row.system, "after" if row.replaced else "before"))
        if lines is None:
            path = Layout(params.experiment).score_table
            raise InputError(f"{path}: no BLEU of {row.system} by length on {test}; {AGAIN}")
        by_length = groupby(lines, key=lambda line: line.max_words or 0)
        return [{float(x): mean(line.value or 0.0 for line in alike) for x, alike in by_length}]

    if params.own_text and len({line.max_words for lines in groups.values() for line in lines}) < 2:
        return None  # points without a curve
    panels = _panels(params, "Figure 6", "Words of the longest reference", "BLEU", read)
    title = "BLEU by sentence length" if params.own_text else "Figure 6, BLEU by sentence length"
    return Figure("figure6", title, LENGTHS, panels) if panels else None


def _panels(
    params: Params, figure: str, x_label: str, y_label: str, read: Callable[[Row], list[Points]]
) -> list[Panel]:
    """Return the published curves and ours side by side; none if we have none of the systems."""
    curves_of = _own_curves if params.own_text else paper_curves
    both = [row for name in ("Figure 5", "Figure 6") for row, _ in curves_of(params, name)]
    systems = list(dict.fromkeys(map(_system, both)))
    published, ours = [], []
    for row, points in curves_of(params, figure):
        number = systems.index(_system(row))
        if points:
            x, y = [point.x for point in points], [point.y for point in points]
            published.append(Series(row.label, row.system, x, y, number))
        if params.runs_of(row.system):
            ours.append(Series(row.label, row.system, *_mean(read(row)), number))
    if not ours:
        return []
    panels = {"The paper": published, f"Ours on {params.sets.tests[0]}": ours}
    return [Panel(title, x_label, y_label, some) for title, some in panels.items() if some]


def paper_curves(params: Params, figure: str) -> list[tuple[Row, list[PublishedPoint]]]:
    """Return the published curves of a figure, each with its row of Table 1."""
    rows = {row.key: row for row in table_rows(params, "table1")}
    return [(rows[key], curve) for key, curve in printed_curves(figure).items() if key in rows]


def _own_curves(params: Params, figure: str) -> list[tuple[Row, list[PublishedPoint]]]:
    """Return the systems of the main direction, without points.

    Costs are those of the first family, because they are comparable where units are the same.
    """
    family = next(iter(params.families))
    return [
        (Row(name, name, name, replaced=params.replaces_words(name)), [])
        for name in params.systems_and_ensembles
        if params.direction(name) == params.main_direction
        if figure == "Figure 6"
        or (name in params.trainings and params.translators(name).family == family)
    ]


def _system(row: Row) -> str:
    """Return a name that all rows of a system share: our system, or the row's key if we have none."""
    return row.system or row.key


def _mean(curves: Sequence[Points]) -> tuple[list[float], list[float]]:
    """Return x and the mean of y at the points that all curves have."""
    common = [x for x in curves[0] if all(x in curve for curve in curves)]
    return common, [mean(curve[x] for curve in curves) for x in common]
