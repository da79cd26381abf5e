"""The server of a saved model: MLflow's, with strict requests and a page that explains a translation."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from attnmt.errors import InputError
from attnmt.reporting.explain_page import Form, make_explain_page
from attnmt.serving.service import (
    MOST_CHARACTERS,
    NO_TEXT,
    RequestParams,
    Service,
    refusal,
    validated,
)

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response
    from mlflow.pyfunc import PyFuncModel


class _CheckedModel:
    """A loaded model that checks a request before MLflow drops any part of it."""

    def __init__(self, model: "PyFuncModel") -> None:
        self._model = model
        self.metadata = model.metadata
        schema = model.metadata.get_params_schema()
        self._defaults = {spec.name: spec.default for spec in schema.params}

    def predict(self, data: Any, params: Any = None) -> Any:
        if isinstance(params, dict):  # MLflow itself refuses anything else
            validated(RequestParams, self._defaults | params)
        if getattr(data, "ndim", 1) > 1 and data.shape[1] > 1:
            raise refusal(f"{data.shape[1]} columns; send one, in which each line is a sentence")
        return self._model.predict(data, params=params)


def application(model: str) -> "FastAPI":
    """Return MLflow's server of a saved model, named by its URI or its folder.

    It refuses what MLflow would drop or turn into text, and has a page for people at ``/``.

    Raises:
        MlflowException: if there is no such model.
    """
    from mlflow.pyfunc import load_model, scoring_server

    loaded = load_model(model)
    checked: Any = _CheckedModel(loaded)
    app: FastAPI = scoring_server.init(checked)
    app.middleware("http")(_refuse_other_than_text)
    _add_page(app, loaded.get_raw_model())
    return app


def _add_page(app: "FastAPI", service: Service) -> None:
    """Answer ``GET /`` with a page: a field for a sentence, and the explanation of the one sent."""
    from fastapi.responses import HTMLResponse

    # FastAPI runs a function that is not async in a thread, so that the server answers others meanwhile.
    @app.get("/")
    def page(sentence: str = "") -> HTMLResponse:
        content, status = form_page(service, sentence)
        return HTMLResponse(content, status)


def form_page(service: Service, sentence: str) -> tuple[str, int]:
    """Return the page for a sentence, or only its field for "", and the status of the answer."""
    sentence, fault, shown = " ".join(sentence.split()), "", []
    try:
        shown = [service.explain(sentence)] if sentence else []
    except InputError as error:
        fault = str(error).removeprefix("sentence 0: ")
    form = Form(service.languages, sentence, fault, MOST_CHARACTERS)
    page = make_explain_page(service.params.experiment, sentence, None, shown, form)
    return page, 400 if fault else 200


async def _refuse_other_than_text(
    request: "Request", answer: Callable[["Request"], Awaitable["Response"]]
) -> "Response":
    """Refuse a list with a sentence that is not text; MLflow would translate the word "None"."""
    from fastapi.responses import JSONResponse

    try:
        body = json.loads(await request.body())
    except ValueError:
        body = None  # MLflow says what is wrong
    body = body if isinstance(body, dict) else {}
    for key in ("inputs", "instances"):
        sentences = body.get(key)
        for line, sentence in enumerate(sentences if isinstance(sentences, list) else ()):
            if not isinstance(sentence, str):
                told = refusal(f"sentence {line}: {NO_TEXT}")
                return JSONResponse(
                    json.loads(told.serialize_as_json()), told.get_http_status_code()
                )
    return await answer(request)
