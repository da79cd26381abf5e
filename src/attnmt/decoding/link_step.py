"""The steps whose attention replaces unknown words and links all words, and what chose them.

Attention may link a target word to its source word at either of two steps: the step that predicts the
word, or the next step, where the word is the input. Which step is right differs from model to model, and
with the use. The development set chooses (:mod:`attnmt.scoring.chosen_step`). Unknown words are replaced
by the step that brings back more of the set's unknown words. Error rates of links are read at the step
whose links are nearer to the outside aligner's. A tie in one is decided by the other. If both are ties,
nothing chooses, and the step is that of the authors' program.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from attnmt.config import LinkStep, Params
from attnmt.files.json_file import Count, Record, Text, read_model
from attnmt.layout import Layout

OFFSETS: dict[LinkStep, int] = {"same": 0, "next": 1}  # word t is linked by step t + shift
NOTHING_CHOSE = "nothing chose it"
Decider = Literal["unknown words", "aligner"]


def _decider_of_old_files(values: Mapping[str, Any]) -> Decider | None:
    """Return what decided where a file does not name it: until 2026-11-27, only the hits could."""
    return "unknown words" if len(set(values["hits"].values())) > 1 else None


class Reading(Record):
    """The step that replaces unknown words of a model or an ensemble, and the numbers that decide."""

    set: Text
    unknown_words: Count  # in the set's references
    hits: dict[LinkStep, Count]  # how many of these each step brings back
    # The error rate of each step's links against the outside aligner's links of the set; older files
    # have none.
    aer: dict[LinkStep, Annotated[float, Field(ge=0, le=1)]] | None = None
    chosen: LinkStep
    authors: LinkStep  # the step at which the authors' program reads such a model
    decided_by: Decider | None = Field(default_factory=_decider_of_old_files)  # None if nothing did

    def of_links(self) -> Self:
        """Return the reading whose step has the links nearer to the outside aligner's.

        Older files cannot say which one that is; there it is the step that replaces unknown words.
        """
        if self.aer is None or self.aer["same"] == self.aer["next"]:
            return self
        nearer = min(self.aer, key=self.aer.__getitem__)
        return self.model_copy(update={"chosen": nearer, "decided_by": "aligner"})

    @property
    def why(self) -> str:
        """The chosen step and what chose it, in words."""
        step, other = sorted(self.hits, key=lambda step: step != self.chosen)
        if self.decided_by == "unknown words":
            return (
                f"the {step} step, which the unknown words of {self.set} chose: "
                f"{self.hits[step]:,} of the {self.unknown_words:,} are right there, "
                f"{self.hits[other]:,} at the {other} step"
            )
        if self.decided_by == "aligner" and self.aer is not None:
            return (
                f"the {step} step, which the outside aligner's links of {self.set} chose: AER "
                f"{self.aer[step]:.3f} there, {self.aer[other]:.3f} at the {other} step"
            )
        return f"the {step} step, which is the authors' step: {NOTHING_CHOSE}"


def decide(
    hits: Mapping[LinkStep, int], aer: Mapping[LinkStep, float] | None, authors: LinkStep
) -> tuple[LinkStep, Decider | None]:
    """Return the step that replaces unknown words and what decided.

    That is the step with more hits. If both have the same number, it is the step with the lower error
    rate. If these are equal or not known, nothing decides, and the step is the authors'.
    """
    if hits["same"] != hits["next"]:
        return max(hits, key=hits.__getitem__), "unknown words"
    if aer is not None and aer["same"] != aer["next"]:
        return min(aer, key=aer.__getitem__), "aligner"
    return authors, None


def load_reading(params: Params, name: str, root: Path = Path()) -> Reading:
    """Return the reading that was chosen for a model or an ensemble with attention.

    Raises:
        InputError: if the translate stage has not chosen it yet, or the file is damaged.
    """
    path = Layout(params.experiment, root).reading(name)
    return read_model(path, Reading, f"run the stage translate for {name} again")
