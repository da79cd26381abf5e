"""The links of the aligned set against gold links, for each way to read them off the attention."""

from collections.abc import Mapping, Sequence
from typing import Any

from attnmt.config import Direction, LinkStep
from attnmt.data.links import GoldLinks, Links, flipped
from attnmt.metrics.aer import aer


def score_links(
    links: Mapping[LinkStep, Sequence[Links]],
    chosen: LinkStep,
    gold: Sequence[GoldLinks] | None,
    direction: Direction,
) -> dict[str, Any]:
    """Return the error rate of the ``chosen`` reading and of all, None without gold links.

    Args:
        links: source-target, of every sentence, by reading.
        chosen: one of the readings.
        gold: English-German, of every sentence; None where none are known.
        direction: of the translation that the links are of.
    """
    rates = {
        step: None if gold is None else error_rate(lines, gold, direction)
        for step, lines in links.items()
    }
    return {
        "lines": len(links[chosen]),
        "link_step": chosen,
        "aer": rates[chosen],
        "aer_by_link_step": rates,
        "sure": sum(len(line.sure) for line in gold or []),
        "possible": sum(len(line.possible) for line in gold or []),
    }


def error_rate(links: Sequence[Links], gold: Sequence[GoldLinks], direction: Direction) -> float:
    """Return the alignment error rate of source-target links by gold links, which are English-German."""
    if direction == "de-en":
        links = [flipped(line) for line in links]
    return aer(links, [line.sure for line in gold], [line.possible for line in gold])
