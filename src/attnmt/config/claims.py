"""``claims.yaml``: what the paper and the course report claim. The history of git registers it."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attnmt.config.strict import Distinct, Name, Strict
from attnmt.config.systems import SYSTEMS, Systems
from attnmt.files.yaml_file import YamlFile, error_at, suggestion

CLAIMS = "claims.yaml"  # in the project's folder
Filled = Annotated[str, Field(min_length=1)]

# bleu                 tokenized BLEU before unknown words are replaced
# bleu_replaced        tokenized BLEU after unknown words are replaced
# gain_by_replacement  bleu_replaced less bleu, of the same training
# aer                  alignment error rate of the aligned set, in [0, 1]; attention is read at the step
#                      whose links are nearer to the outside aligner's on the development set
# perplexity           perplexity of the test set, per word
# length_slope         least-squares slope of bleu_replaced against the words of the reference, in BLEU
#                      per word, over the groups of Figure 6
# early_cost           cost (ln perplexity of the test set, Figure 5), the mean of the evaluations in the
#                      first quarter of the shortest curve, which must have one near its end
# final_cost           the same cost at the last evaluation that all curves have
Measure = Literal[
    "bleu",
    "bleu_replaced",
    "gain_by_replacement",
    "aer",
    "perplexity",
    "length_slope",
    "early_cost",
    "final_cost",
]


class Variant(Strict):
    """The two sides of a claim."""

    systems: Distinct[Name]
    over: Distinct[Name] | None = None

    @property
    def names(self) -> list[str]:
        """All systems and ensembles of both sides."""
        return [*self.systems, *(self.over or ())]


class Claim(Strict):
    """One claim about systems, which an experiment can confirm, refute or leave undecided."""

    claim: Filled  # one plain sentence
    where: Filled  # the table, figure or section that makes it
    measure: Measure
    test: Literal[1, 2] = 1  # of the test sets; for aer, of the aligned sets
    # mean:   the mean of `systems` less the mean of `over`, or the mean itself where `over` is not given
    # paired: the same, but the two share trainings (an ensemble and a member), so seeds go in pairs
    # each:   each of `systems` differs from each of `over` as the sign says; the size is that of
    #         the smallest difference
    compare: Literal["mean", "paired", "each"] = "mean"
    systems: Distinct[Name] | None = None
    over: Distinct[Name] | None = None
    # In place of `systems` and `over`: several pairs of sides, such as the same systems with another
    # optimizer. All those that an experiment trains must agree
    variants: Annotated[list[Variant], Field(min_length=2)] | None = None
    sign: Literal["greater", "less"]
    bound: float = 0.0  # what the value is claimed to be above or below
    size: float | None = None  # the published size, in the measure's units

    @property
    def sides(self) -> list[Variant]:
        """The variants of the claim; most claims have one."""
        return self.variants or [Variant(systems=self.systems or [], over=self.over)]

    @model_validator(mode="after")
    def _suits_its_comparison(self) -> Self:
        if (self.systems is None) == (self.variants is None) or (self.variants and self.over):
            raise error_at(["systems"], "give either systems, with over, or variants")
        for one in self.sides:
            over = one.over or []
            if self.compare != "mean" and not over:
                raise error_at(["over"], f"{self.compare!r} needs this key")
            if self.compare == "paired" and len(one.names) > 2:
                raise error_at(["over"], "'paired' compares two systems")
            if both := [name for name in over if name in one.systems]:
                raise error_at(["over"], f"{both[0]} is in systems, too; compare it with others")
        if self.compare == "each" and self.bound:
            raise error_at(["bound"], "'each' is judged against 0")
        if self.size is not None and (self.size > self.bound) != (self.sign == "greater"):
            why = f"{self.size} contradicts the sign ({self.sign}, bound {self.bound})"
            raise error_at(["size"], why)
        return self


class Claims(Strict):
    """The whole file."""

    claims: Annotated[dict[Name, Claim], Field(min_length=1)]


def project_claims(project: Path = Path()) -> dict[str, Claim]:
    """Read and check the claims of a project, whose ``systems.yaml`` has the systems.

    Raises:
        InputError: naming file, line and key of every fault; also if a claim names an unknown system.
    """
    known = YamlFile.read(project / SYSTEMS).into(Systems).names
    file = YamlFile.read(project / CLAIMS)
    claims = file.into(Claims).claims
    for key, claim in claims.items():
        for name in (name for one in claim.sides for name in one.names):
            if name not in known:
                why = f"no system or ensemble {name!r}{suggestion(name, known)}"
                raise file.error(["claims", key], why)
    return claims
