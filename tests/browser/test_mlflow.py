"""The runs in ``mlflow ui`` as ``make ui`` starts it, in a browser."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
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


@pytest.fixture
def runs_page(tmp_path, monkeypatch) -> Iterator[str]:
    """Fill a store as the stages do; serve it; return the address that ``attnmt track`` prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    client = store.connect()
    client.create_experiment("another")  # ours is not MLflow's first
    for name in TRAININGS:
        inputs.write_training(name, fingerprint=name)
    import_missing(load_params(ROOT / "params.yaml", ROOT))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "ui", "--workers", "1", "--port", str(port)]
    command += ["--host", "127.0.0.1", "--backend-store-uri", "sqlite:///mlflow.db"]
    inherited = {key: text for key, text in os.environ.items() if not key.startswith("MLFLOW_")}
    environment = inherited | AS_IN_MAKEFILE | {"TMPDIR": str(tmp_path)}
    log = tmp_path / "log"
    with log.open("w") as out:
        server = subprocess.Popen(  # in a group of its own: the server is its child
            command, env=environment, stdout=out, stderr=out, start_new_session=True
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address, server, log)
        runs = store.runs_address(client, "demo")
        yield runs.replace(f"http://127.0.0.1:{store.UI_PORT}", address)
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


def test_a_training_of_the_table_shows_its_scores_and_its_curve(browser, runs_page):
    """All requests go to that server."""
    requested: list[str] = []
    playwright.expect.set_options(timeout=PATIENCE * 1000)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(PATIENCE * 1000)
    page.on("request", lambda request: requested.append(request.url))
    page.goto(runs_page)
    runs = page.locator("[role=row] a[href*='/runs/']")
    playwright.expect(runs).to_have_count(len(TRAININGS))
    assert set(runs.all_inner_texts()) == {*TRAININGS}
    page.get_by_role("link", name="base", exact=True).click()
    score = page.get_by_role("row").filter(has_text="bleu_unk")
    playwright.expect(score).to_contain_text("20.5")
    page.get_by_role("tab", name="Model metrics").click()
    page.get_by_placeholder("Search metric charts").fill("train_cost")
    playwright.expect(page.locator(".js-plotly-plot path.js-line").first).to_be_visible()
    page.close()
    servers = {
        urlsplit(url.removeprefix("blob:")).netloc for url in requested if url[:5] != "data:"
    }
    assert servers == {urlsplit(runs_page).netloc}
