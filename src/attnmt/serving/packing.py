"""Pack a model or an ensemble into a folder for others; :mod:`attnmt.serving.packed` reads it."""

import shutil
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from attnmt.config import Params
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.pipeline import load_pipeline
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder, check_place
from attnmt.files.text_file import sha256, write_json, write_text
from attnmt.layout import Layout
from attnmt.scoring.evaluate import SHA_DIGITS
from attnmt.scoring.numbers import read_scores
from attnmt.serving.model_card import model_card
from attnmt.serving.packed import CARD, MANIFEST, Manifest, PackedFile
from attnmt.training.trained import read_provenance


def pack(
    params: Params, name: str, folder: Path, *, half: bool = False, text_license: str = ""
) -> None:
    """Write a model or an ensemble as a packed folder, with a card that says what it is.

    The process must run in the project's folder. The packed folder appears only when it is complete. It
    replaces one that was packed before.

    Args:
        half: whether weights are rounded to half precision. The files keep their size and type, but
            git and archives compress them to a little more than half.
        text_license: the license of the training text, which the weights then have, too; if it is
            empty, the card says what the parameters say.

    Raises:
        InputError: if the place holds anything else; if the model is not trained or not scored; or if
            it was trained or scored with other settings or data than the experiment now has.
    """
    refuse_other_content(folder)
    layout, members = Layout(params.experiment), params.translators(name).members
    files = translator_files(params, name)
    trainings = [read_provenance(layout.model(member)) for member in members]
    scores = read_scores(params, name)
    pipeline = load_pipeline(params, name)  # only what can be loaded is packed
    digest = pipeline.translator.data.digest[:SHA_DIGITS]
    if any(line.data != digest for line in scores.lines):
        raise InputError(
            f"{layout.scores(name)}: the encoded data changed after this model was scored; run "
            f"evaluate of {name} again"
        )
    with atomic_folder(folder) as partial:
        for file in files:
            (partial / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, partial / file)
            if half and file.suffix == ".safetensors":
                _round(partial / file)
        manifest = Manifest(
            format=1,
            experiment=params.experiment,
            model=name,
            params_file=params.params_file,
            commits=list(dict.fromkeys(commit for one in trainings for commit in one.commits)),
            files={file.as_posix(): _described(partial / file) for file in sorted(files)},
        )
        write_json(partial / MANIFEST, manifest.model_dump())
        card = model_card(
            params,
            manifest,
            scores,
            trainings,
            pipeline,
            folder,
            half=half,
            text_license=text_license,
        )
        write_text(partial / CARD, card)


def refuse_other_content(folder: Path) -> None:
    """Refuse a place that holds anything but a packed folder, or that cannot be written to."""
    check_place(folder, folder=True)
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise InputError(
            f"{folder}: has files in it, and attnmt pack did not write them; name another folder"
        )


def _round(path: Path) -> None:
    """Round the weights of a file to the nearest numbers of half precision; the metadata stays."""
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {key: file.get_tensor(key).astype(np.float16) for key in file.keys()}  # noqa: SIM118
    save_file({key: value.astype(np.float32) for key, value in tensors.items()}, path, metadata)


def _described(path: Path) -> PackedFile:
    return PackedFile(bytes=path.stat().st_size, sha256=sha256(path))
