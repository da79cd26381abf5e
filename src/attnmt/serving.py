"""The best model of a profile as an MLflow model: text in; translation, score and alignment out.

It is registered as ``attnmt-<profile>``, a version each time that the best model changes::

    mlflow models serve -m models:/attnmt-demo/latest --env-manager local --host 127.0.0.1 -p 5001
    curl 127.0.0.1:5001/invocations -H 'Content-Type: application/json' \\
        -d '{"inputs": ["The boss found cheap cameras."], "params": {"n_best": 3}}'

What is logged is data alone, the model's files in the project's layout; this module, by its name in
MLflow's description of the model, loads them. So the served environment needs this package, and
nothing is unpickled.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from attnmt.config import Params, load_params
from attnmt.data.links import format_links
from attnmt.errors import InputError
from attnmt.layout import Layout

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import Pipeline

EXAMPLE = ["The boss found cheap cameras."]


class Service:
    """What MLflow serves: one model, or one ensemble."""

    def __init__(self, load: "Callable[..., Pipeline]") -> None:
        """Take what loads the model, given ``beam`` and ``n_best``; what was loaded last is kept."""
        self._load = lru_cache(maxsize=1)(load)

    def predict(self, data: Any, params: Mapping[str, int]) -> list[dict[str, Any]]:
        """Translate sentences.

        Args:
            data: a table whose first column is text; MLflow makes one of a list of strings.
            params: ``beam``, and ``n_best``, the most translations of a sentence to return.

        Returns:
            The translations, sentence by sentence, the best first. Of each: ``line``, its sentence,
            counted from 0; ``translation``, plain text; ``score``, log p; ``alignment``, Pharaoh
            links, source-target, of the words in ``source`` and ``target``.

        Raises:
            MlflowException: if a parameter is below 1; its message reaches the client.
        """
        from mlflow.exceptions import MlflowException

        if min(params.values()) < 1:
            raise MlflowException.invalid_parameter_value(f"{params}: each must be 1 or more")
        pipeline = self._load(beam=params["beam"], n_best=params["n_best"])
        found = pipeline.translate(data.iloc[:, 0].tolist())
        return [
            {
                "line": line,
                "translation": best.text,
                "score": best.score,
                "alignment": format_links(best.links),
                "source": best.source,
                "target": best.replaced,
            }
            for line, translations in enumerate(found)
            for best in translations
        ]


def _load_pyfunc(folder: str, served: Mapping[str, str]) -> Service:
    """Load what :func:`save_translator` saved; MLflow calls it by this name."""
    import torch  # here, because it takes seconds and logging a model does not need it

    from attnmt.decoding.pipeline import load_pipeline

    root = Path(folder)
    params = load_params(root / served["params_file"], root)
    torch.set_num_threads(params.machine.decode_threads)
    return Service(partial(load_pipeline, params, served["model"], root))


def translator_files(params: Params, name: str) -> list[Path]:
    """Return the files, relative to the project's folder, that a model or an ensemble translates by.

    Raises:
        InputError: if one of them is missing.
    """
    layout, models = Layout(params.profile), params.translators(name)
    encoded = layout.encoded(models.family)
    files = [encoded / file for file in ("summary.json", "vocab.en", "vocab.de")]
    if params.families[models.family].encoding.pieces:
        files.append(encoded / "codes")
    direction = params.model(models.members[0]).direction
    files += [Path(params.params_file), layout.lexicon / f"{direction}.tsv"]
    files += [layout.model(member) / "weights.safetensors" for member in models.members]
    for file in files:
        if not file.is_file():
            raise InputError(f"{file}: no such file; run the stage that makes it first")
    return files


def save_translator(params: Params, name: str, folder: Path, described: Any = None) -> None:
    """Save a model or an ensemble as an MLflow model in ``folder``, which must not exist.

    Args:
        params: of the profile, in whose project's folder the process runs.
        name: of the model or the ensemble.
        folder: to write to.
        described: the ``mlflow.models.Model`` to describe it in; None is a new one.

    Raises:
        InputError: if a file of the model is missing.
    """
    from mlflow import pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    defaults = {"beam": params.decoding.beam, "n_best": 1}
    outputs: dict[str, DataType | Array] = {
        "line": DataType.long,
        "translation": DataType.string,
        "score": DataType.double,
        "alignment": DataType.string,
        "source": Array(DataType.string),
        "target": Array(DataType.string),
    }
    signature = ModelSignature(
        # Without a name, so that a list of strings will do and a column may be called anything.
        Schema([ColSpec(DataType.string)]),
        Schema([ColSpec(kind, key) for key, kind in outputs.items()]),
        ParamSchema([ParamSpec(key, DataType.long, value) for key, value in defaults.items()]),
    )
    with TemporaryDirectory() as temporary:
        project = Path(temporary, "project")
        for file in translator_files(params, name):
            link = project / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.resolve())  # MLflow copies what it leads to
        pyfunc.save_model(
            folder,
            loader_module=__name__,
            data_path=project,
            model_config={"params_file": params.params_file, "model": name},
            mlflow_model=described,
            signature=signature,
            input_example=(EXAMPLE, defaults),
            # Given, because to find them out MLflow would load the model in a process of its own.
            pip_requirements=[f"attnmt=={version('attnmt')}"],
        )
