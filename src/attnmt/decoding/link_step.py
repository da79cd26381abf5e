"""The step whose attention says what an unknown word translates, and how it is chosen.

Attention may link a target word to its source word at either of two steps: the step that predicts the
word, or the next step, where the word is the input. Which step is right differs from model to model.
It is chosen on the development set by its use, which is to replace unknown words. The set's references
are force-decoded once, and each of their unknown words is replaced by either reading. The reading that
brings back more words of the references is chosen. This needs neither gold links nor a search, and works
for every model, ensemble and text.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Self, get_args

from pydantic import model_validator

from attnmt.config import LinkStep, Params
from attnmt.errors import InputError
from attnmt.files.json_file import Count, Record, Text, read_model
from attnmt.layout import Layout

SHIFTS: dict[LinkStep, int] = {"same": 0, "next": 1}  # word t is linked by step t + shift


class Reading(Record):
    """The step that is chosen for a model or an ensemble, and the numbers that decided it."""

    set: Text
    unknown_words: Count  # in the set's references
    hits: dict[LinkStep, Count]  # how many of these each reading brings back
    chosen: LinkStep
    authors: LinkStep  # the step at which the authors' program reads such a model

    @model_validator(mode="after")
    def _chosen_brings_back_most(self) -> Self:
        if self.hits.keys() != set(get_args(LinkStep)):
            raise ValueError("hits must have a number for each of the two steps")
        if max(self.hits.values()) > self.unknown_words:
            raise ValueError("hits must not be more than the unknown words")
        if self.chosen != better(self.hits, self.authors):
            raise ValueError(f"chosen is {self.chosen!r}, which the hits contradict")
        return self


def better(hits: Mapping[LinkStep, int], authors: LinkStep) -> LinkStep:
    """Return the step with more hits; if both have the same number, the authors' step."""
    return max(hits, key=lambda step: (hits[step], step == authors))


def load_reading(params: Params, name: str, root: Path = Path()) -> Reading:
    """Return the reading that was chosen for a model or an ensemble with attention.

    Raises:
        InputError: if the translate stage has not chosen it yet, or the file is damaged.
    """
    path = Layout(params.experiment, root).reading(name)
    cure = f"run the stage translate for {name}"
    if not path.exists():
        raise InputError(f"{path}: no such file; {cure} first, which chooses how attention is read")
    return read_model(path, Reading, f"{cure} again")
