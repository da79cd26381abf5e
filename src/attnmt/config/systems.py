"""``systems.yaml``: the paper's systems, their ensembles, and the rows of the tables."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from attnmt.config.model import Ensemble, Entry
from attnmt.config.strict import Name, Strict, differ, refuse_unknown
from attnmt.files.yaml_file import Location, error_at, suggestion

# Names of what is scored and no model. The dictionary is counted from the aligner's links. The diagonal
# links each word to the word at the same position.
ALIGNER, CONSTANT, DIAGONAL, DICTIONARY = "aligner", "constant", "diagonal", "dictionary"
EVERY_OTHER = (
    "default"  # in an experiment's seeds it stands for the systems that are not named there
)
RESERVED = {EVERY_OTHER, ALIGNER, CONSTANT, DIAGONAL, DICTIONARY}  # no names of systems
# Tables of a report that have no rows here
OTHER_TABLES = {"claims", "comparisons", "table5", "table_cost", "table_dictionary"}
OTHER_TABLES |= {"table_systems", "table_unknown"}
Column = Literal["ppl", "bleu", "bleu_replaced", "chrf", "ter", "aer", "in_window"]
SEED = re.compile(r"_[1-9]\d*$")  # the end of a model's name gives its seed, as in base_2


class TableRow(Strict):
    """A line of a table. Its key joins it to its published numbers, where it has any.

    A row without ``system`` shows only published numbers.
    """

    label: str  # {size} stands for the number of an ensemble's members
    system: Name | None = None  # a system, an ensemble, the aligner or the diagonal
    replaced: bool = False  # whether unknown words are replaced before BLEU is measured
    over: Name | None = None  # the row of the same table that the gain is measured from
    question: str | None = None  # the question that the gain answers


class TableEntry(Strict):
    """A table of scores: its words, columns and rows. An experiment has it if it trains one of them."""

    title: str
    caption: str
    # ppl; bleu, and bleu_replaced after unknown words are replaced; chrf, ter; aer of links; in_window:
    # the percentage of sentences that fit into a local window. Published numbers stand beside ours
    columns: Annotated[list[Column], Field(min_length=1), AfterValidator(differ)]
    # what a row gains over the row in `over`: bleu, bleu_replaced or aer. replacement: what a row gains
    # when its unknown words are replaced
    gain: Literal["bleu", "bleu_replaced", "replacement", "aer"] = "bleu"
    script: Literal["tokenized", "nist", "sacrebleu"] = "tokenized"  # of bleu
    test: Literal["first", "last"] = (
        "first"  # of the test sets; links are scored on all aligned sets
    )
    # whether the table is only for experiments that train a system or an ensemble on request
    on_request: bool = False
    rows: dict[Name, TableRow] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _columns_show_the_gain(self) -> Self:
        if self.gain == "replacement":
            needed: list[Column] = ["bleu", "bleu_replaced"]
        else:
            needed = [self.gain] if any(row.over for row in self.rows.values()) else []
        for column in needed:
            if column not in self.columns:
                raise error_at(["columns"], f"the gain is that of {column}; name it here, too")
        return self


class Systems(Strict):
    """The whole file."""

    systems: Annotated[dict[Name, Entry], Field(min_length=1)]
    ensembles: dict[Name, Ensemble] = Field(default_factory=dict)
    # Systems and ensembles that an experiment has only if its params.yaml names them. An experiment that
    # names no systems trains all the others.
    on_request: Annotated[list[Name], AfterValidator(differ)] = Field(default_factory=list)
    tables: dict[Name, TableEntry] = Field(default_factory=dict)  # by the stem of their files

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
        raise error_at(place, f"no system {member!r}{suggestion(member, self.systems)}")

    @model_validator(mode="after")
    def _requests_name_what_exists(self) -> Self:
        known = [*self.systems, *self.ensembles]
        for i, name in enumerate(self.on_request):
            refuse_unknown(name, known, "system or ensemble", ["on_request", i])
        return self

    @model_validator(mode="after")
    def _rows_name_what_exists(self) -> Self:
        known = [*self.systems, *self.ensembles, ALIGNER, DIAGONAL]
        for name, table in self.tables.items():
            if name in OTHER_TABLES:
                raise error_at(
                    ["tables", name], "a report has another table of this name; rename it"
                )
            for key, row in table.rows.items():
                place: Location = ["tables", name, "rows", key]
                if row.system is not None:
                    refuse_unknown(row.system, known, "system or ensemble", [*place, "system"])
                if row.over is None and row.question is not None:
                    why = "a gain answers a question, so give the key over, too"
                    raise error_at([*place, "question"], why)
                if row.over is None:
                    continue
                others = [other for other in table.rows if other != key]
                refuse_unknown(row.over, others, f"other row of {name}", [*place, "over"])
                if table.gain == "replacement":
                    why = "here the gain counts from the same row before replacement; leave this key out"
                    raise error_at([*place, "over"], why)
        return self

    def label(self, row: TableRow) -> str:
        """Return a row's label, with the size of its ensemble."""
        members = self.ensembles[row.system].members if row.system in self.ensembles else []
        return row.label.replace("{size}", str(len(members)))
