"""MLflow's store and the experiments in it. Every function may raise an error.

The store is ``sqlite:///mlflow.db`` unless MLFLOW_TRACKING_URI names another. Jobs on other machines
leave that file alone, because SQLite cannot have several writers on a network file system.
"""

import os
import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import urlparse

from filelock import FileLock

from attnmt.errors import MORE_SPACE, InputError, lacks_space

DEFAULT_URI = "sqlite:///mlflow.db"
ELSEWHERE = "ATTNMT_ELSEWHERE"  # set by the Snakefile in a job on another machine
# Processes that open a new database at once crash in its migration.
LOCK = FileLock("mlflow.db.lock", timeout=120)
UI_PORT = 5000  # of this machine, where `mlflow ui` serves the default store unless told otherwise

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


def store_uri() -> str:
    """Return where MLflow keeps the runs."""
    return os.environ.get("MLFLOW_TRACKING_URI") or DEFAULT_URI


def connect() -> Any:
    """Return a client of the store; make its database if there is none.

    MLflow takes seconds to import, so it is not imported above, nor while others wait for the lock.

    Raises:
        InputError: if the store is the default one and this is a job on another machine, or if its file
            cannot be written.
    """
    if ELSEWHERE in os.environ and store_uri() == DEFAULT_URI:
        raise InputError(
            "several machines cannot share mlflow.db; name a server in MLFLOW_TRACKING_URI"
        )
    for name, value in ENVIRONMENT.items():  # which MLflow reads when it is imported
        os.environ.setdefault(name, value)
    import mlflow.store.tracking.sqlalchemy_store  # noqa: F401  the client would import it
    from mlflow import MlflowClient

    with LOCK:
        uri = urlparse(store_uri())
        try:  # MLflow would try for minutes
            if uri.scheme == "sqlite":
                with closing(sqlite3.connect(uri.path[1:])) as database:
                    database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            cure = "move it away; attnmt track fills a new one"
            if lacks_space(error):
                cure = MORE_SPACE
            why = f"{uri.path[1:]}: SQLite cannot write to it ({error})"
            raise InputError(f"{why}; {cure}") from None
        client = MlflowClient(store_uri())
        client.search_experiments(max_results=1)
    return client


def experiment_id(client: Any, experiment: str) -> str:
    """Return an experiment's id in MLflow; create the experiment if MLflow lacks it."""
    known = client.get_experiment_by_name(experiment)
    return str(known.experiment_id if known else client.create_experiment(experiment))


def runs_address(client: Any, experiment: str, port: int = UI_PORT) -> str:
    """Return the address of an experiment's runs; ``port`` is where `mlflow ui` serves them here."""
    is_server = store_uri().startswith("http")  # which shows the runs itself
    server = store_uri().rstrip("/") if is_server else f"http://127.0.0.1:{port}"
    # Without the type, MLflow 3.17 opens every experiment as one of language-model apps.
    place = f"{experiment_id(client, experiment)}/runs?workflowType=machine_learning"
    return f"{server}/#/experiments/{place}"
