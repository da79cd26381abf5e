"""What a system is, how large its model is, and how it is trained."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from attnmt.config.parts import ENCODERS, OPTIMIZERS, SCORES, WINDOWS, Part, one_of
from attnmt.config.strict import Probability, Strict
from attnmt.config.text import Direction, Encoding
from attnmt.files.yaml_file import error_at

Attention = Annotated[str, *one_of("attention", ["none", *WINDOWS])]
Score = Annotated[str, *one_of("score", SCORES)]
Encoder = Annotated[str, *one_of("encoder", ENCODERS)]
# Faults of the authors' program while the paper's models were trained, all off by default. Each is
# explained with the score or the window that it breaks.
Fault = Literal["general_gradient", "position_gradient", "unmasked_padding"]
Cell = Literal["lstm", "gru"]
Precision = Literal["fp32", "tf32"]  # the number format of matrix products; tf32 only on GPUs
Optimizer = Annotated[str, *one_of("optimizer", OPTIMIZERS)]


def optional(description: str) -> Any:
    """Return a positive number that is left out of a model's files if it is not given.

    So files from before there was such a key stay valid, and fingerprints stay what they were.
    """
    return Field(None, ge=1, description=description, exclude_if=lambda value: value is None)


class System(Strict):
    """The architecture of a system."""

    attention: Attention = "none"
    score: Score | None = None
    input_feeding: bool = False
    reverse: bool = False
    encoder: Encoder = Field(default="recurrent", exclude_if=lambda name: name == "recurrent")
    dropout: Probability = 0.0
    output_dropout: Probability = Field(default=0.0, exclude_if=lambda p: p == 0)
    tied_embeddings: bool = Field(default=False, exclude_if=lambda tied: not tied)
    faults: list[Fault] = Field(default_factory=list)
    direction: Direction = "forward"
    window_D: int | None = optional("half-width of the local window, in place of the family's")

    @property
    def order(self) -> str:
        """Say in which order the encoder reads the source."""
        if self.encoder == "bidirectional":
            return "in both directions"
        return "backwards" if self.reverse else "forwards"

    @model_validator(mode="after")
    def _attention_has_its_parts(self) -> Self:
        if self.window_D is not None and self.attention in ("none", "global"):
            raise error_at(["window_D"], f"attention {self.attention!r} has no window")
        if (self.attention == "none") != (self.score is None):
            raise error_at(["score"], "give it with attention, and only then")
        score, window = SCORES.get(self.score or "", Part()), WINDOWS.get(self.attention, Part())
        if not score.windowed and self.attention != "global":
            raise error_at(["score"], f"{self.score!r} is defined for attention 'global' only")
        possible = {*score.faults, *(window.faults if score.windowed else ())}
        for i, name in enumerate(self.faults):
            if name not in possible:
                owners = [part for part, one in (SCORES | WINDOWS).items() if name in one.faults]
                raise error_at(["faults", i], f"{name!r} exists only with {' or '.join(owners)}")
        return self


class ModelShape(Strict):
    """The size of every model of a family, and its recurrent cell.

    With ``lstm`` the attention follows the paper: the query is h_t, and the context joins it after the
    recurrence. With ``gru`` it follows Bahdanau et al. (2015), as in the course report: the query is
    s_{t-1}, and the context enters the cell.
    """

    cell: Cell = "lstm"
    layers: PositiveInt
    size: PositiveInt  # cells in each layer
    embedding: PositiveInt | None = None  # size of the embeddings; the same as size if not given
    window_D: PositiveInt  # half-width of the local window, in words
    location_slots: PositiveInt  # source positions that the location score can address
    init: PositiveFloat  # parameters start uniformly distributed in [-init, init]

    @property
    def embedding_size(self) -> int:
        """The size of the embeddings."""
        return self.embedding or self.size


PATIENCE = optional(
    "evaluations without a lower development cost after which a training ends early"
)


class TrainingSettings(Strict):
    """How a model is trained: the paper's settings (section 4.1), and what it leaves open."""

    batch_size: PositiveInt  # sentence pairs; every gradient is divided by it
    # SGD, the paper's, is left out of a model's configuration: files from before there was a choice fit.
    optimizer: Optimizer = Field(default="sgd", exclude_if=lambda name: name == "sgd")
    learning_rate: PositiveFloat  # 1 suits the paper's SGD; Adam takes some 0.001
    epochs: PositiveInt
    halve_after: PositiveInt  # the rate is halved every epoch after this one
    # the first epoch with a halved rate. It is halve_after + 1 in the paper, and halve_after + 2 in the
    # authors' program
    schedule: Literal["paper", "program"]
    clip_norm: PositiveFloat
    # whether the norm includes the embeddings; in the authors' program it does not
    clip_embeddings: bool
    # corpus: all pairs in a new order every epoch; chunk: only the batches of a chunk, as the authors do
    shuffle: Literal["corpus", "chunk"]
    chunk_batches: PositiveInt  # how many batches are sorted by length together
    precision: Precision = "fp32"
    evaluate_every: PositiveInt  # batches between two evaluations
    patience: int | None = PATIENCE


class Overrides(Strict):
    """Settings of one system, in place of its family's. What is not given stays the family's."""

    epochs: PositiveInt | None = None
    halve_after: PositiveInt | None = None
    optimizer: Optimizer | None = None
    learning_rate: PositiveFloat | None = None
    patience: int | None = PATIENCE

    @property
    def given(self) -> dict[str, Any]:
        """Those that are given, by their keys."""
        values = {key: getattr(self, key) for key in Overrides.model_fields}
        return {key: value for key, value in values.items() if value is not None}


class Family(Strict):
    """Systems whose models read the same ids, have one size and are trained alike."""

    encoding: Encoding
    shape: ModelShape
    training: TrainingSettings
