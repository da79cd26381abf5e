"""Read and check the scores files of evaluate, and the file that lexicon writes of its aligner."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from attnmt.config import Average, Direction, Params
from attnmt.config.strict import Name
from attnmt.decoding.reading import Reading
from attnmt.errors import InputError
from attnmt.json_file import Count, Positive, Record, Text, read_model
from attnmt.layout import Layout

Rate = Annotated[float, Field(ge=0, le=1)]
Percent = Annotated[float, Field(ge=0)]  # of an edit rate, above 100 too


class _Score(Record):
    value: Percent
    low: float
    high: float
    signature: Text
    lines: Positive

    @model_validator(mode="after")
    def _bounds_are_in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"the interval from {self.low} to {self.high} is empty")
        return self


class _ByScript(Record):
    tokenised: _Score
    nist: _Score
    sacrebleu: _Score
    chrf: _Score
    ter: _Score


class _Group(Record):
    max_length: Positive
    lines: Positive
    before: Percent
    after: Percent


class _SetScores(Record):
    perplexity: Annotated[float, Field(gt=0)] | None
    lines: Positive
    reference: Text
    reference_sha256: Text
    written_reference: Text
    before: _ByScript
    after: _ByScript
    lengths: list[_Group]


class _Alignment(Record):
    set: Name
    lines: Positive
    aer: Rate | None
    sure: Count
    possible: Count


class _LinkScores(_Alignment):
    link_step: Text
    low: float | None  # a mean less a half-width, which may lie outside [0, 1]; so may high
    high: float | None
    aer_by_link_step: dict[str, Rate | None]

    @model_validator(mode="after")
    def _chosen_is_one_of_the_readings(self) -> Self:
        if self.link_step not in self.aer_by_link_step:
            raise ValueError(f"no rate of the chosen reading, {self.link_step!r}")
        if (self.aer is None) != (self.low is None) or (self.aer is None) != (self.high is None):
            raise ValueError("a rate and both its bounds are known, or none of them")
        return self


class _ScoresFile(Record):
    stage: Literal["evaluate"]
    experiment: Name
    name: Name
    models: Annotated[list[Name], Field(min_length=1)]
    average: Average | None
    seed: Count | None
    family: Name
    direction: Direction
    beam: Positive
    dataset_digest: Text
    sets: Annotated[dict[Name, _SetScores], Field(min_length=1)]
    alignment: _LinkScores | None
    reading: Reading | None


class _AlignerFile(_Alignment):
    system: Text
    pairs: Positive  # of the training text
    parts: Positive  # in which it was aligned
    min_count: Positive


def read_scores(experiment: str, name: str, root: Path = Path()) -> dict[str, Any]:
    """Read the scores file of a model or an ensemble.

    Raises:
        InputError: if it is missing or damaged, or is of another system.
    """
    path, again = Layout(experiment, root).scores(name), f"run evaluate of {name} again"
    found = read_model(path, _ScoresFile, again)
    if (found.experiment, found.name) != (experiment, name):
        raise InputError(
            f"{path}: holds scores of {found.name!r} in experiment {found.experiment!r}; {again}"
        )
    return found.model_dump()


def read_system_scores(params: Params, name: str, test: str) -> dict[str, Any]:
    """Read the scores of a system as the parameters describe it.

    Raises:
        InputError: as :func:`read_scores`; also if another family, seed, direction or other members
            were scored, or no such test set.
    """
    path, system = Layout(params.experiment).scores(name), params.translators(name)
    again = f"run the stages that lead to it again, the last of them evaluate of {name}"
    scores = read_scores(params.experiment, name)
    if test not in scores["sets"]:
        raise InputError(f"{path}: no scores of {test!r}; run evaluate of {name} again")
    if scores["family"] != system.family:
        raise InputError(
            f"{path}: scores of family {scores['family']!r}, but {name} is of {system.family!r}; "
            f"{again}"
        )
    first, single = params.model(system.members[0]), name in params.models
    expected = {
        "models": system.members,
        "average": None if single else system.average,
        "seed": first.seed if single else None,
        "direction": first.direction,
    }
    for key, value in expected.items():
        if scores[key] != value:
            raise InputError(
                f"{path}: {key}: {scores[key]!r}, but {value!r} in the parameters; {again}"
            )
    attends = params.attends(name)
    if attends != (scores["alignment"] is not None):
        found = "no links" if attends else "links, though it does not attend"
        raise InputError(f"{path}: alignment: {name} has {found}; {again}")
    return scores


def read_aligner(params: Params) -> dict[str, Any]:
    """Read what the lexicon stage says of its aligner.

    Raises:
        InputError: if it is missing or damaged, or is of another set.
    """
    path, again = Layout(params.experiment).lexicon / "aligner.json", "run the lexicon stage again"
    found = read_model(path, _AlignerFile, again)
    if found.set != params.sets.aligned:
        raise InputError(
            f"{path}: tells of set {found.set!r}, not of {params.sets.aligned!r}; {again}"
        )
    return found.model_dump()
