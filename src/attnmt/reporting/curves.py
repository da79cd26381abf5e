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
from attnmt.reporting.own_text import own_name
from attnmt.reporting.rows import Row, own_rows, table_rows
from attnmt.scoring.numbers import AGAIN, Numbers
from attnmt.scoring.published import PublishedPoint, paper_set, printed_curves
from attnmt.scoring.ranking import learning_sign
from attnmt.training.trained import read_history

Points = dict[float, float]  # y by x, which seeds share: a step or a length


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
    about: str
    caption: str
    panels: list[Panel]

    @property
    def systems(self) -> dict[str, Series]:
        """A curve of each system by its key, ours if there is one."""
        return {series.key: series for panel in self.panels for series in panel.series}


def figure5(params: Params, numbers: Numbers) -> Figure | None:
    """Return the learning curves; None if the experiment has none of the six systems."""
    column = f"{params.sets.tests[0]}_cost"

    def read(row: Row) -> list[Points]:
        """Read the costs of the set at each evaluated step."""
        folders = map(Layout(params.experiment).model, params.runs_of(row.system))
        histories = (read_history(folder, column) for folder in folders)
        return [{line["step"]: line[column] for line in history} for history in histories]

    labels = "Mini-batches", "Test cost (ln perplexity)"
    caption = "The cost of {test} while a model learns; lower is better."
    return _figure(params, numbers, "Figure 5", "learning curves", labels, caption, read)


def figure6(params: Params, numbers: Numbers) -> Figure | None:
    """Return BLEU by sentence length; None if the experiment has none of the five systems."""
    test = params.sets.tests[0]
    groups = numbers.groups("bleu", test, "tokenized")

    def read(row: Row) -> list[Points]:
        lines = groups.get((row.system, "after" if row.replaced else "before"))
        if lines is None:
            path = Layout(params.experiment).numbers
            raise InputError(f"{path}: no BLEU of {row.system} by length on {test}; {AGAIN}")
        by_length = groupby(lines, key=lambda line: line.max_words or 0)
        return [{float(x): mean(line.value or 0.0 for line in alike) for x, alike in by_length}]

    labels = "Words of the longest reference", "BLEU"
    if params.own_text:
        size = f"{params.evaluation.length_group} in each"
    else:
        size = f"200 in the paper and {params.evaluation.length_group} in ours"
    caption = f"BLEU on tokens of {{test}} for groups of sentences of similar length, {size}."
    lengths = [line.max_words for line in next(iter(groups.values()), [])]
    if params.own_text and len({*lengths}) < 2:
        return None  # points without a curve
    if len(set(lengths)) < len(lengths):
        caption += " Groups with equally long longest references are one point, their mean."
    return _figure(params, numbers, "Figure 6", "BLEU by sentence length", labels, caption, read)


def _figure(
    params: Params,
    numbers: Numbers,
    figure: str,
    subject: str,
    labels: tuple[str, str],
    measured: str,
    read: Callable[[Row], list[Points]],
) -> Figure | None:
    """Put the published curves and ours side by side, or in one panel if they are on the same set.

    Args:
        figure: its name in the file of published points.
        subject: the subject of the figure.
        labels: the labels of the x axis and the y axis.
        measured: the first sentence of the caption.
        read: returns our curves for a row, of which the mean is shown.
    """
    own = params.own_text
    curves_of = _own_curves if own else paper_curves
    both = [row for name in ("Figure 5", "Figure 6") for row, _ in curves_of(params, name)]
    systems = list(dict.fromkeys(map(_system, both)))
    published, ours = [], []
    for row, points in curves_of(params, figure):
        number, label = systems.index(_system(row)), row.label + row.mark
        if points:
            x, y = [point.x for point in points], [point.y for point in points]
            published.append(Series(label, row.system, True, x, y, number))
        if params.runs_of(row.system):
            signed = label + learning_sign(params, numbers, row.system)
            ours.append(Series(signed, row.system, False, *_mean(read(row)), number))
    if not ours:
        return None
    test = params.sets.tests[0]
    if own:
        panels, beside = [Panel(test, *labels, ours)], ""
    elif test == paper_set("table1"):
        panels = [Panel(test, *labels, published + ours)]
        beside = "Rings are the paper's, lines are ours."
    else:
        heading = f"Ours (experiment {params.experiment}, {test})"
        panels = [Panel("The paper", *labels, published), Panel(heading, *labels, ours)]
        beside = "Our text is not the paper's: compare the order of the curves and their shapes."
    several = any(len(params.runs_of(one.model)) > 1 for one in ours)
    means = "Our curves are means over seeds." if several else ""
    caption = " ".join(part for part in (measured.format(test=test), beside, means) if part)
    name, named = figure.lower().replace(" ", ""), own_name(params, figure, subject)
    return Figure(name, *named, caption, panels)


def paper_curves(params: Params, figure: str) -> list[tuple[Row, list[PublishedPoint]]]:
    """Return the published curves of a figure, each with its row of Table 1."""
    rows = {row.key: row for row in table_rows(params, "table1")}
    return [(rows[key], curve) for key, curve in printed_curves(figure).items() if key in rows]


def _own_curves(params: Params, figure: str) -> list[tuple[Row, list[PublishedPoint]]]:
    """Return the rows of the forward systems of the first family, whose units are the same.

    They have no published points. Ensembles have no learning curves.
    """
    family = next(iter(params.families))
    return [
        (row, [])
        for row in own_rows(params)
        if row.system and params.translators(row.system).family == family
        if params.direction(row.system) == "forward"
        if figure == "Figure 6" or row.system in params.models
    ]


def _system(row: Row) -> str:
    """Return a name that all rows of a system share: our system, or the row's key if we have none."""
    return row.system or row.key


def _mean(curves: Sequence[Points]) -> tuple[list[float], list[float]]:
    """Return x and the mean of y at the points that all curves have."""
    common = [x for x in curves[0] if all(x in curve for curve in curves)]
    return common, [mean(curve[x] for curve in curves) for x in common]
