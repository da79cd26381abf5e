"""``attnmt pack``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.model_choice import Experiment, OneModel, choose
from attnmt.config import DEMO


def pack(
    folder: Annotated[
        Path, typer.Argument(help="The folder to write, which must be new or empty.")
    ],
    experiment: Experiment = DEMO,
    model: OneModel = None,
    half: Annotated[
        bool, typer.Option("--half", help="Round the weights to 16 bits, which halves the folder.")
    ] = False,
) -> None:
    """Write a trained model into a folder that you can give to others.

    The folder holds everything that translating needs, and the digests of these files. Its README.md
    says what the model is, where it comes from and how good it is. attnmt translate and the other
    commands take the folder as --weights, attnmt.load loads it in Python, and MLflow serves it
    (mlflow models serve -m FOLDER --env-manager local).

    Examples:

    attnmt pack my-weights

    attnmt pack --experiment captions --model ensemble captions-ensemble
    """
    choice = choose(experiment, model, None)

    from attnmt.packing.pack import pack_model  # here, because torch takes seconds

    pack_model(choice.params, choice.name, folder, half)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(
        f"{folder}: {choice.name} of {experiment}, {size / 1e6:.1f} MB; its README.md describes it"
    )
