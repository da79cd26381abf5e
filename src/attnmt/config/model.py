"""The sections that decide which models are trained, and how."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from attnmt.config.languages import Direction
from attnmt.config.parts import (
    ENCODERS,
    FAULTS,
    NUMBERS,
    OPTIMIZERS,
    SCORES,
    WINDOWS,
    Part,
    PartNumbers,
    check_numbers,
    one_of,
)
from attnmt.config.strict import Distinct, Name, Probability, Strict
from attnmt.config.text import Encoding
from attnmt.files.yaml_file import error_at

Attention = Annotated[str, *one_of("attention", ["none", *WINDOWS])]
Score = Annotated[str, *one_of("score", SCORES)]
Encoder = Annotated[str, *one_of("encoder", ENCODERS)]
# Faults of the authors' program while the paper's models were trained, all off by default. Each is
# explained with the score or the window that it breaks.
Fault = Annotated[str, *one_of("fault", FAULTS, own=False)]
Cell = Literal["lstm", "gru"]
# The number format of matrix products: bf16 only on devices that have it (a processor also needs
# machine.cpu_isa: all), tf32 only on GPUs.
Precision = Literal["fp32", "tf32", "bf16"]
Average = Literal["logits", "probabilities"]
Optimizer = Annotated[str, *one_of("optimizer", OPTIMIZERS)]
MOST_PARAMETERS = 10**11  # more than one machine holds


def optional(description: str, least: int = 1) -> Any:
    """Return a field that is left out of a model's files if it is not given.

    So files from before there was such a key stay valid, and fingerprints stay what they were.
    """
    return Field(None, ge=least, description=description, exclude_if=lambda value: value is None)


class System(Strict):
    """What distinguishes one model from another of its family."""

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
    numbers: PartNumbers = NUMBERS

    @property
    def order(self) -> str:
        """Say in which order the encoder reads the source."""
        if self.encoder == "bidirectional":
            return "in both directions"
        return "backwards" if self.reverse else "forwards"

    @property
    def parts(self) -> list[str]:
        """The names of the parts that it is built of."""
        return [name for name in (self.attention, self.score, self.encoder) if name is not None]

    @model_validator(mode="after")
    def _parts_take_their_numbers(self) -> Self:
        if self.window_D is not None and self.attention in ("none", "global"):
            raise error_at(["window_D"], f"attention {self.attention!r} has no window")
        check_numbers(self.numbers, self.parts)
        return self

    @model_validator(mode="after")
    def _attention_has_a_score(self) -> Self:
        if (self.attention == "none") != (self.score is None):
            raise ValueError("score must be given with attention, and only then")
        possible: set[str] = set()
        if self.score is not None:
            score = SCORES.get(self.score, Part())
            if not score.windowed and self.attention != "global":
                raise ValueError(f"score {self.score!r} is defined for attention 'global' only")
            window = WINDOWS.get(self.attention, Part())
            possible = {*score.faults, *(window.faults if score.windowed else ())}
        for name in self.faults:
            if name not in possible:
                owners = [part for part, one in (SCORES | WINDOWS).items() if name in one.faults]
                raise ValueError(f"fault {name!r} exists only with {' or '.join(owners)}")
        return self


PATIENCE = optional(
    "evaluations without a lower development cost after which a training ends early"
)


class Overrides(Strict):
    """What stands in place of a family's recipe. What is not given stays the family's."""

    epochs: PositiveInt | None = None
    halve_after: PositiveInt | None = None
    optimizer: Optimizer | None = None
    learning_rate: PositiveFloat | None = None
    patience: int | None = PATIENCE


class Entry(System, Overrides):
    """A system of ``systems.yaml``: an architecture, its family and, where it differs, its recipe."""

    family: Name
    layers: int | None = optional("layers, in place of the family's")
    size: int | None = optional("cells in each layer, in place of the family's")

    @property
    def system(self) -> System:
        """Only the architecture."""
        values = {key: getattr(self, key) for key in System.model_fields}
        return System(**values)


class Run(Strict):
    """What an experiment has of a system or an ensemble: by one recipe, with one seed."""

    entry: Name = ""  # its name in systems.yaml
    recipe: Name | None = None  # the other recipe that it is trained by; None for the family's
    seed: Annotated[int, Field(ge=0)] = 1

    @property
    def system_name(self) -> str:
        """What its first seed is called: base, or base_slow by the recipe slow."""
        return self.entry if self.recipe is None else f"{self.entry}_{self.recipe}"

    @property
    def run_name(self) -> str:
        """What it is called: base, base_2, base_slow, base_slow_2."""
        return self.system_name if self.seed == 1 else f"{self.system_name}_{self.seed}"


class Training(Run, Entry):
    """One training of a system."""


class Ensemble(Strict):
    """Any number of models that translate together."""

    family: Name
    # Systems. With several seeds there is an ensemble of first seeds, one of second seeds, and so on. A
    # member may also be one training: base_2 is base with its second seed. Then there is one ensemble
    members: Distinct[Name]
    average: Average = "logits"  # what is averaged; the authors' program averages logits
    # how much each member counts, in the order of members; all count the same if it is not given
    weights: list[PositiveFloat] | None = None

    @model_validator(mode="after")
    def _each_member_has_a_weight(self) -> Self:
        if self.weights is not None and len(self.weights) != len(self.members):
            why = f"there are {len(self.members)} members; give each a weight"
            raise error_at(["weights"], why)
        return self

    @property
    def shares(self) -> tuple[float, ...] | None:
        """How much each member counts, as numbers that sum to 1; None if all count the same."""
        given = self.weights or []
        return tuple(weight / sum(given) for weight in given) or None


class TrainedEnsemble(Run, Ensemble):
    """Models that were trained with the same seed, or that the ensemble names."""


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


class Recipe(Strict):
    """The paper's recipe (section 4.1), and what it leaves open."""

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
    # what differs for models with dropout, which the paper trains longer; a model's own recipe
    # has these numbers in their places, so its files leave this out
    with_dropout: Overrides = Field(default=Overrides(), exclude=True)

    def __hash__(self) -> int:
        """Return the same for equal recipes."""
        return hash(self.model_dump_json())


