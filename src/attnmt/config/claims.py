"""``claims.yaml``: what the paper and the course report claim, and what was changed afterwards.

A claim is registered with all that decides it (:mod:`attnmt.scoring.registration`). A change needs an
entry under ``amendments``. The last entry has the digest of all this, as it is after the change.
"""

import datetime
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from attnmt.config.strict import Distinct, Name, Strict
from attnmt.config.systems import Systems
from attnmt.config.trainings import SYSTEMS
from attnmt.files.yaml_file import YamlFile, error_at, hint

CLAIMS = "claims.yaml"  # in the project's folder
Filled = Annotated[str, Field(min_length=1)]

# bleu                 tokenized BLEU before unknown words are replaced
# bleu_replaced        tokenized BLEU after unknown words are replaced
# gain_by_replacement  bleu_replaced less bleu, of the same training
# aer                  alignment error rate of the aligned set, in [0, 1]; attention is read at the step
#                      that the authors' program reads
# aer_chosen           the same at the step that is chosen on the development set
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
    "aer_chosen",
    "perplexity",
    "length_slope",
    "early_cost",
    "final_cost",
]


class Claim(Strict):
    """One claim about systems, which a study can confirm, refute or leave undecided."""

    claim: Filled  # one plain sentence
    where: Filled  # the table, figure or section that makes it
    measure: Measure
    test: Literal["first", "last"] = (
        "first"  # of the experiment's test sets; aer has a set of its own
    )
    # mean:   the mean of `systems` less the mean of `over`, or the mean itself where `over` is not given
    # paired: the same, but the two share trainings (an ensemble and a member), so seeds go in pairs
    # each:   each of `systems` differs from each of `over` as the sign says; the size is that of
    #         the smallest difference
    # rank:   Kendall's rank correlation over `systems` with `published` or `rank_with`; described, not
    #         tested
    compare: Literal["mean", "paired", "each", "rank"] = "mean"
    systems: Distinct[Name]
    over: Distinct[Name] | None = None
    published: dict[Name, float] | None = None  # the paper's number of each of `systems`
    rank_with: Measure | None = None  # another measure of the same trainings
    # greater: above `bound`; less: below it; same: between -bound and bound
    sign: Literal["greater", "less", "same"]
    bound: float = 0.0
    size: float | None = None  # the published size, in the measure's units
    # differences, in our systems or in the paper's, that the models' parameters do not show
    differs: list[Filled] = Field(default_factory=list)

    @model_validator(mode="after")
    def _systems_suit_the_comparison(self) -> Self:
        ranked = self.compare == "rank"
        if ranked and self.over is not None:
            raise error_at(["over"], "a rank correlation takes no other systems")
        if self.compare in ("paired", "each") and self.over is None:
            raise error_at(["over"], f"{self.compare!r} needs this key")
        if self.compare == "paired" and len([*self.systems, *(self.over or ())]) != 2:
            raise error_at(["systems"], "'paired' compares one system with one other")
        for i, name in enumerate(self.over or ()):
            if name in self.systems:
                raise error_at(["over", i], f"{name!r} is in systems, too; compare it with others")
        if ranked and len(self.systems) < 3:
            raise error_at(["systems"], "a rank correlation needs three systems or more")
        if ranked == (self.published is None and self.rank_with is None):
            why = "give it or rank_with" if ranked else "only a rank correlation takes numbers"
            raise error_at(["published"], why)
        if self.published is not None and self.rank_with is not None:
            raise error_at(["rank_with"], "published is given, too; give only one of them")
        if self.published is not None and self.published.keys() != set(self.systems):
            raise error_at(["published"], "give a number for each of systems, and for no other")
        return self

    @model_validator(mode="after")
    def _sign_and_numbers_agree(self) -> Self:
        if self.sign == "same" and (self.bound <= 0 or self.compare == "each"):
            why = "'each' needs greater or less" if self.bound > 0 else "'same' needs a bound > 0"
            raise error_at(["sign" if self.bound > 0 else "bound"], why)
        if self.compare == "each" and self.bound:
            raise error_at(["bound"], "'each' is judged against 0")
        if self.compare == "rank" and not -1 < self.bound < 1:
            raise error_at(
                ["bound"], f"a rank correlation lies in [-1, 1], not beyond {self.bound}"
            )
        if self.size is not None and not self.holds(self.size):
            why = f"{self.size} contradicts the sign ({self.sign}, bound {self.bound})"
            raise error_at(["size"], why)
        return self

    def holds(self, value: float) -> bool:
        """Return whether a value agrees with the claim. The value's error plays no part."""
        if self.sign == "same":
            return abs(value) < self.bound
        return value > self.bound if self.sign == "greater" else value < self.bound


def _day(text: str) -> str:
    datetime.date.fromisoformat(text)
    return text


class Amendment(Strict):
    """A change of the claims, of what decides them or of what is trained for them."""

    # in quotes, because DVC cannot save YAML's own dates
    date: Annotated[str, AfterValidator(_day)]
    what: Filled  # what was changed
    why: Filled
    known: Filled  # which results could be seen by then
    # With another measure, the claims that are named here are judged by it, too. The verdict by the
    # registered measure keeps the claim's name
    claims: Distinct[Name] | None = None
    measure: Measure | None = None
    digest: Annotated[str, Field(pattern="^[0-9a-f]{16}$")] | None = None  # if it changed

    @model_validator(mode="after")
    def _a_measure_is_of_some_claims(self) -> Self:
        if self.measure is not None and self.claims is None:
            raise error_at(["claims"], "name the claims that are also judged by the other measure")
        return self


class Claims(Strict):
    """The whole file."""

    # the experiments whose verdicts are registered; the report of any other says that its are not
    experiments: Distinct[Name] = Field(default_factory=list)
    claims: Annotated[dict[Name, Claim], Field(min_length=1)]
    amendments: Annotated[list[Amendment], Field(min_length=1)]  # the first is the registration

    @property
    def digest(self) -> str | None:
        """The digest after the last amendment that changed it."""
        return next((one.digest for one in reversed(self.amendments) if one.digest), None)

    @property
    def judged(self) -> dict[str, Claim]:
        """All claims as they are registered, each followed by its readings with another measure."""
        return {
            name: claim.model_copy(update={"measure": measure})
            for key, claim in self.claims.items()
            for name, measure in {key: claim.measure, **self._other_measures(key)}.items()
        }

    def _other_measures(self, key: str) -> dict[str, Measure]:
        return {
            f"{key}.{one.measure}": one.measure
            for one in self.amendments
            if one.measure and key in (one.claims or ())
        }


def project_claims(project: Path = Path()) -> Claims:
    """Read and check the claims of a project, whose ``systems.yaml`` has the systems.

    Raises:
        InputError: naming file, line and key of every fault; also if a claim names an unknown system, or
            an amendment an unknown claim.
    """
    systems = YamlFile.read(project / SYSTEMS).into(Systems)
    file = YamlFile.read(project / CLAIMS)
    whole = file.into(Claims)
    for number, amendment in enumerate(whole.amendments):
        for i, key in enumerate(amendment.claims or ()):
            if key not in whole.claims:
                why = f"no claim {key!r}{hint(key, whole.claims)}"
                raise file.error(["amendments", number, "claims", i], why)
    known = [*systems.systems, *systems.ensembles]
    for key, claim in whole.claims.items():
        for field in ("systems", "over"):
            for i, name in enumerate(getattr(claim, field) or ()):
                if name not in known:
                    why = f"no system or ensemble {name!r}{hint(name, known)}"
                    raise file.error(["claims", key, field, i], why)
    return whole
