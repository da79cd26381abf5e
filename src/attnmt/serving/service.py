"""The best model of an experiment as an MLflow model: text in; translation, score and alignment out.

It is registered as ``attnmt-<experiment>`` and gets a new version when the best model changes. The first
command serves it, and the second one translates a sentence::

    attnmt serve
    curl 127.0.0.1:5001/invocations -H 'Content-Type: application/json' \\
        -d '{"inputs": ["Anna is reading the old letter."], "params": {"n_best": 3}}'

Only data is logged: the model's files in the project's layout. MLflow's description of the model names
this module, which loads them. So the server's environment needs this package, and nothing is unpickled.

``mlflow models serve`` serves the model, too, with the same answers. It also reads tables. But before
the model sees a request, MLflow drops a key that it does not know, and turns what is not text into text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from pydantic import BaseModel, FailFast, Field, PositiveInt, ValidationError

from attnmt.config import Decoding, Params, load_params
from attnmt.config.strict import Strict
from attnmt.corpora.links import format_links
from attnmt.decoding.needed_files import translator_files
from attnmt.errors import InputError
from attnmt.files.yaml_file import explained

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import Pipeline
    from attnmt.reporting.explain_facts import Shown

EXAMPLE = ["Anna is reading the old letter."]
# The limits of a request, so that no request occupies the server for minutes. A wider beam finds nothing
# better, and the cost of a translation grows with its length and the beam.
MOST_BEAM = 100
MOST_CHARACTERS = 1_000  # in a sentence
MOST_WORK = 200_000  # characters of all sentences, times the beam
MOST_FAULTS = 5  # that a refusal names

Model = TypeVar("Model", bound=BaseModel)


class Question(Strict):
    """A request to the server."""

    inputs: Annotated[list[str], FailFast()]  # the sentences, each of one line
    params: dict[str, Any] = Field(default_factory=dict)  # those of RequestParams


class RequestParams(Strict):
    """The parameters of a request."""

    beam: Annotated[PositiveInt, Field(le=MOST_BEAM)]
    n_best: PositiveInt  # the most translations of a sentence to return


class Service:
    """What MLflow serves: one model, or one ensemble."""

    def __init__(self, pipeline: "Pipeline", params: Params, name: str) -> None:
        """Take a loaded model of an experiment, and its name there."""
        self._pipeline = pipeline
        self.params, self.name = params, name

    def get_raw_model(self) -> Self:
        """Return this object; MLflow's wrapper hands it to the page."""
        return self

    @property
    def languages(self) -> tuple[str, str]:
        """The language that is read, and the one that is written."""
        translator = self._pipeline.translator
        return translator.source, translator.target

    def explain(self, sentence: str) -> "Shown":
        """Explain the translation of a sentence.

        Raises:
            InputError: if the sentence is too long, has several lines or no words, or cannot be read.
        """
        from attnmt.decoding.explanation import CANDIDATES, explain
        from attnmt.reporting.attention import label
        from attnmt.reporting.explain_facts import Shown

        _refuse_too_much([sentence], self._pipeline.translator.options.beam)
        candidates = min(CANDIDATES, self.params.decoding.candidates)
        explanation = explain(self._pipeline, sentence, candidates=candidates)
        return Shown(self.name, label(self.params, self.name), explanation)

    def predict(self, data: Any, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Answer what MLflow's server is asked.

        Args:
            data: a table whose first column is text; MLflow makes one of a list of strings.
            params: as :meth:`answer` takes them.

        Raises:
            MlflowException: for what :meth:`answer` refuses; the client gets it with status 400.
        """
        from mlflow import MlflowException

        try:
            return self.answer(data.iloc[:, 0].tolist(), params)
        except InputError as error:
            raise MlflowException.invalid_parameter_value(str(error)) from error

    def answer(self, sentences: Sequence[Any], params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Translate sentences.

        Args:
            params: ``beam``, and ``n_best``, the most translations of a sentence to return. The first is
                the experiment's if it is not given, and the second is 1.

        Returns:
            The translations, sentence by sentence, the best first. Each has ``line``, the number of
            its sentence from 0; ``translation``, plain text; ``score``, log p; ``alignment``, Pharaoh
            links, source-target, between the words in ``source`` and ``target``.

        Raises:
            InputError: if a parameter or a sentence is not valid, or the request is too large.
        """
        request = validated(RequestParams, _defaults(self.params) | dict(params), "params.")
        # The experiment's limit of n_best holds here, too.
        decoding = self.params.decoding.model_dump() | request.model_dump()
        validated(Decoding, decoding, "params.")
        _refuse_too_much(sentences, request.beam)
        options = replace(self._pipeline.translator.options, beam=request.beam, best=request.n_best)
        return [
            {
                "line": line,
                "translation": best.text,
                "score": best.score,
                "alignment": format_links(best.links),
                "source": best.source,
                "target": best.replaced,
            }
            for line, translations in enumerate(self._pipeline.translate(sentences, options))
            for best in translations
        ]


def _defaults(params: Params) -> dict[str, int]:
    """Return the parameters of a request that gives none."""
    return {"beam": params.decoding.beam, "n_best": 1}


def validated(model: type[Model], values: Any, before: str = "") -> Model:
    """Return what a request holds as ``model`` describes it; ``before`` stands before a faulty key.

    Raises:
        InputError: if it has other keys, or a value is not valid.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = [explained(details, model) for details in error.errors()[:MOST_FAULTS]]
        lines = [
            f"{before}{'.'.join(map(str, key)) or 'the request'}: {message}"
            for key, message in faults
        ]
        raise InputError("; ".join(lines)) from None


def lines_in(text: str) -> list[str]:
    """Return the lines of a text that are not blank, whatever character ends a line."""
    return [line for line in text.splitlines() if line.strip()]


def refuse_lines(text: str, what: str) -> None:
    """Refuse several lines where one sentence is asked for; ``what`` names the text.

    Raises:
        InputError: if more than one line of the text is not blank.
    """
    if (count := len(lines_in(text))) > 1:
        raise InputError(f"{what}: it has {count} lines; give each line as a sentence of its own")


def _refuse_too_much(sentences: Sequence[Any], beam: int) -> None:
    """Refuse what is no text, has several lines, or is more than a request may have."""
    for line, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise InputError(f"sentence {line}: it is missing or is not text")
        if len(sentence) > MOST_CHARACTERS:
            raise InputError(
                f"sentence {line}: it has {len(sentence)} characters, and at most {MOST_CHARACTERS} "
                f"are translated; divide it"
            )
        refuse_lines(sentence, f"sentence {line}")
    characters = sum(map(len, sentences))
    if characters * beam > MOST_WORK:
        raise InputError(
            f"{len(sentences)} sentences: they have {characters} characters, and with a beam of "
            f"{beam} a request may have {MOST_WORK // beam}; send several requests"
        )


def load_service(params: Params, name: str, root: Path) -> Service:
    """Load a model or an ensemble; ``root`` is the project's folder, or a packed one.

    Raises:
        InputError: as :func:`attnmt.decoding.pipeline.load_pipeline` does.
    """
    import torch  # here, because it takes seconds and logging a model does not need it

    from attnmt.decoding.pipeline import load_pipeline

    torch.set_num_threads(params.machine.decode_threads)
    return Service(load_pipeline(params, name, root), params, name)


def _load_pyfunc(folder: str, served: Mapping[str, str]) -> Service:
    """Load what :func:`save_translator` saved; MLflow calls this function by its name."""
    root = Path(folder)
    return load_service(load_params(root / served["params_file"], root), served["model"], root)


def save_translator(
    params: Params, name: str, folder: Path, described: Any = None, root: Path = Path()
) -> None:
    """Save a model or an ensemble as an MLflow model in ``folder``, which must not exist.

    Args:
        described: the ``mlflow.models.Model`` that describes it; None makes a new one.
        root: the project's folder, or a packed folder.

    Raises:
        InputError: if a file of the model is missing.
    """
    from mlflow import pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    outputs: dict[str, DataType | Array] = {
        "line": DataType.long,
        "translation": DataType.string,
        "score": DataType.double,
        "alignment": DataType.string,
        "source": Array(DataType.string),
        "target": Array(DataType.string),
    }
    signature = ModelSignature(
        # The column has no name, so that a list of strings is accepted and a column may have any name.
        Schema([ColSpec(DataType.string)]),
        Schema([ColSpec(kind, key) for key, kind in outputs.items()]),
        ParamSchema(
            [ParamSpec(key, DataType.long, value) for key, value in _defaults(params).items()]
        ),
    )
    with TemporaryDirectory() as temporary:
        project = Path(temporary, "project")
        for file in translator_files(params, name, root):
            link = project / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to((root / file).resolve())  # MLflow copies the file behind it
        pyfunc.save_model(
            folder,
            loader_module=__name__,
            data_path=project,
            model_config={"params_file": params.params_file, "model": name},
            mlflow_model=described,
            signature=signature,
            input_example=(EXAMPLE, _defaults(params)),
            # Without this list MLflow would load the model in another process to find the requirements.
            pip_requirements=[f"attnmt=={version('attnmt')}"],
        )
