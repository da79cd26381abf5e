"""The best model as MLflow serves it: its answers are the pipeline's translations."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_experiment import make_experiment

from attnmt.config import Params
from attnmt.corpora.links import format_links
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.pipeline import load_pipeline
from attnmt.errors import InputError
from attnmt.model.translator import Translator
from attnmt.serving.mlflow_model import save_mlflow_model
from attnmt.serving.packed import MANIFEST
from attnmt.training.saved import load_model

mlflow = pytest.importorskip("mlflow", reason="mlflow, of the extra 'workflow', is not installed")

ROOT = Path(__file__).parents[2]
BEST = "local_p"
LINES = ["The old garden is newer than Smith's house.", "", 'B-side gardens & "houses"']


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """Return the parameters of a small project; the test runs in its folder."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return make_experiment(Path())


def saved(params: Params, name: str) -> Any:
    """Save a model beside the project; return what MLflow loads."""
    save_mlflow_model(params, name, Path("../saved"))
    return mlflow.pyfunc.load_model("../saved")


def expected(params: Params, name: str, **options: int) -> list[dict[str, Any]]:
    """Return the pipeline's translations of LINES, in the form of an answer."""
    translated = load_pipeline(params, name, **options).translate(LINES)
    return [
        {
            "line": line,
            "translation": one.text,
            "score": one.score,
            "alignment": format_links(one.links),
            "source": one.source,
            "target": one.replaced,
        }
        for line, translations in enumerate(translated)
        for one in translations
    ]


@pytest.mark.parametrize("name", [BEST, "plain", "subwords", "gru", "german", "ensemble"])
def test_a_saved_model_says_what_the_pipeline_says_without_the_project(params, name, tmp_path):
    here, best_of_three = expected(params, name), expected(params, name, beam=4, n_best=3)
    save_mlflow_model(params, name, tmp_path / "saved")
    shutil.rmtree(tmp_path / "project")
    os.chdir(tmp_path)
    model = mlflow.pyfunc.load_model("saved")
    assert model.predict(LINES) == here
    assert model.predict(pd.DataFrame({"text": LINES})) == here
    assert len(best_of_three) > len(here)
    assert model.predict(LINES, params={"beam": 4, "n_best": 3}) == best_of_three
    assert model.predict(LINES) == here


def test_what_is_saved_is_the_model_s_files_and_no_pickle(params, tmp_path):
    save_mlflow_model(params, BEST, tmp_path / "saved")
    data = tmp_path / "saved/data/project"
    files = {file.relative_to(data) for file in data.rglob("*") if file.is_file()}
    assert files == {Path(MANIFEST), *translator_files(params, BEST)}
    assert not any(file.is_symlink() for file in data.rglob("*"))
    others = {file.name for file in (tmp_path / "saved").iterdir()}
    described = {"MLmodel", "conda.yaml", "python_env.yaml", "requirements.txt"}
    assert others == described | {"data", "input_example.json", "serving_input_example.json"}
    Path("data/demo/dictionary/en-de.tsv").unlink()
    with pytest.raises(InputError, match=r"dictionary/en-de\.tsv: no such file"):
        save_mlflow_model(params, BEST, tmp_path / "other")


# Requests with part of the message that comes with status 400. The small experiment has 6 candidates.
FAULTY: list[tuple[Any, dict[str, Any], str]] = [
    (LINES, {"n_best": 0}, "params.n_best: Input should be greater than 0 (found 0)"),
    (LINES, {"beam": 101}, "params.beam: Input should be less than or equal to 100 (found 101)"),
    (LINES, {"n_best": 7}, "params.n_best: only 6 translations finish (candidates)"),
    (LINES, {"beam": None}, "params.beam: Input should be a valid integer (found None)"),
    (LINES, {"beam": 0, "n_best": 0}, "found 0); params.n_best: Input should be greater"),
    (["a", "A man runs.\nA dog sits."], {}, "sentence 1: it has 2 lines; give each line as a"),
    (["A.\r\n\r\nB.\rC.\u2028D.\u2029E.\x85F.\vG.\fH."], {}, "sentence 0: it has 8 lines"),
    (["a" * 1001], {}, "sentence 0: it has 1001 characters, and at most 1000 are translated"),
    (["a" * 1000] * 41, {"beam": 5}, "41 sentences: they have 41000 characters, and with a"),
    (["a" * 1000] * 6, {"beam": 100}, "of 100 a request may have 2000; send several requests"),
]
# MLflow's server does not give these messages: it drops, converts or refuses these itself.
UNKNOWN: list[tuple[Any, dict[str, Any], str]] = [
    (LINES, {"temperature": 1.0}, "params.temperature: unknown key; the known ones are beam"),
    (LINES, {"beam": "5"}, "params.beam: Input should be a valid integer (found '5')"),
    (["a", None], {}, "inputs.1: Input should be a valid string (found None)"),
    ([7] * 1_000_000, {}, "inputs.0: Input should be a valid string (found 7)"),
    ("Hi.", {}, "inputs: Input should be a valid list (found 'Hi.')"),
]
# Bodies that are no request, and their messages.
BODIES: list[tuple[bytes, str]] = [
    (b'{"inputs": ["a"], "parameters": {}}', "parameters: unknown key; did you mean 'params'?"),
    (b'{"dataframe_split": {}}', "inputs: this key is missing; dataframe_split: unknown key"),
    (b'["a"]', "the request: Input should be a valid dictionary"),
    (b"\xff", "the request is not JSON"),
    (b"[" * 100_000, "the request is nested too deeply"),
    (b'{"inputs": ["%s"]}' % (b"a" * 20_000_000), "the request has 20,000,016 bytes, and at most"),
    (b'{"inputs": ["%s"]}' % (b"a" * 2_000_000), "sentence 0: it has 2000000 characters"),
]


