"""The runs in ``mlflow ui`` as ``make ui`` starts it, in a browser.

Each request must go to that server.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import tracking_inputs as inputs
from small_experiment import ROOT

from attnmt.config import load_params
from attnmt.tracking import store
from attnmt.tracking.importing import import_missing

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install -e .[dev]"
)

PATIENCE = 120.0  # seconds; the server takes about five to start, and many more on a busy machine
TRAININGS = ["base", "base_reverse"]
AS_IN_MAKEFILE = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}


def fill_store() -> str:
    """Fill the working folder's store as the stages do; return the address that `attnmt track` prints.

    The experiment is not MLflow's first.
    """
    client = store.connect()
    client.create_experiment("another")
    for name in TRAININGS:
        inputs.write_training(name, fingerprint=name)
    import_missing(load_params(ROOT / "params.yaml", ROOT))
    return store.runs_address(client, "demo")


@contextmanager
def running_ui(folder: Path) -> Iterator[str]:
    """Run ``mlflow ui`` in a folder; yield its address once it serves the page."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "ui", "--workers", "1", "--port", str(port)]
    inherited = {key: text for key, text in os.environ.items() if not key.startswith("MLFLOW_")}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--backend-store-uri", "sqlite:///mlflow.db"],
            cwd=folder,
            env=inherited | AS_IN_MAKEFILE | {"TMPDIR": str(folder)},
            stdout=log,
            stderr=log,
            start_new_session=True,  # a group of its own: the server is its child
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/", server, folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def wait_for(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Return when a server serves a page; fail with its log if it ends or takes too long."""
    until = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"mlflow ui does not answer\n{log.read_text()}")


@pytest.fixture(scope="module")
def runs_page(tmp_path_factory) -> Iterator[str]:
    """Return the address of the table of a made experiment's runs."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder}/mlflow.db")
        printed = fill_store()
    with running_ui(folder) as address:
        yield printed.replace(f"http://127.0.0.1:{store.UI_PORT}", address)


@pytest.fixture
def page(browser, runs_page) -> Iterator[Any]:
    """Return the list of runs in a browser; at the end check the requests."""
    requested: list[str] = []
    playwright.expect.set_options(timeout=PATIENCE * 1000)
    opened = browser.new_page(viewport={"width": 1280, "height": 800})
    opened.set_default_timeout(PATIENCE * 1000)
    opened.on("request", lambda request: requested.append(request.url))
    opened.goto(runs_page)
    yield opened
    opened.close()
    servers = {
        urlsplit(url.removeprefix("blob:")).netloc for url in requested if url[:5] != "data:"
    }
    assert servers == {urlsplit(runs_page).netloc}


def test_a_training_of_the_table_shows_its_scores_and_its_curve(page):
    runs = page.locator("[role=row] a[href*='/runs/']")
    playwright.expect(runs).to_have_count(len(TRAININGS))
    assert set(runs.all_inner_texts()) == {*TRAININGS}
    page.get_by_role("link", name="base", exact=True).click()
    score = page.get_by_role("row").filter(has_text="bleu_unk")
    playwright.expect(score).to_contain_text("20.5")
    page.get_by_role("tab", name="Model metrics").click()
    page.get_by_placeholder("Search metric charts").fill("train_cost")
    playwright.expect(page.locator(".js-plotly-plot path.js-line").first).to_be_visible()
