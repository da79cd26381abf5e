"""The links of the aligned set against gold links, for each way to read them off the attention.

Links are English-German here, as the gold links are, whatever the direction of the translation.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attnmt.config import LinkStep, Params
from attnmt.data.encoded import EncodedSets
from attnmt.data.links import GoldLinks, Links, flipped, read_links
from attnmt.errors import InputError
from attnmt.files import read_lines
from attnmt.layout import Layout
from attnmt.metrics.aer import aer
from attnmt.metrics.significance import aer_interval


def read_forced(
    params: Params, name: str, steps: Sequence[LinkStep], root: Path = Path()
) -> dict[LinkStep, list[Links]]:
    """Return the links of the aligned set's references by readings of a system's attention.

    Raises:
        InputError: if a file is missing, or has not as many lines as the set.
    """
    layout, system = Layout(params.profile, root), params.translators(name)
    model, aligned = params.model(system.members[0]), params.sets.aligned
    text = EncodedSets(layout.encoded(system.family)).text_path(aligned, model.target)
    lines = len(read_lines(text))
    found: dict[LinkStep, list[Links]] = {}
    for step in steps:
        path = layout.translations(name) / f"{aligned}.forced.{step}.links"
        links = [line.sure for line in read_links(path)]
        if len(links) != lines:
            raise InputError(
                f"{path}: {len(links)} lines, but {text} has {lines}; "
                f"run the stage translate for {name} again"
            )
        found[step] = [flipped(line) for line in links] if model.direction == "de-en" else links
    return found


def score_links(
    links: Mapping[LinkStep, Sequence[Links]],
    chosen: LinkStep,
    gold: Sequence[GoldLinks] | None,
    samples: int,
) -> dict[str, Any]:
    """Return the error rate of the ``chosen`` reading with its interval, and the rate of all.

    Args:
        links: of every sentence pair, by reading.
        chosen: one of the readings.
        gold: of every sentence pair; None where none are known, and then the rates are None.
        samples: of the bootstrap.
    """
    sure = [line.sure for line in gold or []]
    possible = [line.possible for line in gold or []]
    rates = {step: aer(lines, sure, possible) if gold else None for step, lines in links.items()}
    low, high = aer_interval(links[chosen], gold, samples) if gold else (None, None)
    return {
        "lines": len(links[chosen]),
        "link_step": chosen,
        "aer": rates[chosen],
        "low": low,
        "high": high,
        "aer_by_link_step": rates,
        "sure": sum(map(len, sure)),
        "possible": sum(map(len, possible)),
    }
