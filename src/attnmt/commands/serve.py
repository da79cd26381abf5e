"""``attnmt serve``."""

import socket
from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.model_choice import refuse_others
from attnmt.commands.options import Experiment, of_the_extra
from attnmt.config import DEMO, params_file
from attnmt.errors import InputError
from attnmt.serving.packed import read_packed
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
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights", help="A folder that attnmt pack wrote. MLflow does not need to know it."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 5001,
) -> None:
    """Serve the best model of an experiment until Ctrl-C.

    The report stage has registered it in MLflow. With --weights, the model of a packed folder is served.

    In a browser, the address shows a page: it explains the translation of a sentence that you type.
    A program sends text to the address, and gets translations, scores and links.

    Examples:

    attnmt serve --experiment multi30k --port 8080

    attnmt serve --weights weights/demo

    curl 127.0.0.1:5001/invocations -H 'Content-Type: application/json'
    -d '{"inputs": ["Anna is reading the old letter."], "params": {"n_best": 3, "beam": 10}}'
    """
    if weights is not None:
        read_packed(refuse_others(weights, experiment, model is not None))
    elif model is None:
        params_file(experiment)  # refuses an unknown experiment
    # The port comes first, because the model takes seconds to load.
    listening = _bound(host, port)
    with of_the_extra("attnmt serve needs MLflow"):
        quieten()
        import uvicorn  # imported here, because these take seconds, and --help must be fast

        from attnmt.serving.application import application
        from attnmt.serving.service import load_service

        folder = weights or _fetched(model or f"models:/attnmt-{experiment}/latest")
    uvicorn.Server(uvicorn.Config(application(load_service(folder)))).run(sockets=[listening])


def _fetched(name: str) -> Path:
    """Return the packed folder of a model, which may be a folder or a URI that MLflow knows."""
    import mlflow

    from attnmt.serving.mlflow_model import PACKED

    try:
        if not Path(name).is_dir():
            connect()
        mlflow.set_tracking_uri(store_uri())
        folder = Path(mlflow.artifacts.download_artifacts(name), PACKED)
    except (mlflow.MlflowException, OSError) as error:
        raise InputError(
            f"{name}: cannot be served ({error}); run the report stage first, which registers the model"
        ) from error
    if not folder.is_dir():
        raise InputError(
            f"{name}: is no packed model; attnmt track registers that of an experiment, and mlflow "
            f"models serve serves others"
        )
    return folder


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address. Nobody can connect to it yet."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, UnicodeError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise InputError(
            f"port {port} of {host}: {why}; choose another with --port, or another --host"
        ) from None
    return listening
