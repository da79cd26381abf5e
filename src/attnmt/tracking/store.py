"""MLflow's store and the experiments in it. Every function may raise an error.

The store is ``sqlite:///mlflow.db`` unless MLFLOW_TRACKING_URI names another. Jobs on other machines
leave that file alone, because SQLite cannot have several writers on a network file system.
"""

import json
import logging
import os
import sqlite3
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from filelock import FileLock

from attnmt.errors import InputError

DEFAULT_URI = "sqlite:///mlflow.db"
ELSEWHERE = "ATTNMT_ELSEWHERE"  # set by the Snakefile in a job on another machine
LOCK = "mlflow.db.lock"  # processes that open a new database at once crash in its migration
LOCK_SECONDS = 60.0
UI_PORT = 5000  # of this machine, where `mlflow ui` serves the default store unless told otherwise
# A view of an experiment's runs with the scores among the columns, kept in a tag of the experiment. Only
# an address that names the view opens it. MLflow 3.17 opens every experiment as one of language-model
# apps, whatever its tags say, unless the address or a person's own choice in the browser names the type.
SCORES = ("bleu", "bleu_unk", "aer", "dev_perplexity")
VIEW_NAME = "scores"
VIEW_TAG = f"mlflow.sharedViewState.{VIEW_NAME}"
COLUMNS = [*(f"metrics.`{name}`" for name in SCORES), "tags.`system`"]

# MLflow sends no telemetry and logs little. A server that does not answer may cost a training seconds,
# not MLflow's default of many minutes.
ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "5",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}


logger = logging.getLogger(__name__)


def store_uri() -> str:
    """Return where MLflow keeps the runs."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def connect() -> Any:
    """Return a client of the store; make its database if there is none.

    Several processes may call it at once. MLflow takes seconds to import, so it is not imported above,
    nor while others wait for the lock.

    Raises:
        InputError: if the store is the default one and this is a job on another machine, or if the
            database cannot be used.
    """
    if ELSEWHERE in os.environ and store_uri() == DEFAULT_URI:
        raise InputError(
            "several machines cannot share mlflow.db; name a server in MLFLOW_TRACKING_URI"
        )
    for name, value in ENVIRONMENT.items():  # which MLflow reads when it is imported
        os.environ.setdefault(name, value)
    from mlflow import MlflowClient

    if is_server():
        lock: AbstractContextManager[Any] = nullcontext()
    else:
        import mlflow.store.tracking.sqlalchemy_store  # noqa: F401  the client would import it

        lock = FileLock(LOCK, timeout=LOCK_SECONDS)
    with lock:
        _check_database()
        client = MlflowClient(store_uri())
        client.search_experiments(max_results=1)
    return client


def is_server() -> bool:
    """Return whether the store is a server, which shows the runs itself."""
    return urlparse(store_uri()).scheme.startswith("http")


def _check_database() -> None:
    """Refuse a file that SQLite cannot write to; MLflow would try for minutes."""
    uri = urlparse(store_uri())
    if uri.scheme != "sqlite" or not uri.path[1:]:
        return
    file = Path(uri.path[1:])
    try:
        if file.exists() and not file.is_file():
            raise sqlite3.OperationalError("not a file")
        with closing(sqlite3.connect(file, timeout=LOCK_SECONDS)) as database:
            database.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        raise InputError(
            f"{file}: SQLite cannot write to it ({error}); move it away and run `attnmt track`, which "
            "fills a new one from the files"
        ) from None


def find_experiment(client: Any, experiment: str) -> Any:
    """Return an experiment as MLflow has it, or None. One that was deleted there is restored.

    Raises:
        InputError: if the artifacts of this folder's store lie outside the folder.
    """
    known = client.get_experiment_by_name(experiment)
    if known is None:
        return None
    # MLflow keeps absolute paths, even when a folder is copied. In a path # and ? are letters.
    place = known.artifact_location.removeprefix("file://")
    outside = "://" not in place and not Path(place).is_relative_to(Path.cwd())
    if outside and store_uri() == DEFAULT_URI:
        raise InputError(
            f"mlflow.db: its artifacts lie in {place}, but this folder is {Path.cwd()}. It was "
            "copied or moved; delete mlflow.db and run `attnmt track`, which fills a new one from the "
            "files"
        )
    if known.lifecycle_stage == "deleted":
        # Its name stays taken, so that no other experiment can be created.
        client.restore_experiment(known.experiment_id)
        logger.warning("%s had been deleted in MLflow; it is restored with its runs", experiment)
    return known


def experiment_id(client: Any, experiment: str) -> str:
    """Return an experiment's id in MLflow; create the experiment if MLflow lacks it."""
    known = find_experiment(client, experiment)
    if known is not None:
        return str(known.experiment_id)
    view = json.dumps({"selectedColumns": COLUMNS})
    return str(client.create_experiment(experiment, tags={VIEW_TAG: view}))


def runs_address(client: Any, experiment: str, port: int = UI_PORT) -> str | None:
    """Return the address of the table of an experiment's runs with their scores; None without a run.

    Args:
        port: where `mlflow ui` serves a store that is no server itself.
    """
    known = find_experiment(client, experiment)
    if known is None:
        return None
    server = store_uri().rstrip("/") if is_server() else f"http://127.0.0.1:{port}"
    page = f"{server}/#/experiments/{known.experiment_id}/runs"
    return f"{page}?workflowType=machine_learning&viewStateShareKey={VIEW_NAME}"
