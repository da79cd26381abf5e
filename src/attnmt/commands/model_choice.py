"""Which models a command works with: those of an experiment, or the one of a packed folder."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from attnmt.config import DEMO, Params, load_params, params_file
from attnmt.errors import InputError
from attnmt.serving.packed import read_packed
from attnmt.training.best_model import best_model, ranked_models

if TYPE_CHECKING:
    from attnmt.decoding.text_translator import TextTranslator

READY_MADE = Path("weights", "multi30k")  # packed, in git
Weights = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        help="A folder that attnmt pack wrote, in place of an experiment's model. Where the demo has no "
        f"trained model, the default is {READY_MADE}.",
    ),
]


class Choice(NamedTuple):
    """Models and ensembles, the parameters that describe them, and the folder that holds them."""

    params: Params
    names: list[str]
    root: Path

    def load(
        self, name: str, beam: int | None = None, n_best: int | None = None, **rules: Any
    ) -> "TextTranslator":
        """Load one of them; what is None is the experiment's."""
        import torch  # here, because it takes seconds, and --help must be fast

        from attnmt.decoding.text_translator import load_translator

        torch.set_num_threads(self.params.machine.decode_threads)
        return load_translator(self.params, name, self.root, beam=beam, n_best=n_best, **rules)


def choose(experiment: str, model: str | Sequence[str] | None, weights: Path | None) -> Choice:
    """Return what a command line asks for, or else the experiment's best model.

    This is the rule of every command that works with trained models.

    If the demo has no trained model, the choice is the packed model of the project's folder, and a line
    on standard error says so.

    Raises:
        InputError: if there is no such experiment or model; if nothing is trained; if the packed
            folder is missing or has changed since it was packed; or if ``weights`` is given together
            with a model or an experiment.
    """
    models = [model] if isinstance(model, str) else model or []
    if weights is not None:
        if models or experiment != DEMO:
            raise InputError(
                f"--weights: {weights} has a model of its own; leave out --model and --experiment"
            )
        return _packed(weights)
    params = load_params(params_file(experiment))
    for name in models:
        params.translators(name)
    if models:
        return Choice(params, [*models], Path())
    if experiment == DEMO and READY_MADE.is_dir() and not ranked_models(params):
        choice = _packed(READY_MADE)
        print(
            f"note: {choice.names[0]} of {READY_MADE} is used, because no model is trained here; "
            f"to train the demo's models: make demo",
            file=sys.stderr,
        )
        return choice
    return Choice(params, [best_model(params)], Path())


def _packed(folder: Path) -> Choice:
    packed = read_packed(folder)
    return Choice(packed.params, [packed.model], packed.folder)
