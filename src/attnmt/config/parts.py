"""The parts of systems and trainings that the configuration names, and what it must know of each.

The classes stand in ``attnmt.model`` and ``attnmt.training``, which nothing here imports: the code of a
new score must not count as code of stages that never use it. A part of your own needs no entry here.
The configuration calls it by the name of its class, which begins with a capital letter. Whether there
is such a class is seen when the model is built.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic import AfterValidator, Field

from attnmt.config.strict import refuse_unknown

OWN = re.compile(r"[A-Z][A-Za-z0-9_]*")  # the class of a part of one's own


class Part(NamedTuple):
    """What the configuration knows of a score or a window; the defaults hold for those of one's own."""

    faults: tuple[str, ...] = ()  # the faults of the authors' program that it can repeat
    windowed: bool = True  # of a score; False: it gives the weights itself, for all words


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
    "local_p": Part(faults=("unmasked_padding", "position_gradient")),
}
ENCODERS = ("recurrent", "bidirectional")
OPTIMIZERS = ("sgd", "adam")


def one_of(kind: str, known: Iterable[str]) -> tuple[AfterValidator, Any]:
    """Return a validator of names, and a field that describes them in a JSON schema."""
    names = list(known)

    def check(name: str) -> str:
        if not OWN.fullmatch(name):
            refuse_unknown(name, names, kind, [])
        return name

    choices: dict[str, Any] = {"anyOf": [{"enum": names}, {"pattern": f"^{OWN.pattern}$"}]}
    return AfterValidator(check), Field(json_schema_extra=choices)
