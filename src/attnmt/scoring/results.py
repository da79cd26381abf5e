"""What scoring measures, as types, and the outside aligner's own result."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from attnmt.config import Params
from attnmt.config.strict import Name
from attnmt.errors import InputError
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.layout import Layout

LinkKind = Literal["gold", "silver"]  # made by people, or by the outside aligner
Script = Literal["tokenized", "nist", "sacrebleu", "chrf", "ter"]
Rate = Annotated[float, Field(ge=0, le=1)]


class Score(NamedTuple):
    """The score of a corpus in percent, rounded to four decimals.

    ``low`` and ``high`` bound the bootstrap 95% interval. sacrebleu reports the mean of the resampled
    scores and half the distance between their 2.5% and 97.5% quantiles. The bounds are that mean minus
    and plus that half-width. ``note`` has what the score says by its definition alone
    (:mod:`attnmt.scoring.limits`).
    """

    value: float
    low: float
    high: float
    signature: str
    note: str | None = None


class LinkScore(NamedTuple):
    """The error rate of an aligned set's links, with its 95% interval.

    The rate is in [0, 1]. A bound is a mean minus or plus a half-width, so it may lie outside. ``sure``
    and ``possible`` count the links of ``kind`` that the rate is measured against.
    """

    aer: float
    low: float
    high: float
    lines: int
    kind: LinkKind
    sure: int
    possible: int


class AlignerResult(Record):
    """What the dictionary stage says about the outside aligner: ``aligner.json``."""

    system: Text
    aer: dict[Name, Rate | None]  # by aligned set; None where no gold links are known
    pairs: Positive  # in the training text
    parts: Positive  # that this text was aligned in
    min_count: Positive


def read_aligner(params: Params) -> AlignerResult:
    """Read what the dictionary stage says about its aligner.

    Raises:
        InputError: if the file is missing or damaged, or is about other sets.
    """
    path, again = (
        Layout(params.experiment).dictionary / "aligner.json",
        "run the dictionary stage again",
    )
    result = read_model(path, AlignerResult, again)
    if list(result.aer) != params.sets.aligned:
        sets, expected = ", ".join(result.aer), ", ".join(params.sets.aligned)
        raise InputError(f"{path}: is about {sets}, not about {expected}; {again}")
    return result
