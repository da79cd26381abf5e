"""A packed folder: everything that translating with one model needs. ``attnmt pack`` writes it.

The folder is laid out as a project that holds only the files of one model or ensemble. Its ``MLmodel``
describes it: MLflow reads there how to load the model, and this module which files must be there,
unchanged. JSON is YAML, which MLflow expects.
"""

from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field

from attnmt.config import Params, load_params
from attnmt.config.strict import Name
from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.json_file import Record, Text, read_model
from attnmt.files.text_file import sha256

DESCRIPTION = "MLmodel"
CARD = "README.md"
PARAMS = "params.yaml"  # of the folder, whatever the experiment is
AGAIN = "get the folder again, or make it again with attnmt pack"


def _inside(path: str) -> str:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise ValueError("must be a path inside the folder")
    return path


PathInside = Annotated[str, AfterValidator(_inside)]


class Manifest(Record):
    """What a packed folder holds: ``metadata`` of its ``MLmodel``."""

    format: Literal[4]
    model: Name  # or an ensemble
    commits: list[Text]  # those at which the model was trained
    files: Annotated[dict[PathInside, str], Field(min_length=1)]  # their SHA-256


class _Description(Record):
    metadata: Manifest


class Packed(NamedTuple):
    """A packed model or ensemble whose files are those that were packed."""

    params: Params
    model: str


def read_packed(folder: Path | str) -> Packed:
    """Check a packed folder and read its parameters. No model is loaded.

    Raises:
        InputError: if there is no such folder; if its description is missing or damaged; if a file is
            missing or is not the one that was packed; or if this code does not accept its parameters.
    """
    folder = Path(folder)
    if not (folder / DESCRIPTION).is_file():
        why = f"has no {DESCRIPTION}" if folder.is_dir() else "no such folder"
        raise InputError(f"{folder}: {why}; name a folder that attnmt pack has written")
    manifest = read_model(folder / DESCRIPTION, _Description, AGAIN).metadata
    for name, digest in manifest.files.items():
        path = folder / name
        if not path.is_file() or sha256(path) != digest:
            raise InputError(f"{path}: missing, or not the file that was packed; {AGAIN}")
    try:
        params = load_params(folder / PARAMS, folder)
        params.translators(manifest.model)
    except InputError as error:
        raise InputError(
            f"{error}; the model was trained at commit {', '.join(manifest.commits)}: use that code, "
            f"or train and pack the model again with this code"
        ) from None
    return Packed(params, manifest.model)


def refuse_full(folder: Path) -> None:
    """Refuse a place that holds anything, or that cannot be written to."""
    check_place(folder, folder=True)
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: holds files; name another folder, or empty this one")