class Family(Strict):
    """Models that read the same ids, have one size and learn by one recipe."""

    encoding: Encoding
    shape: ModelShape
    training: Recipe

    @model_validator(mode="after")
    def _some_machine_holds_the_model(self) -> Self:
        shape, words = self.shape, self.encoding.vocabulary
        each = 2 * 8 * shape.layers * shape.size  # of encoder and decoder, for each cell of a layer
        parameters = shape.size * (each + shape.location_slots) + 3 * words * shape.embedding_size
        if parameters > MOST_PARAMETERS:
            keys = ("layers", "size", "embedding", "location_slots")
            sizes = {("shape", key): getattr(shape, key) or 0 for key in keys}
            sizes["encoding", "vocabulary"] = words
            raise error_at(
                [*max(sizes, key=sizes.__getitem__)],
                f"such a model may have {parameters:.0e} parameters, which take "
                f"{4 * parameters / 1e9:.3g} GB; at most {4 * MOST_PARAMETERS / 1e9:.0f} GB are "
                f"possible: write a smaller number",
            )
        return self

    def shape_of(self, model: Entry) -> ModelShape:
        """Return the size of a model: its family's, with the model's own numbers in their places."""
        own = {"layers": model.layers, "size": model.size}
        return self.shape.model_copy(update={key: n for key, n in own.items() if n is not None})

    def recipe(self, model: Entry) -> Recipe:
        """Return a model's recipe: its family's, with the numbers for dropout and the model's own."""
        recipe = self.training.model_dump()
        for own in (self.training.with_dropout, model) if model.dropout else (model,):
            given = {key: getattr(own, key) for key in Overrides.model_fields}
            recipe |= {key: value for key, value in given.items() if value is not None}
        return Recipe(**recipe)
