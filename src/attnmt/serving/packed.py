"""A packed folder: everything that translating with one model needs. ``attnmt pack`` writes it.

The folder is laid out as a project that holds only the files of one model or ensemble. Its
``manifest.json`` names these files with their digests, and they are checked before anything is loaded.
``README.md`` beside it is the model's card (:mod:`attnmt.serving.packing`).
"""

import shutil
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field

from attnmt.config import Params, load_params
from attnmt.config.strict import Name, Slug
from attnmt.decoding.needed_files import translator_files
from attnmt.errors import InputError
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.files.text_file import sha256, write_json
from attnmt.layout import Layout
from attnmt.training.trained import read_provenance

MANIFEST = "manifest.json"
CARD = "README.md"
AGAIN = "get the folder again, or make it again with attnmt pack"


def _inside(path: str) -> str:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise ValueError("must be a path inside the folder")
    return path


class PackedFile(Record):
    """A file as it was packed."""

    bytes: Positive
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(Record):
    """What a packed folder holds: ``manifest.json``."""

    format: Literal[2]
    experiment: Slug
    model: Name  # or an ensemble
    params_file: Annotated[str, AfterValidator(_inside)]
    commits: list[Text]  # those at which the model was trained
    example: Text  # a sentence of the kind that it translates
    files: Annotated[dict[Annotated[str, AfterValidator(_inside)], PackedFile], Field(min_length=1)]


class Packed(NamedTuple):
    """A packed folder whose files are those that were packed."""

    folder: Path
    params: Params
    model: str  # or an ensemble
    example: str


def write_packed(params: Params, name: str, folder: Path, example: str) -> Manifest:
    """Copy the files of a model or an ensemble into a folder, and describe them in its manifest.

    Args:
        example: a sentence of the kind that it translates.

    Raises:
        InputError: if one of them, or the record of a training, is missing.
    """
    described = {}
    for file in sorted(translator_files(params, name)):
        copy = folder / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        described[file.as_posix()] = PackedFile(bytes=copy.stat().st_size, sha256=sha256(copy))
    layout, members = Layout(params.experiment), params.translators(name).members
    commits = [commit for one in members for commit in read_provenance(layout.model(one)).commits]
    manifest = Manifest(
        format=2,
        experiment=params.experiment,
        model=name,
        params_file=params.params_file,
        commits=list(dict.fromkeys(commits)),
        example=example,
        files=described,
    )
    write_json(folder / MANIFEST, manifest.model_dump())
    return manifest


def read_packed(folder: Path | str) -> Packed:
    """Check a packed folder and read its parameters. No model is loaded.

    Raises:
        InputError: if there is no such folder; if its manifest is missing or damaged; if a file is
            missing or is not the one that was packed; or if this code does not accept its parameters.
    """
    folder = Path(folder)
    if not (folder / MANIFEST).is_file():
        why = "has no" if folder.is_dir() else "there is no such folder, so no"
        raise InputError(f"{folder}: {why} {MANIFEST}; name a folder that attnmt pack has written")
    manifest = read_model(folder / MANIFEST, Manifest, AGAIN)
    for name, packed in manifest.files.items():
        path = folder / name
        if not path.is_file() or sha256(path) != packed.sha256:
            raise InputError(f"{path}: missing, or not the file that was packed; {AGAIN}")
    try:
        params = load_params(folder / manifest.params_file, folder)
        params.translators(manifest.model)
    except InputError as error:
        raise InputError(
            f"{error}; the model was trained at commit {', '.join(manifest.commits)}: use that code, "
            f"or train and pack the model again with this code"
        ) from None
    return Packed(folder, params, manifest.model, manifest.example)
