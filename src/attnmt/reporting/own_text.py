"""What to do with the best model of an experiment on a text of one's own."""

import shlex
from collections.abc import Iterable
from itertools import chain

from attnmt.config import Params
from attnmt.files.text_file import iter_lines
from attnmt.layout import Layout

SHORT, LONG = 20, 80  # characters of an example


def text_example(params: Params, source: str) -> str:
    """Return :func:`example_of` the first test set, in a language that is given by its code."""
    return example_of(
        iter_lines(Layout(params.experiment).raw / f"{params.sets.tests[0]}.{source}")
    )


def example_of(sentences: Iterable[str]) -> str:
    """Return the first sentence that is neither short nor long, or else the first, to show a model."""
    lines = iter(sentences)
    first = next(lines)
    return next((one for one in chain([first], lines) if SHORT <= len(one) <= LONG), first)


def uses(experiment: str, sentence: str) -> list[str]:
    """Return the commands that use the best model of an experiment, each below what it does."""
    text, folder = shlex.quote(sentence), f"weights/{experiment}"
    lines = {
        f"attnmt translate -e {experiment} {text}": "by the best model on the development set",
        f"attnmt explain -e {experiment} {text}": "which words it knows, where it looks",
        f"attnmt pack -e {experiment} {folder}": "a folder to keep, or to give to others",
        f"attnmt translate --weights {folder} {text}": "works without the experiment",
    }
    return [line for command, what in lines.items() for line in (f"# {what}", command)]
