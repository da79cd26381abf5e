"""Read the JSON files that stages wrote into pydantic models; an error names the file and the key."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from attnmt.errors import InputError
from attnmt.files.text_file import read_json
from attnmt.files.yaml_file import explained

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]
STRICT = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)


class Record(BaseModel):
    """A section of a file that a stage wrote.

    Every key that the program reads must be there, have its type and be finite. Other keys are kept as
    they are, so a file may hold more than the program reads.
    """

    model_config = ConfigDict(extra="allow", **STRICT)


Model = TypeVar("Model", bound=BaseModel)


def read_model(path: Path, model: type[Model], cure: str) -> Model:
    """Read a JSON file as a ``model``; ``cure`` says what a person is to do about a fault.

    Raises:
        InputError: if the file is missing, is not JSON or does not fit the model (naming the key).
    """
    return checked(read_json(path), model, str(path), cure)


def checked(values: Any, model: type[Model], place: str, cure: str) -> Model:
    """Return values as a ``model``; ``place`` names them in an error.

    Raises:
        InputError: naming the first key that is wrong.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        location, what = explained(error.errors()[0], model)
        key = ".".join(map(str, location)) or "the content"
        more = f" (and {error.error_count() - 1} more faults)" if error.error_count() > 1 else ""
        raise InputError(f"{place}: {key}: {what}{more}; {cure}") from None
