"""A packed model as an MLflow model, which MLflow keeps and both servers serve.

Only data is logged: a packed folder. MLflow's description of the model names this module, which loads
the folder. So the server's environment needs this package, and nothing is unpickled.

``mlflow models serve`` gives the same answers as ``attnmt serve``. It also reads tables. But before the
model sees a request, MLflow drops a key that it does not know, and turns what is not text into text.
"""

import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.serving.packed import write_packed
from attnmt.serving.service import Service, load_service

EXAMPLE = ["Anna is reading the old letter."]
ANSWER = {
    "line": 0,
    "translation": "",
    "score": -0.5,
    "alignment": "",
    "source": [""],
    "target": [""],
}
PACKED = Path("data", "project")  # the packed folder in an MLflow model


class Answering:
    """What MLflow loads and asks."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def predict(self, data: Any, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Answer what MLflow's server is asked.

        Args:
            data: a table whose first column is text; MLflow makes one of a list of strings.
            params: those of a request.

        Raises:
            MlflowException: for what :meth:`Service.answer` refuses; the client gets it with status 400.
        """
        from mlflow import MlflowException

        try:
            return self._service.answer({"inputs": data.iloc[:, 0].tolist(), "params": params})
        except InputError as error:
            raise MlflowException.invalid_parameter_value(str(error)) from error


def _load_pyfunc(folder: str) -> Answering:
    """Load what :func:`save_mlflow_model` saved; MLflow calls this function by its name."""
    return Answering(load_service(Path(folder)))


def save_mlflow_model(params: Params, name: str, folder: Path, described: Any = None) -> None:
    """Save a model or an ensemble as an MLflow model in ``folder``, which must not exist.

    Args:
        described: the ``mlflow.models.Model`` that describes it; None makes a new one.

    Raises:
        InputError: if a file of the model is missing.
    """
    from mlflow import pyfunc
    from mlflow.models import infer_signature

    defaults = {"beam": params.decoding.beam, "n_best": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an answer always has a line, so that it may be an integer
        signature = infer_signature(EXAMPLE, [ANSWER], defaults)
    with TemporaryDirectory() as temporary:
        packed = Path(temporary, PACKED.name)
        write_packed(params, name, packed)
        pyfunc.save_model(
            folder,
            loader_module=__name__,
            data_path=packed,
            mlflow_model=described,
            signature=signature,
            input_example=(EXAMPLE, defaults),
            # Without this list MLflow would load the model in another process to find the requirements.
            pip_requirements=[f"attnmt=={version('attnmt')}"],
        )
