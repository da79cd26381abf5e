"""The sections about the use of trained models and about the machine that does the work."""

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, PositiveInt, model_validator

from attnmt.config.strict import Strict
from attnmt.files.yaml_file import error_at

# The step whose attention links a word: the one that predicts it, or the next one, which reads it.
LinkStep = Literal["same", "next"]


# What a processor computes with: AVX2 alone, or all that it has.
Instructions = Literal["avx2", "all"]


class Machine(Strict):
    """Settings for the machine. The first two change a result: they decide how sums are rounded."""

    # avx2 gives the same bytes on every x86-64 processor that has it. all is faster where there is more
    # (AVX-512, AMX), but the numbers are then those of that kind of processor
    instructions: Instructions
    train_threads: PositiveInt  # CPU threads of a training
    decode_threads: PositiveInt  # CPU threads of a translation
    decode_batch: PositiveInt  # sentences translated at once
    checkpoint_minutes: NonNegativeFloat  # between checkpoints; an evaluation writes one, too
    # whether a training is refused or starts from the beginning if other code wrote its checkpoints
    other_code: Literal["refuse", "restart"]


class Decoding(Strict):
    """Beam search."""

    beam: PositiveInt  # 1 is greedy search
    candidates: PositiveInt  # the search ends when this number of translations is finished
    n_best: PositiveInt  # translations in the n-best list of a sentence; with 1 no list is written
    samples: PositiveInt = 12  # sentences of each set, evenly spread, whose attention is shown

    @model_validator(mode="after")
    def _as_many_finish_as_are_listed(self) -> Self:
        if self.n_best > self.candidates:
            raise error_at(["n_best"], f"only {self.candidates} translations finish (candidates)")
        return self


class Evaluation(Strict):
    """Scores and their intervals."""

    # how often an interval resamples, and how often a paired test shuffles
    bootstrap_samples: Annotated[int, Field(ge=100)]
    length_group: PositiveInt  # sentences in a group of Figure 6; the paper has 200
