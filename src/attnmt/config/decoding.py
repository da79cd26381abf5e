"""Work on trained models, and the machine that it is done on."""

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, PositiveInt, model_validator

from attnmt.config.strict import Strict
from attnmt.files.yaml_file import fault

# The step whose attention links a word: the one that predicts it, or the next, where it is the input.
LinkStep = Literal["same", "next"]


class Machine(Strict):
    """What suits the machine. Only the first two touch a result: they decide how sums are rounded."""

    train_threads: PositiveInt  # of the CPU, a training; its processes share them
    # that train one model together, a GPU each where there are GPUs; torchrun may start others
    train_processes: PositiveInt
    workers: PositiveInt  # processes that tokenize or encode a long text
    decode_threads: PositiveInt  # a translation
    decode_batch: PositiveInt  # sentences translated at once
    checkpoint_minutes: NonNegativeFloat  # between two checkpoints beside those of the evaluations
    # A training whose checkpoints other code wrote is refused, or starts from the beginning.
    other_code: Literal["refuse", "restart"]
    # Whether a GPU takes a training's steps as CUDA graphs. The weights should be the same without them,
    # which has not been tried on a GPU yet.
    cuda_graphs: bool = True

    @model_validator(mode="after")
    def _each_process_has_a_thread(self) -> Self:
        if self.train_processes > self.train_threads:
            why = f"share {self.train_threads} train_threads; let there be one for each at least"
            raise fault(["train_processes"], why)
        return self


class Decoding(Strict):
    """Beam search."""

    beam: PositiveInt  # 1 is greedy search
    candidates: PositiveInt  # the search ends when this number of translations is finished
    n_best: PositiveInt  # translations to list of each sentence; 1 lists none beside the best
    samples: PositiveInt = (
        12  # sentences of a set, evenly spread, of which the report shows attention
    )

    @model_validator(mode="after")
    def _as_many_finish_as_are_listed(self) -> Self:
        if self.n_best > self.candidates:
            raise fault(["n_best"], f"only {self.candidates} translations finish (candidates)")
        return self


class Evaluation(Strict):
    """Scores and their intervals."""

    # resamples of an interval; the paired tests shuffle as often
    bootstrap_samples: Annotated[int, Field(ge=100)]
    length_group: PositiveInt  # sentences of a group in Figure 6, which the paper has of 200
