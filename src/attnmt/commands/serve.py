"""``attnmt serve``."""

from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.serving.service import application
from attnmt.tracking.store import connect, quieten, store_uri


def serve(
    experiment: Experiment = DEMO,
    model: Annotated[
        str | None,
        typer.Option(
            help="A model's URI or folder, as MLflow knows it. The default is the experiment's latest "
            "best model."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 5001,
) -> None:
    """Serve the best model of an experiment, which its report has registered in MLflow, until Ctrl-C.

    A request has text; the answer has translations, scores and alignments. Example of a request:

    curl 127.0.0.1:5001/invocations -H 'Content-Type: application/json'
    -d '{"inputs": ["Anna is reading the old letter."], "params": {"n_best": 3, "beam": 10}}'
    """
    quieten()
    try:
        import mlflow  # imported here, because it takes seconds, and --help must be fast
        import uvicorn
    except ModuleNotFoundError as error:
        raise InputError(
            f"attnmt serve needs MLflow, and {error.name} is not installed; in the project's folder: "
            f"pip install -e '.[workflow]'"
        ) from None
    name = model or f"models:/attnmt-{experiment}/latest"
    try:
        if not Path(name).is_dir():
            connect()
        mlflow.set_tracking_uri(store_uri())
        app = application(name)
    except (mlflow.MlflowException, OSError) as error:
        raise InputError(
            f"{name}: cannot be served ({error}); run the report stage first, which registers the model"
        ) from error
    uvicorn.run(app, host=host, port=port)
