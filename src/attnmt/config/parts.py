"""The parts of models and trainings that the configuration names, and what it must know of each.

The classes stand in ``attnmt.model`` and ``attnmt.training``, which nothing here imports: the code of a
new score must not count as code of stages that never use it. A part of your own needs no entry here.
The configuration calls it by the name of its class, which begins with a capital letter. Whether there
is such a class, and which numbers it has, is seen when the model is built.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

from pydantic import AfterValidator, Field, PositiveFloat, ValidationError

from attnmt.config.strict import Name, Strict, refuse_unknown
from attnmt.errors import InputError
from attnmt.files.yaml_file import Location, error_at, explained

OWN = re.compile(r"[A-Z][A-Za-z0-9_]*")  # the class of a part of one's own
PartNumbers = dict[
    Name, dict[Name, int | float]
]  # by the name of the part: {local_p: {sigma: 3.33}}


class Numbers(Strict):
    """The numbers of one kind of part: their types, defaults and descriptions. This kind has none."""

    @classmethod
    def of(cls, part: str, given: PartNumbers) -> Self:
        """Return a part's numbers, with defaults for those that are not given.

        Raises:
            InputError: if one is given that this kind does not have, or that is out of range.
        """
        for place, message in cls.faults(given.get(part, {})):
            raise InputError(f"{'.'.join(map(str, ['numbers', part, *place]))}: {message}")
        return cls(**given.get(part, {}))

    @classmethod
    def faults(cls, values: dict[Name, int | float]) -> Iterator[tuple[Location, str]]:
        """Yield the place of each number that this kind of part cannot take, and why."""
        try:
            cls.model_validate(values)
        except ValidationError as error:
            yield from (explained(details, cls) for details in error.errors())


class LocalPNumbers(Numbers):
    """Those of ``local_p``."""

    sigma: PositiveFloat | None = Field(
        None, description="deviation of the Gaussian around p_t, in words; without it D / 2"
    )


class Part(NamedTuple):
    """What the configuration knows of a part; the defaults hold for parts of one's own."""

    faults: tuple[str, ...] = ()  # the faults of the authors' program that it can repeat
    windowed: bool = True  # of a score; False: it gives the weights itself, for all words
    numbers: type[Numbers] = Numbers


SCORES = {
    "location": Part(windowed=False),
    "dot": Part(),
    "general": Part(faults=("general_gradient",)),
    "additive": Part(),
    "concat": Part(),
    "key_value": Part(),
    "self": Part(),
}
WINDOWS = {
    "global": Part(faults=("unmasked_padding",)),
    "local_m": Part(faults=("unmasked_padding",)),
    "local_p": Part(faults=("unmasked_padding", "position_gradient"), numbers=LocalPNumbers),
}
ENCODERS = {"recurrent": Part(), "bidirectional": Part()}
OPTIMIZERS = {"sgd": Part(), "adam": Part()}
PARTS = SCORES | WINDOWS | ENCODERS | OPTIMIZERS
FAULTS = sorted({name for part in PARTS.values() for name in part.faults})
# The field of a section that gives its parts numbers; an editor knows those of the parts above.
NUMBERS: Any = Field(
    default_factory=dict,
    exclude_if=lambda given: not given,
    description="numbers of its parts, by the name of the part",
    json_schema_extra={
        "properties": {
            name: part.numbers.model_json_schema()
            for name, part in PARTS.items()
            if part.numbers.model_fields
        }
    },
)


def check_numbers(given: PartNumbers, parts: Iterable[str]) -> None:
    """Refuse numbers of other parts than ``parts``, and those that a part cannot take."""
    for part, values in given.items():
        if part not in parts:
            raise error_at(
                ["numbers", part], f"there is no such part here, only {', '.join(parts)}"
            )
        for place, message in PARTS[part].numbers.faults(values) if part in PARTS else ():
            raise error_at(["numbers", part, *place], message)


def one_of(kind: str, known: Iterable[str], own: bool = True) -> tuple[AfterValidator, Any]:
    """Return a validator of names, and a field that describes them in a JSON schema.

    Args:
        kind: what an error message calls what is named.
        known: the names.
        own: whether a class of one's own may be named too.
    """
    names = list(known)

    def check(name: str) -> str:
        if not (own and OWN.fullmatch(name)):
            refuse_unknown(name, names, kind, [])
        return name

    choices: dict[str, Any] = {"enum": names}
    if own:
        choices = {"anyOf": [choices, {"pattern": f"^{OWN.pattern}$"}]}
    return AfterValidator(check), Field(json_schema_extra=choices)
