"""``systems.yaml``: the paper's systems, their ensembles, and the rows of the tables."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attnmt.config.model import Overrides, System, optional
from attnmt.config.strict import Distinct, Name, Strict, refuse_unknown
from attnmt.files.yaml_file import Location, error_at

SYSTEMS = "systems.yaml"  # in the project's folder
# Names of what is scored and no model. The diagonal links each word to the word at the same position.
ALIGNER, CONSTANT, DIAGONAL = "aligner", "constant", "diagonal"
SLOTS = 16  # members that an ensemble may have; dvc.yaml names each, as it cannot take a list
EVERY_OTHER = "default"  # in seeds it stands for the systems that are not named there
RESERVED = {EVERY_OTHER, ALIGNER, CONSTANT, DIAGONAL}  # no names of systems
Column = Literal["ppl", "bleu", "bleu_replaced", "chrf", "ter", "aer"]
SEED = re.compile(r"_[1-9]\d*$")  # the end of a training's name gives its seed, as in base_2


class Entry(System, Overrides):
    """A system: an architecture, its family and what differs from the family."""

    family: Name
    layers: int | None = optional("layers, in place of the family's")
    size: int | None = optional("cells in each layer, in place of the family's")

    @property
    def system(self) -> System:
        """Only the architecture."""
        return System(**{key: getattr(self, key) for key in System.model_fields})


class Ensemble(Strict):
    """Any number of models that translate together; their logits are averaged."""

    family: Name
    # Systems. With several seeds there is an ensemble of first seeds, one of second seeds, and so on. A
    # member may also be one training: base_2 is base with its second seed. Then there is one ensemble
    members: Annotated[Distinct[Name], Field(max_length=SLOTS)]


class TableRow(Strict):
    """A line of a table. Its key joins it to its published numbers, where it has any.

    A row without ``system`` shows only published numbers.
    """

    label: str
    system: Name | None = None  # a system, an ensemble, the aligner or the diagonal
    replaced: bool = False  # whether unknown words are replaced before BLEU is measured
    over: Name | None = None  # the row of the same table that the gain is measured from


class TableEntry(Strict):
    """A table of scores: its words, columns and rows. An experiment has it if it trains one of them."""

    title: str
    caption: str
    # ppl; bleu, and bleu_replaced after unknown words are replaced; chrf, ter; aer of links. Published
    # numbers stand beside ours
    columns: Distinct[Column]
    # what a row gains over the row in `over`: bleu, bleu_replaced or aer. replacement: what a row gains
    # when its unknown words are replaced
    gain: Literal["bleu", "bleu_replaced", "replacement", "aer"] = "bleu"
    script: Literal["tokenized", "lowercased", "nist", "sacrebleu"] = "tokenized"  # of bleu
    # of the test sets; links are scored on all aligned sets
    test: Literal[1, 2] = 1
    rows: dict[Name, TableRow] = Field(default_factory=dict)


class Systems(Strict):
    """The whole file."""

    systems: Annotated[dict[Name, Entry], Field(min_length=1)]
    ensembles: dict[Name, Ensemble] = Field(default_factory=dict)
    # Systems and ensembles that an experiment has only if its params.yaml names them. An experiment that
    # names no systems trains all the others.
    on_request: list[Name] = Field(default_factory=list)
    tables: dict[Name, TableEntry] = Field(default_factory=dict)  # by the stem of their files

    @property
    def names(self) -> list[str]:
        """All systems, and then all ensembles."""
        return [*self.systems, *self.ensembles]

    def split_seed(self, member: str) -> tuple[str, int]:
        """Return the system of an ensemble's member, and its seed: base_2 is base with its second."""
        if member in self.systems or not (seed := SEED.search(member)):
            return member, 1
        return member[: seed.start()], int(seed[0][1:])

    @model_validator(mode="after")
    def _names_mean_one_thing(self) -> Self:
        for key, taken in {
            "systems": RESERVED,
            "ensembles": RESERVED | self.systems.keys(),
        }.items():
            for name in getattr(self, key):
                if name in taken:
                    raise error_at([key, name], f"{name!r} means something else; rename it")
        return self

    @model_validator(mode="after")
    def _members_agree(self) -> Self:
        for name, ensemble in self.ensembles.items():
            entries = list[Entry]()
            for i, member in enumerate(ensemble.members):
                place: Location = ["ensembles", name, "members", i]
                system, _ = self.split_seed(member)
                if system not in self.systems:
                    refuse_unknown(member, self.systems, "system", place)
                entries.append(self.systems[system])
                if entries[i].family != ensemble.family:
                    raise error_at(place, f"{member!r} is of family {entries[i].family!r}")
                for key in ("direction", "reverse"):
                    if getattr(entries[i], key) != getattr(entries[0], key):
                        raise error_at(place, f"{member!r} differs from the first member in {key}")
        return self

    @model_validator(mode="after")
    def _what_is_named_exists(self) -> Self:
        for i, name in enumerate(self.on_request):
            refuse_unknown(name, self.names, "system or ensemble", ["on_request", i])
        for table, entry in self.tables.items():
            for key, row in entry.rows.items():
                place: Location = ["tables", table, "rows", key]
                scored = [*self.names, ALIGNER, DIAGONAL]
                refuse_unknown(row.system, scored, "system or ensemble", [*place, "system"])
                others = [other for other in entry.rows if other != key]
                refuse_unknown(row.over, others, "other row", [*place, "over"])
        return self
