"""``claims.yaml``: what the paper and the course report claim, and what was changed afterwards.

A claim is registered with all that decides it (:mod:`attnmt.scoring.registration`). A change needs an
entry under ``amendments``. The last entry has the digest of all this, as it is after the change.
"""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from attnmt.config.strict import Distinct, Name, Slug, Strict
from attnmt.config.systems import Systems
from attnmt.config.trainings import SYSTEMS
from attnmt.files.yaml_file import YamlFile, error_at, hint

CLAIMS = "claims.yaml"  # in the project's folder
Filled = Annotated[str, Field(min_length=1)]
PAIR = "'paired' compares one system with one other"
EACH = "'each' is judged against 0, and takes greater or less"

# bleu                 tokenized BLEU before unknown words are replaced
# bleu_replaced        tokenized BLEU after unknown words are replaced
# gain_by_replacement  bleu_replaced less bleu, of the same training
# aer                  alignment error rate of the aligned set, in [0, 1]; attention is read at the step
#                      that the authors' program reads
# aer_chosen           the same at the step whose links are nearer to the outside aligner's on the
#                      development set
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
    test: Literal["first", "last"] = "first"  # of the test sets; for aer, of the aligned sets
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
    def _suits_its_comparison(self) -> Self:
        kind, over, bound = self.compare, self.over or [], self.bound
        ranked, given = kind == "rank", [one for one in (self.published, self.rank_with) if one]
        both = [name for name in over if name in self.systems]
        for is_wrong, key, why in (
            (ranked and over, "over", "a rank correlation takes no other systems"),
            (ranked and len(self.systems) < 3, "systems", "a rank correlation needs three or more"),
            (len(given) != ranked, "published", "a rank correlation needs this or rank_with"),
            (kind in ("paired", "each") and not over, "over", f"{kind!r} needs this key"),
            (kind == "paired" and (len(self.systems), len(over)) != (1, 1), "over", PAIR),
            (both, "over", f"{' and '.join(both)} is in systems, too; compare it with others"),
            (kind == "each" and (bound or self.sign == "same"), "sign", EACH),
            (self.sign == "same" and bound <= 0, "bound", "'same' needs a bound > 0"),
            (ranked and abs(bound) >= 1, "bound", f"a rank correlation is not beyond {bound}"),
        ):
            if is_wrong:
                raise error_at([key], why)
        if self.published is not None and self.published.keys() != {*self.systems}:
            raise error_at(["published"], "give a number for each of systems, and for no other")
        if self.size is not None and not self.holds(self.size):
            why = f"{self.size} contradicts the sign ({self.sign}, bound {bound})"
            raise error_at(["size"], why)
        return self

    def holds(self, value: float) -> bool:
        """Return whether a value agrees with the claim. The value's error plays no part."""
        if self.sign == "same":
            return abs(value) < self.bound
        return value > self.bound if self.sign == "greater" else value < self.bound


class Amendment(Strict):
    """A change of the claims, of what decides them or of what is trained for them."""

    # in quotes, because DVC cannot save YAML's own dates
    date: Annotated[str, AfterValidator(lambda text: str(date.fromisoformat(text)))]
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
    experiments: Distinct[Slug] = Field(default_factory=list)
    claims: Annotated[dict[Name, Claim], Field(min_length=1)]
    amendments: Annotated[list[Amendment], Field(min_length=1)]  # the first is the registration

    @property
    def digest(self) -> str | None:
        """The digest after the last amendment that changed it."""
        return next((one.digest for one in reversed(self.amendments) if one.digest), None)

    @property
    def judged(self) -> dict[str, Claim]:
        """All claims as they are registered, each followed by its readings with another measure."""
        found = {}
        for key, claim in self.claims.items():
            found[key] = claim
            for one in self.amendments:
                if one.measure and key in (one.claims or ()):
                    amended = claim.model_copy(update={"measure": one.measure})
                    found[f"{key}.{one.measure}"] = amended
        return found


def project_claims(project: Path = Path()) -> Claims:
    """Read and check the claims of a project, whose ``systems.yaml`` has the systems.

    Raises:
        InputError: naming file, line and key of every fault; also if a claim names an unknown system, or
            an amendment an unknown claim.
    """
    systems = YamlFile.read(project / SYSTEMS).into(Systems)
    file = YamlFile.read(project / CLAIMS)
    whole = file.into(Claims)
    trained = [*systems.systems, *systems.ensembles]
    named: list[tuple[list[str | int], str, list[str] | None, list[str]]] = [
        (["amendments", number, "claims"], "claim", one.claims, [*whole.claims])
        for number, one in enumerate(whole.amendments)
    ]
    for key, claim in whole.claims.items():
        named.append((["claims", key, "systems"], "system or ensemble", claim.systems, trained))
        named.append((["claims", key, "over"], "system or ensemble", claim.over, trained))
    for place, kind, names, known in named:
        for i, name in enumerate(names or ()):
            if name not in known:
                raise file.error([*place, i], f"no {kind} {name!r}{hint(name, known)}")
    return whole
