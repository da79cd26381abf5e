"""Which models a command works with: those of an experiment, or those of packed folders."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from attnmt.config import DEMO, Params, load_params, params_file
from attnmt.errors import InputError
from attnmt.packing.folder import read_packed
from attnmt.training.best_model import best_model

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import TranslationPipeline

PARAMS = "params.yaml"


def _plain(name: str) -> str:
    """Refuse a path, which could lead to another experiment's files."""
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise InputError(f"--experiment: {name!r} is not a name; give {DEMO} or a folder's name")
    return name


def _model(help: str) -> Any:
    return typer.Option("--model", "-m", help=help)


Experiment = Annotated[
    str,
    typer.Option(
        "--experiment",
        "-e",
        help=f"{DEMO}, or the name of a folder in experiments/.",
        callback=_plain,
    ),
]
BEST = (
    "A model or an ensemble. The default is the model with the lowest perplexity on the dev set of "
    "those that read the same units as the experiment's first system."
)
OneModel = Annotated[str | None, _model(BEST)]
SeveralModels = Annotated[list[str] | None, _model(f"{BEST} Several may be given.")]
WEIGHTS = "A folder that attnmt pack wrote, in place of an experiment's model."
Weights = Annotated[Path | None, typer.Option("--weights", help=WEIGHTS)]
SeveralWeights = Annotated[
    list[Path] | None, typer.Option("--weights", help=f"{WEIGHTS} Several may be given.")
]


class Choice(NamedTuple):
    """A model or an ensemble, the parameters that describe it, and the folder that holds it."""

    params: Params
    name: str
    root: Path = Path()

    def load(self, beam: int | None = None, n_best: int = 1) -> "TranslationPipeline":
        """Load it; ``beam`` is the experiment's if it is None."""
        import torch  # here, because it takes seconds, and --help must be fast

        from attnmt.decoding.pipeline import load_translator

        torch.set_num_threads(self.params.machine.decode_threads)
        return load_translator(self.params, self.name, self.root, beam=beam, n_best=n_best)


def choose(experiment: str, name: str | None, weights: Path | None) -> Choice:
    """Return the model that a command line asks for, or else the experiment's best one."""
    names = [] if name is None else [name]
    return choose_several(experiment, names, [] if weights is None else [weights])[0]


def choose_several(
    experiment: str, names: Sequence[str] | None, folders: Sequence[Path] | None
) -> list[Choice]:
    """Return the models that a command line asks for, each once, or else the experiment's best one.

    Raises:
        InputError: if there is no such experiment or model; if nothing is trained; if a packed folder is
            missing or has changed since it was packed; or if ``folders`` are given together with a model
            or an experiment.
    """
    if folders:
        if names or experiment != DEMO:
            raise InputError(
                f"--weights: {folders[0]} has a model of its own; leave out --model and --experiment"
            )
        return [Choice(*read_packed(folder), folder) for folder in dict.fromkeys(folders)]
    if experiment == DEMO and not Path(PARAMS).exists():
        raise InputError(
            f"{PARAMS}: no such file; run in the project's folder, or name packed weights, as in "
            f"--weights weights/demo"
        )
    params = load_params(params_file(experiment))
    for name in names or ():
        try:
            params.translators(name)
        except InputError as error:
            raise InputError(f"--model: {error}") from None
    return [Choice(params, name) for name in dict.fromkeys(names or [best_model(params)])]
