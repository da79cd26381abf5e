"""Curves as the page draws them: a panel in the coordinates of an SVG that is 436 wide and 300 high."""

from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from attnmt.reporting.curves import Panel, Series

LEFT, RIGHT, TOP, BOTTOM = 48, 412, 10, 258  # of the axes


@dataclass(frozen=True)
class Tick:
    """A place on an axis, and its number as text."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A panel with its axes."""

    panel: Panel
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    curves: list[
        tuple[Series, list[tuple[float, float, str]]]
    ]  # x, y and the numbers of each point


def chart(panel: Panel) -> Chart:
    """Place the curves of a panel between round numbers."""
    xs = MaxNLocator(5, integer=True).tick_values(*_range([s.x for s in panel.series]))
    ys = MaxNLocator(5).tick_values(*_range([s.y for s in panel.series]))

    def place_x(x: float) -> float:
        return round(LEFT + (x - xs[0]) / (xs[-1] - xs[0]) * (RIGHT - LEFT), 1)

    def place_y(y: float) -> float:
        return round(BOTTOM - (y - ys[0]) / (ys[-1] - ys[0]) * (BOTTOM - TOP), 1)

    return Chart(
        panel,
        [Tick(place_x(x), f"{x:,.0f}") for x in xs],
        [Tick(place_y(y), f"{y:.6g}") for y in ys],
        [
            (
                s,
                [
                    (place_x(x), place_y(y), f"{x:,.0f}: {y:.4g}")
                    for x, y in zip(s.x, s.y, strict=True)
                ],
            )
            for s in panel.series
        ],
    )


def _range(curves: list[list[float]]) -> tuple[float, float]:
    values = [value for curve in curves for value in curve]
    low, high = min(values), max(values)
    return (low, high) if low < high else (low - 1, high + 1)
