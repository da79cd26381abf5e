"""Which models a command works with: those of an experiment, or those of packed folders."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from attnmt.commands.messages import note
from attnmt.commands.options import complete_model
from attnmt.config import DEMO, Language, Params, load_params, params_file
from attnmt.decoding.needed_files import translator_files
from attnmt.errors import InputError
from attnmt.reporting.own_text import text_example
from attnmt.serving.packed import read_packed
from attnmt.training.best_model import best_model, ranked_models

if TYPE_CHECKING:
    from attnmt.decoding.text_translator import TextTranslator

READY_MADE = Path("weights", "multi30k")  # packed, in git
WEIGHTS_HELP = (
    "A folder that attnmt pack wrote, in place of an experiment's model. Until the demo's best model is "
    f"ready, the default is {READY_MADE}."
)
SIDE_BY_SIDE = "Give it several times to see several models side by side."
Weights = Annotated[Path | None, typer.Option("--weights", help=WEIGHTS_HELP)]

SeveralModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        autocompletion=complete_model,
        help="A model or an ensemble. The default is the one that attnmt translate takes. "
        f"{SIDE_BY_SIDE}",
    ),
]
SeveralWeights = Annotated[
    list[Path] | None, typer.Option("--weights", help=f"{WEIGHTS_HELP} {SIDE_BY_SIDE}")
]


class Choice(NamedTuple):
    """Models and ensembles, the parameters that describe them, and the folder that holds them."""

    params: Params
    names: list[str]
    root: Path
    is_packed: bool = False
    packed_example: str = ""  # a sentence of the text that a packed model learned from

    def load(
        self, name: str, beam: int | None = None, n_best: int | None = None, **rules: Any
    ) -> "TextTranslator":
        """Load one of them; what is None is the experiment's."""
        import torch  # here, because it takes seconds, and --help must be fast

        from attnmt.decoding.text_translator import load_translator

        torch.set_num_threads(self.params.machine.decode_threads)
        return load_translator(self.params, name, self.root, beam=beam, n_best=n_best, **rules)

    def languages(self, name: str) -> tuple[Language, Language]:
        """Return what one of them reads, and what it writes."""
        return self.params.languages.sides(self.params.direction(name))

    def example(self, name: str) -> str:
        """Return a sentence like those that one of them learned from, or "" if no text is here."""
        try:
            return self.packed_example or text_example(self.params, self.params.sides(name)[0])
        except InputError:
            return ""


def choose(experiment: str, model: str | Sequence[str] | None, weights: Path | None) -> Choice:
    """Return what a command line asks for, or else the experiment's best model.

    This is the rule of every command that works with trained models.

    Until the demo's best model has all that it translates with, the choice is the packed model of the
    project's folder, and a line on standard error says so.

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
        known_model(params, name)
    if models:
        return Choice(params, [*models], Path())
    if experiment == DEMO and READY_MADE.is_dir() and not _best_translates(params):
        choice = _packed(READY_MADE)
        note(
            f"{choice.names[0]} of {READY_MADE} is used, because the demo's best model is "
            f"not ready here; to train the demo's models: make demo"
        )
        return choice
    return Choice(params, [best_model(params)], Path())


def _best_translates(params: Params) -> bool:
    """Return whether the best model is here with all that it translates with."""
    best = ranked_models(params)
    try:
        return bool(best and translator_files(params, best[0]))
    except InputError:  # while `make demo` runs
        return False


def known_model(params: Params, name: str) -> None:
    """Refuse a model that the experiment does not have.

    Raises:
        InputError: naming --model.
    """
    try:
        params.translators(name)
    except InputError as error:
        raise InputError(f"--model: {error}") from None


def _packed(folder: Path) -> Choice:
    packed = read_packed(folder)
    return Choice(packed.params, [packed.model], packed.folder, True, packed.example)


def choose_several(
    experiment: str, models: Sequence[str], folders: Sequence[Path]
) -> list[tuple[Choice, str]]:
    """Return models that stand side by side, each with the choice that it belongs to.

    Raises:
        InputError: as :func:`choose` does, or if two of them do not have the same languages.
    """
    places: Sequence[Path | None] = folders or [None]
    choices = [choose(experiment, models, place) for place in dict.fromkeys(places)]
    chosen = [(choice, name) for choice in choices for name in dict.fromkeys(choice.names)]
    (first, its_title), *others = (
        (name, choice.params.languages.title(choice.params.direction(name)))
        for choice, name in chosen
    )
    for name, title in others:
        if title != its_title:
            raise InputError(
                f"{'--weights' if folders else '--model'}: {first} translates {its_title} and {name} "
                f"{title}; take models of one direction"
            )
    return chosen
