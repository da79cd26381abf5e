"""``systems.yaml``: the paper's systems, their ensembles, and the rows of the tables."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from attnmt.config.model import Ensemble, Entry
from attnmt.config.strict import Name, Strict, differ, refuse_unknown
from attnmt.files.yaml_file import Location, error_at, hint

Table = Literal[
    "table1",
    "table2",
    "table3",
    "table4",
    "table6",
    "table_gru",
    "table_bpe",
    "table_faults",
    "table_decides",
    "table_decides_back",
]
# Names of what is scored and no model. The dictionary is counted from the aligner's links. The diagonal
# links each word to the word at the same position.
ALIGNER, DIAGONAL, DICTIONARY = "aligner", "diagonal", "dictionary"
EVERY_OTHER = (
    "default"  # in an experiment's seeds it stands for the systems that are not named there
)
RESERVED = {EVERY_OTHER, ALIGNER, DIAGONAL, DICTIONARY}  # no names of systems
SEED = re.compile(r"_[1-9]\d*$")  # the end of a model's name gives its seed, as in base_2


class TableRow(Strict):
    """A line of a table. Its key joins it to its published numbers, where it has any.

    A row without ``system`` shows only published numbers.
    """

    label: str  # {size} stands for the number of an ensemble's members
    system: Name | None = None  # a system, an ensemble, or the aligner
    replaced: bool = False  # whether unknown words are replaced before BLEU is measured
    over: Name | None = None  # the row of the same table that the gain is measured from
    question: str | None = None  # the question that the gain answers; only table_decides* show it


class Comparison(Strict):
    """How the gains of a table's rows are measured."""

    metric: Literal["bleu", "aer"] = "bleu"
    script: Literal["tokenized", "nist", "sacrebleu"] = "tokenized"  # of bleu
    test: Literal["first", "last"] = (
        "first"  # of the test sets; links are compared on all aligned sets
    )
    # row: the score of a row less that of the row that `over` names. replaced: the same after unknown
    # words are replaced in both. replacement: the score of a row after replacement less that before
    of: Literal["row", "replaced", "replacement"] = "row"
    # whether the table is only for experiments that train a system or an ensemble on request
    on_request: bool = False


class Systems(Strict):
    """The whole file."""

    systems: Annotated[dict[Name, Entry], Field(min_length=1)]
    ensembles: dict[Name, Ensemble] = Field(default_factory=dict)
    # Systems and ensembles that an experiment has only if its params.yaml names them. An experiment that
    # names no systems trains all the others.
    on_request: Annotated[list[Name], AfterValidator(differ)] = Field(default_factory=list)
    tables: dict[Table, dict[Name, TableRow]] = Field(default_factory=dict)
    # How the rows of a table are compared; BLEU on tokens of the first test set where nothing is said
    comparisons: dict[Table, Comparison] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _systems_differ(self) -> Self:
        for name, system in self.systems.items():
            if name in RESERVED:
                raise error_at(
                    ["systems", name], f"{name!r} means something else; rename the system"
                )
            twin = next(other for other in self.systems if self.systems[other] == system)
            if twin != name:
                why = f"is the same as {twin!r}; for another seed, set seeds in params.yaml"
                raise error_at(["systems", name], why)
        return self

    @model_validator(mode="after")
    def _members_agree(self) -> Self:
        for name, ensemble in self.ensembles.items():
            if name in self.systems:
                raise error_at(["ensembles", name], "a system has this name; choose another")
            if name in RESERVED:
                raise error_at(["ensembles", name], f"{name!r} means something else; rename it")
            first = self._member(name, 0)
            for i in range(len(ensemble.members)):
                system, member = self._member(name, i), ensemble.members[i]
                place: Location = ["ensembles", name, "members", i]
                if system.family != ensemble.family:
                    raise error_at(place, f"{member!r} is of family {system.family!r}")
                for key in ("direction", "reverse"):
                    if getattr(system, key) != getattr(first, key):
                        raise error_at(place, f"{member!r} differs from the first member in {key}")
        return self

    def _member(self, ensemble: str, i: int) -> Entry:
        """Return the system of a member, whose name may end in a seed, as in base_2."""
        member = self.ensembles[ensemble].members[i]
        for name in (member, SEED.sub("", member)):
            if name in self.systems:
                return self.systems[name]
        place: Location = ["ensembles", ensemble, "members", i]
        raise error_at(place, f"no system {member!r}{hint(member, self.systems)}")

    @model_validator(mode="after")
    def _requests_name_what_exists(self) -> Self:
        known = [*self.systems, *self.ensembles]
        for i, name in enumerate(self.on_request):
            refuse_unknown(name, known, "system or ensemble", ["on_request", i])
        return self

    @model_validator(mode="after")
    def _rows_name_what_exists(self) -> Self:
        known = [*self.systems, *self.ensembles, ALIGNER]
        for table, rows in self.tables.items():
            for key, row in rows.items():
                place: Location = ["tables", table, key]
                if row.system is not None:
                    refuse_unknown(row.system, known, "system or ensemble", [*place, "system"])
                if row.over is not None:
                    others = [other for other in rows if other != key]
                    refuse_unknown(row.over, others, f"other row of {table}", [*place, "over"])
                comparison = self.comparisons.get(table, Comparison())
                if row.over is not None and comparison.of == "replacement":
                    why = "here the gain counts from the same row before replacement; leave this key out"
                    raise error_at([*place, "over"], why)
                if row.question is not None and row.over is None:
                    raise error_at(
                        [*place, "question"], "a gain answers a question, so give the key over, too"
                    )
        return self

    def label(self, row: TableRow) -> str:
        """Return a row's label, with the size of its ensemble."""
        members = self.ensembles[row.system].members if row.system in self.ensembles else []
        return row.label.replace("{size}", str(len(members)))
