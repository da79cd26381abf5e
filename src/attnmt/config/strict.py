"""What all sections share: they refuse unknown keys, other types, and lists that repeat a value."""

from collections.abc import Collection
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from attnmt.files.yaml_file import Location, error_at, suggestion

Probability = Annotated[float, Field(ge=0, lt=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
# The name of an experiment, which is also that of its folders.
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?$")]
T = TypeVar("T")


def refuse_unknown(name: str | None, known: Collection[str], kind: str, place: Location) -> None:
    """Refuse a name that stands for nothing; None names nothing. ``kind`` says what it should name."""
    if name is not None and name not in known:
        raise error_at(place, f"no {kind} {name!r}{suggestion(name, known)}")


def differ(values: list[T]) -> list[T]:
    """Refuse a list that names something twice."""
    for i, value in enumerate(values):
        if value in values[:i]:
            raise error_at([i], f"{value!r} is in this list already; name it once")
    return values


Distinct = Annotated[list[T], Field(min_length=1), AfterValidator(differ)]


class Strict(BaseModel):
    """A section in which every key must be known.

    A value has the type that it is written as: ``yes`` and ``"1"`` are not numbers, and a number is not
    ``true``. A float may be written as an int, and must be finite.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
