"""Which models a command works with: those of an experiment, or those of packed folders."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from attnmt.commands.options import complete_model
from attnmt.config import DEMO, Language, Params, load_params, params_file
from attnmt.errors import InputError
from attnmt.packing.folder import read_packed
from attnmt.training.best_model import best_model

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import TranslationPipeline

WEIGHTS_HELP = "A folder that attnmt pack wrote, in place of an experiment's model."
Weights = Annotated[Path | None, typer.Option("--weights", help=WEIGHTS_HELP)]
SeveralModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        autocompletion=complete_model,
        help="A model or an ensemble; several may be given. The default is as for attnmt translate.",
    ),
]
SeveralWeights = Annotated[
    list[Path] | None, typer.Option("--weights", help=f"{WEIGHTS_HELP} Several may be given.")
]


class Choice(NamedTuple):
    """A model or an ensemble, the parameters that describe it, and the folder that holds it."""

    params: Params
    name: str
    root: Path = Path()

    def load(
        self, beam: int | None = None, n_best: int | None = None, **rules: Any
    ) -> "TranslationPipeline":
        """Load it; what is None is the experiment's."""
        import torch  # here, because it takes seconds, and --help must be fast

        from attnmt.decoding.pipeline import load_translator

        torch.set_num_threads(self.params.machine.decode_threads)
        return load_translator(self.params, self.name, self.root, beam=beam, n_best=n_best, **rules)

    @property
    def languages(self) -> tuple[Language, Language]:
        """What it reads, and what it writes."""
        return self.params.languages.sides(self.params.direction(self.name))


def choose(experiment: str, model: str | None, weights: Path | None) -> Choice:
    """Return the model that a command line asks for, or else the experiment's best one.

    Raises:
        InputError: as :func:`choose_several` does.
    """
    models = [] if model is None else [model]
    return choose_several(experiment, models, [] if weights is None else [weights])[0]


def choose_several(experiment: str, models: Sequence[str], folders: Sequence[Path]) -> list[Choice]:
    """Return the models that a command line asks for, each once, or else the experiment's best one.

    This is the rule of every command that works with trained models.

    Raises:
        InputError: if there is no such experiment or model; if nothing is trained; if a packed folder is
            missing or has changed since it was packed; or if ``folders`` are given together with a model
            or an experiment.
    """
    if folders:
        if models or experiment != DEMO:
            raise InputError(
                f"--weights: {folders[0]} has a model of its own; leave out --model and --experiment"
            )
        return [Choice(*read_packed(folder), folder) for folder in dict.fromkeys(folders)]
    params = load_params(params_file(experiment))
    for name in models:
        known_model(params, name)
    return [Choice(params, name) for name in dict.fromkeys(models)] or [
        Choice(params, best_model(params))
    ]


def known_model(params: Params, name: str) -> None:
    """Refuse a model that the experiment does not have.

    Raises:
        InputError: naming --model.
    """
    try:
        params.translators(name)
    except InputError as error:
        raise InputError(f"--model: {error}") from None