def test_a_line_end_around_a_sentence_changes_nothing(params):
    model = saved(params, "plain")
    plain = model.predict(["The garden.", "", "Old houses."])
    assert model.predict(["The garden.\n", "\n", "\r\nOld houses.\r\n\u2028"]) == plain


def test_the_most_that_a_request_may_ask_for_is_answered(params):
    model = saved(params, "plain")
    with pytest.raises(mlflow.MlflowException, match=r"inputs\.1: Input should be a valid str"):
        model.predict(["a", None])
    assert len(model.predict(["a"], params={"beam": 100, "n_best": 6})) > 1
    assert len(model.predict(["a" * 1000] * 2, params={"beam": 100})) == 2


def test_other_parameters_do_not_load_the_weights_again(params, monkeypatch):
    loaded = []

    def load_and_count(params: Params, name: str, digest: str, root: Path) -> Translator:
        loaded.append(name)
        return load_model(params, name, digest, root)

    monkeypatch.setattr("attnmt.decoding.text_translator.load_model", load_and_count)
    model = saved(params, "ensemble")
    for options in ({}, {"n_best": 3}, {"beam": 4}, {"n_best": 2, "beam": 2}, {}):
        model.predict(LINES, params=options)
    assert sorted(loaded) == sorted(params.translators("ensemble").members)


MLFLOW = ["-m", "mlflow", "models", "serve", "--env-manager", "local", "-m"]
OURS = ["-c", "from attnmt.cli import main; main()", "serve"]


@contextmanager
def served(log: Path, *command: str) -> Iterator[str]:
    """Serve a model where the network cannot be reached; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    nowhere = dict.fromkeys(["http_proxy", "https_proxy"], "http://127.0.0.1:9")
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, *command, "--host", "127.0.0.1", "--port", str(port)],
            env=os.environ | nowhere | {"no_proxy": "127.0.0.1", "PATH": search},
            stdout=stream,
            stderr=stream,
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def send(address: str, body: bytes, kind: str = "application/json", patience: float = 60.0) -> Any:
    """Send a body, and send it again while the server is not up."""
    question = urllib.request.Request(f"{address}/invocations", body, {"Content-Type": kind})
    until = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(question, timeout=patience) as answer:
                return json.load(answer)
        except urllib.error.HTTPError:
            raise
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def ask(address: str, request: dict[str, Any]) -> Any:
    """Return the translations of a request."""
    return send(address, json.dumps(request).encode())["predictions"]


def refused(address: str, body: bytes, kind: str = "application/json") -> str:
    """Return the message of an answer of status 400."""
    with pytest.raises(urllib.error.HTTPError) as error:
        send(address, body, kind)
    assert error.value.code == 400
    answer = error.value.read()
    message: str = json.loads(answer)["message"]
    return message


def opened(address: str, sentence: str) -> str:
    """Return the page of a sentence."""
    query = urllib.parse.urlencode({"sentence": sentence})
    with urllib.request.urlopen(f"{address}/?{query}") as answer:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        page: str = answer.read().decode()
    return page


def test_mlflow_serves_offline_what_the_pipeline_says(params, tmp_path):
    save_mlflow_model(params, BEST, tmp_path / "saved")
    with served(tmp_path / "log", *MLFLOW, str(tmp_path / "saved")) as address:
        assert ask(address, {"inputs": LINES}) == expected(params, BEST)
        table = {"columns": ["text"], "data": [[line] for line in LINES]}
        three = {"dataframe_split": table, "params": {"n_best": 3}}
        assert ask(address, three) == expected(params, BEST, n_best=3)
        for lines, options, message in FAULTY:
            body = json.dumps({"inputs": lines, "params": options}).encode()
            assert message in refused(address, body)


def test_attnmt_serves_offline_what_the_pipeline_says_and_refuses_all_else(params, tmp_path):
    with served(tmp_path / "log", *OURS) as address:
        assert ask(address, {"inputs": LINES}) == expected(params, BEST)
        three = {"inputs": LINES, "params": {"n_best": 3}}
        assert ask(address, three) == expected(params, BEST, n_best=3)
        requests = [
            (json.dumps({"inputs": lines, "params": options}).encode(), message)
            for lines, options, message in FAULTY + UNKNOWN
        ]
        for body, message in requests + BODIES:
            told = refused(address, body)
            assert message in told
            assert len(told) <= 500
            assert "Traceback" not in told
        assert "the request is not JSON; send the header" in refused(
            address, b"text\na", "text/csv"
        )
        page = opened(address, "old garden")
        for part in ('<form class="ask" method="get" action="/">', 'id="explained-data"'):
            assert part in page
        with pytest.raises(urllib.error.HTTPError) as error:
            opened(address, "a" * 1001)
        assert error.value.code == 400
        host, port = address.removeprefix("http://").split(":")
        for body in (b"", b'{"inputs": ["a"]}', b"{" * 100):
            with socket.create_connection((host, int(port))) as client:  # which hangs up
                client.sendall(
                    b"POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
                )
                client.sendall(body)
        assert ask(address, {"inputs": LINES}) == expected(params, BEST)
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_packed_weights_are_served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with served(tmp_path / "log", *OURS, "--weights", str(ROOT / "weights/demo")) as address:
        (answer,) = ask(address, {"inputs": ["Trosto visits a woman every day."]})
        assert 'id="explained-data"' in opened(address, "Trosto visits a woman every day.")
    assert answer["translation"] == "Trosto besucht jeden Tag eine Frau."
