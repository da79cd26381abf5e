"""The best model as MLflow serves it: what it answers is what the pipeline translates."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_profile import make_profile

from attnmt.config import Params
from attnmt.data.links import format_links
from attnmt.decoding.pipeline import load_pipeline
from attnmt.errors import InputError
from attnmt.serving import save_translator, translator_files

mlflow = pytest.importorskip("mlflow", reason="mlflow, of the extra 'workflow', is not installed")

BEST = "local_p_1"
LINES = ["The old garden is newer than Smith's house.", "", 'B-side gardens & "houses"']


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """Return the parameters of a small project, in whose folder the test runs."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return make_profile(Path())


def expected(params: Params, name: str, **options: int) -> list[dict[str, Any]]:
    """Return what the pipeline says of LINES, in the form of an answer."""
    found = load_pipeline(params, name, **options).translate(LINES)
    return [
        {
            "line": line,
            "translation": one.text,
            "score": one.score,
            "alignment": format_links(one.links),
            "source": one.source,
            "target": one.replaced,
        }
        for line, translations in enumerate(found)
        for one in translations
    ]


@pytest.mark.parametrize("name", [BEST, "plain", "subwords", "gru", "german", "ensemble"])
def test_a_saved_model_says_what_the_pipeline_says_without_the_project(
    params: Params, name: str, tmp_path: Path
) -> None:
    here, best_of_three = expected(params, name), expected(params, name, beam=4, n_best=3)
    save_translator(params, name, tmp_path / "saved")
    shutil.rmtree(tmp_path / "project")
    os.chdir(tmp_path)
    model = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    assert model.predict(LINES) == here
    assert model.predict(pd.DataFrame({"text": LINES})) == here
    assert len(best_of_three) > len(here)
    assert model.predict(LINES, params={"beam": 4, "n_best": 3}) == best_of_three
    assert model.predict(LINES) == here


def test_what_is_saved_is_the_model_s_files_and_no_pickle(params: Params, tmp_path: Path) -> None:
    save_translator(params, BEST, tmp_path / "saved")
    data = tmp_path / "saved/data/project"
    files = {file.relative_to(data) for file in data.rglob("*") if file.is_file()}
    assert files == set(translator_files(params, BEST))
    assert not any(file.is_symlink() for file in data.rglob("*"))
    others = {file.name for file in (tmp_path / "saved").iterdir()}
    assert others == {
        "MLmodel",
        "conda.yaml",
        "data",
        "input_example.json",
        "python_env.yaml",
        "requirements.txt",
        "serving_input_example.json",
    }


def test_a_faulty_request_is_told_why(params: Params, tmp_path: Path) -> None:
    save_translator(params, "subwords", tmp_path / "saved")
    model = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    with pytest.raises(mlflow.MlflowException, match="1 or more"):
        model.predict(LINES, params={"n_best": 0})
    with pytest.raises(mlflow.MlflowException, match="Failed to enforce schema"):
        model.predict(pd.DataFrame({"text": [1.5]}))


def test_a_missing_file_is_named(params: Params, tmp_path: Path) -> None:
    Path("data/demo/lexicon/en-de.tsv").unlink()
    with pytest.raises(InputError, match=r"lexicon/en-de\.tsv: no such file"):
        save_translator(params, BEST, tmp_path / "saved")


@contextmanager
def served(model: Path) -> Iterator[str]:
    """Run ``mlflow models serve`` where the network cannot be reached; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["models", "serve", "-m", model, "--env-manager", "local", "--host", "127.0.0.1"]
    nowhere = dict.fromkeys(["http_proxy", "https_proxy"], "http://127.0.0.1:9")
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with (model.parent / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", *command, "-p", str(port)],
            env=os.environ | nowhere | {"no_proxy": "127.0.0.1", "PATH": search},
            stdout=log,
            stderr=log,
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def ask(address: str, request: dict[str, Any], patience: float = 60.0) -> Any:
    """Send a request, again while the server is not up."""
    body = json.dumps(request).encode()
    question = urllib.request.Request(
        f"{address}/invocations", body, {"Content-Type": "application/json"}
    )
    until = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(question, timeout=patience) as answer:
                return json.load(answer)["predictions"]
        except urllib.error.HTTPError:
            raise
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_mlflow_serves_offline_what_the_pipeline_says(params: Params, tmp_path: Path) -> None:
    save_translator(params, BEST, tmp_path / "saved")
    with served(tmp_path / "saved") as address:
        assert ask(address, {"inputs": LINES}) == expected(params, BEST)
        table = {"columns": ["text"], "data": [[line] for line in LINES]}
        three = {"dataframe_split": table, "params": {"n_best": 3}}
        assert ask(address, three) == expected(params, BEST, n_best=3)
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(address, {"inputs": LINES, "params": {"n_best": 0}})
        assert "1 or more" in refused.value.read().decode()
