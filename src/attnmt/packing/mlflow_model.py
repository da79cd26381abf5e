"""A packed folder as MLflow loads it: ``mlflow models serve -m weights/demo --env-manager local``.

``MLmodel`` of the folder names this module as the loader of MLflow's flavor ``python_function``.
"""

import torch
from pandas import DataFrame

from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.errors import InputError
from attnmt.packing.folder import read_packed


class PackedModel:
    """A model or an ensemble that answers MLflow."""

    def __init__(self, translator: TranslationPipeline) -> None:
        self._translator = translator

    def predict(self, sentences: DataFrame) -> list[str]:
        """Return the plain translation of each sentence of the first column.

        Raises:
            MlflowException: if a sentence is not valid; a server answers with status 400.
        """
        from mlflow.exceptions import MlflowException  # here, because only MLflow calls this

        try:
            lines = sentences.iloc[:, 0].tolist()
            return [best.text for best, *_ in self._translator.translate(lines)]
        except InputError as error:
            raise MlflowException.invalid_parameter_value(str(error)) from None


def _load_pyfunc(folder: str) -> PackedModel:
    """Load a packed folder; MLflow calls this."""
    params, name = read_packed(folder)
    torch.set_num_threads(params.machine.decode_threads)
    return PackedModel(load_translator(params, name, folder))
