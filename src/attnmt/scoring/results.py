"""The results of scoring as types: a file of scores, its parts, and the outside aligner's result.

Stages write these types, and each kind of file has one reader, which refuses a damaged file.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attnmt.config import Average, Direction, LinkStep, Params
from attnmt.config.strict import Name, Slug
from attnmt.decoding.link_step import Reading
from attnmt.errors import InputError
from attnmt.files.json_file import Count, Positive, Record, Text, read_model
from attnmt.layout import Layout

LinkKind = Literal["gold", "silver"]  # made by people, or by the outside aligner
Script = Literal["tokenized", "nist", "sacrebleu", "chrf", "ter"]
Rate = Annotated[float, Field(ge=0, le=1)]
Percent = Annotated[float, Field(ge=0)]  # an edit rate may exceed 100


class Score(Record):
    """The score of a corpus in percent, rounded to four decimals.

    ``low`` and ``high`` bound the bootstrap 95% interval. sacrebleu reports the mean of the resampled
    scores and half the distance between their 2.5% and 97.5% quantiles. The bounds are that mean minus
    and plus that half-width.
    """

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


class ScriptScores(Record):
    """The scores of one text by every script of :mod:`attnmt.scoring.scripts`."""

    tokenized: Score
    nist: Score
    sacrebleu: Score
    chrf: Score
    ter: Score

    def by(self, script: Script) -> Score:
        """Return the score by a script."""
        score: Score = getattr(self, script)
        return score


class LengthGroup(Record):
    """Tokenized BLEU of sentences whose references have similar lengths.

    ``max_length`` counts the words of the longest reference; ``before`` and ``after`` are the BLEU
    before and after unknown words are replaced.
    """

    max_length: Positive
    lines: Positive
    before: Percent
    after: Percent


class Replacements(Record):
    """How many unknown words of a test set were replaced, and how good the replacements are.

    ``unknown`` counts the words of the references that the vocabulary lacks. ``replaced`` counts the
    ``<unk>`` of the translations that a word replaced. Of these, ``right`` are among the unknown words
    of their sentence's reference, each as often as the reference has it; ``repeated`` are equal to the
    word directly before or after them; and ``copied`` occur as they are in the source sentence.
    """

    unknown: Count
    replaced: Count
    right: Count
    repeated: Count
    copied: Count
    copied_right: Count

    @model_validator(mode="after")
    def _no_part_is_more_than_the_whole(self) -> Self:
        if max(self.right, self.repeated, self.copied) > self.replaced:
            raise ValueError("right, repeated and copied must not be more than the replaced words")
        if self.right > self.unknown:
            raise ValueError("right must not be more than the unknown words")
        if self.copied_right > min(self.copied, self.right):
            raise ValueError("copied_right must not be more than the copied or the right words")
        return self


class SetScores(Record):
    """The scores of one test set, and what they are scores of.

    ``perplexity`` is None for an ensemble. ``before`` and ``after`` are the scores before and after
    unknown words are replaced. ``replacements`` is None for a family that reads pieces and for a system
    without attention.
    """

    perplexity: Annotated[float, Field(gt=0)] | None
    lines: Positive
    reference: Text
    reference_sha256: Text
    written_reference: Text
    before: ScriptScores
    after: ScriptScores
    lengths: list[LengthGroup]
    replacements: Replacements | None


class LinkScores(Record):
    """The error rate of an aligned set's links, with its 95% interval.

    The rate is in [0, 1]. A bound is a mean minus or plus a half-width, so it may lie outside. ``sure``
    and ``possible`` count the links of ``kind`` that the rate is measured against.
    """

    set: Name
    lines: Positive
    kind: LinkKind
    aer: Rate
    low: float
    high: float
    sure: Count
    possible: Count


class AttentionScores(LinkScores):
    """The error rate of the links of a system's attention.

    ``aer`` is the rate at ``link_step``, which the authors' program reads; ``aer_by_link_step`` has the
    rates at both steps.
    """

    link_step: LinkStep
    aer_by_link_step: dict[LinkStep, Rate]

    @model_validator(mode="after")
    def _rate_at_the_chosen_step(self) -> Self:
        if self.link_step not in self.aer_by_link_step:
            raise ValueError(
                f"link_step is {self.link_step!r}, but aer_by_link_step has no such key"
            )
        return self


class SystemScores(Record):
    """All scores of a model or an ensemble: ``scores/<experiment>/<name>.json``.

    ``average`` is None for a model, and ``seed`` is None for an ensemble. A system without attention has
    no ``alignments``, and its ``reading`` is None.
    """

    stage: Literal["evaluate"]
    experiment: Slug
    name: Name
    models: Annotated[list[Name], Field(min_length=1)]
    average: Average | None
    seed: Count | None
    family: Name
    direction: Direction
    beam: Positive
    dataset_digest: Text
    sets: Annotated[dict[Name, SetScores], Field(min_length=1)]
    alignments: list[AttentionScores]  # those of the experiment's aligned sets
    reading: Reading | None

    def alignment(self, aligned: str) -> AttentionScores | None:
        """Return the scores of an aligned set's links; None for a system without attention."""
        return next((one for one in self.alignments if one.set == aligned), None)


class AlignerResult(Record):
    """What the dictionary stage says about the outside aligner: ``aligner.json``."""

    system: Text
    aer: dict[Name, Rate | None]  # by aligned set; None where no gold links are known
    pairs: Positive  # in the training text
    parts: Positive  # that this text was aligned in
    min_count: Positive


def read_scores(experiment: str, name: str, root: Path = Path()) -> SystemScores:
    """Read the scores file of a model or an ensemble.

    Raises:
        InputError: if it is missing or damaged, or belongs to another system.
    """
    path, again = Layout(experiment, root).scores(name), f"run evaluate of {name} again"
    scores = read_model(path, SystemScores, again)
    if (scores.experiment, scores.name) != (experiment, name):
        raise InputError(
            f"{path}: holds scores of {scores.name!r} in experiment {scores.experiment!r}; {again}"
        )
    return scores


def read_system_scores(params: Params, name: str, test: str) -> SystemScores:
    """Read the scores of a system as the parameters describe it.

    Raises:
        InputError: as :func:`read_scores` says; or if another family, seed or direction or other
            members were scored; or if the test set was not scored.
    """
    path, system = Layout(params.experiment).scores(name), params.translators(name)
    again = f"run the stages that lead to it again, the last of them evaluate of {name}"
    scores = read_scores(params.experiment, name)
    if test not in scores.sets:
        raise InputError(f"{path}: no scores of {test!r}; run evaluate of {name} again")
    if scores.family != system.family:
        raise InputError(
            f"{path}: scores of family {scores.family!r}, but {name} is of {system.family!r}; "
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
        if (scored := getattr(scores, key)) != value:
            raise InputError(f"{path}: {key}: {scored!r}, but {value!r} in the parameters; {again}")
    aligned = params.sets.aligned if params.attends(name) else []
    scored = [one.set for one in scores.alignments]
    if scored != aligned:
        sets, expected_sets = (", ".join(names) or "no set" for names in (scored, aligned))
        raise InputError(
            f"{path}: alignments: {name} has links of {sets}, but needs those of {expected_sets}; "
            f"{again}"
        )
    return scores


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
