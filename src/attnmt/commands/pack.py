"""``attnmt pack``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.model_choice import known_model
from attnmt.commands.options import Experiment, OneModel
from attnmt.config import DEMO, load_params, params_file


def pack(
    folder: Annotated[
        Path,
        typer.Argument(help="The folder to write. It may hold a packed model, which is replaced."),
    ],
    experiment: Experiment = DEMO,
    model: OneModel = None,
    text_license: Annotated[
        str,
        typer.Option(
            help="The license of the training text. The card then gives the weights the same "
            "license. Without this option the card says what params.yaml says."
        ),
    ] = "",
) -> None:
    """Write a trained model into a folder that you can give to others.

    The folder holds everything that translating needs, and the digests of these files. Its README.md
    says what the model is, where it comes from and how good it is. attnmt translate, explain and serve
    take the folder as --weights, and attnmt.load loads it in Python.

    Examples:

    attnmt pack weights/demo

    attnmt pack --experiment captions --model ensemble captions-ensemble
    """
    params = load_params(params_file(experiment))
    if model is not None:
        known_model(params, model)

    from attnmt.serving.packing import pack_model, refuse_other_files
    from attnmt.training.best_model import best_model

    refuse_other_files(folder)
    name = best_model(params) if model is None else model
    pack_model(params, name, folder, text_license)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {name} of {experiment}, {size / 1e6:.1f} MB; its README.md describes it")
