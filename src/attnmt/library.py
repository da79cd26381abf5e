"""What ``import attnmt`` offers to other programs; docs/extending.md explains it."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, overload

from attnmt.config import SYSTEMS, Params, load_params
from attnmt.errors import InputError
from attnmt.packing.folder import read_packed
from attnmt.training.best_model import best_model

if TYPE_CHECKING:
    from attnmt.decoding.explanation import Explanation
    from attnmt.decoding.pipeline import Translation, TranslationPipeline

__all__ = ["Params", "Translator", "__version__", "load"]
try:
    __version__ = version("attnmt")
except PackageNotFoundError:  # the source alone is on the path
    __version__ = "unknown"
# The first load fills caches, such as Moses' lists, which two threads would spoil
_LOADING = Lock()


class Translator:
    """A model or an ensemble that is loaded, to translate plain text."""

    def __init__(self, translator: "TranslationPipeline", params: Params, name: str) -> None:
        """Take a loaded model of an experiment, the experiment's parameters, and the model's name."""
        self.translator, self.params, self.name = translator, params, name

    @overload
    def translate(self, text: str) -> "Translation": ...
    @overload
    def translate(self, text: list[str]) -> "list[Translation]": ...
    def translate(self, text: str | list[str]) -> "Translation | list[Translation]":
        """Return the best translation of one sentence, or that of each sentence of a list.

        Raises:
            InputError: if a sentence is not text, or cannot be cut into pieces.
        """
        if isinstance(text, str):
            return self.translate([text])[0]
        return [best for best, *_ in self.translator.translate(text)]

    def n_best(self, sentence: str, n: int) -> "list[Translation]":
        """Return the best translations of a sentence, at most ``n``, the best first.

        Raises:
            InputError: as :meth:`translate` does, or if the search cannot keep ``n`` translations.
        """
        options = self.translator.options.n_best(n)
        return self.translator.translate([sentence], options)[0]

    def explain(self, sentence: str, reference: str | None = None) -> "Explanation":
        """Explain how a sentence is translated, and how probable a reference is.

        Raises:
            InputError: as :func:`attnmt.decoding.explanation.explain` does.
        """
        from attnmt.decoding.explanation import explain

        return explain(self.translator, sentence, reference)


def load(place: Path | str, model: str | None = None, *, beam: int | None = None) -> Translator:
    """Load a model or an ensemble, to translate plain text.

    Args:
        place: a folder that ``attnmt pack`` wrote, or an experiment's ``params.yaml`` in a project where
            its models are trained.
        model: a model or an ensemble of that experiment; None takes the best model.
        beam: replaces the experiment's beam; None keeps it.

    Raises:
        InputError: if there is no such place or model, or a file of the model is missing or
            damaged.
    """
    from attnmt.decoding.pipeline import load_translator  # here: torch loads for seconds

    root = place = Path(place)
    if place.is_file():
        folders = place.resolve().parents
        root = next((folder for folder in folders if (folder / SYSTEMS).is_file()), folders[0])
        params = load_params(place, root)
        name = best_model(params, root) if model is None else model
    else:
        params, name = read_packed(place)
        if model not in (None, name):
            raise InputError(f"{place}: holds the model {name!r} and no {model!r}")
    with _LOADING:
        return Translator(load_translator(params, name, root, beam=beam), params, name)
