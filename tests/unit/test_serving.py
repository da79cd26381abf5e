"""The server of a model: its answers are the pipeline's translations."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
import tracemalloc
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape
from small_experiment import ENGLISH, make_experiment

from attnmt.config import Params
from attnmt.corpora.links import format_links
from attnmt.decoding.text_translator import load_translator
from attnmt.errors import InputError
from attnmt.reporting.attention import label
from attnmt.reporting.own_text import example_of
from attnmt.serving.packed import read_packed, write_packed
from attnmt.serving.service import Service

ROOT = Path(__file__).parents[2]
BEST = "local_p"
LINES = ["The old garden is newer than Smith's house.", "", 'B-side gardens & "houses"']


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """Return the parameters of a small project; the test runs in its folder."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return make_experiment(Path())


def answers(params: Params, name: str) -> Callable[..., list[dict[str, Any]]]:
    """Return a function that asks the server of a model, as a program does."""
    service = Service(load_translator(params, name), params, name)
    return lambda lines, **options: service.answer({"inputs": lines, "params": options})


def expected(params: Params, name: str, **options: int) -> list[dict[str, Any]]:
    """Return the project's translations of LINES, in the form of an answer."""
    translated = load_translator(params, name, **options).translate(LINES)
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
def test_a_service_says_what_the_pipeline_says(params, name):
    best_of_three, ask = expected(params, name, beam=4, n_best=3), answers(params, name)
    assert ask(LINES) == expected(params, name)
    assert len(best_of_three) > len(LINES)
    assert ask(LINES, beam=4, n_best=3) == best_of_three


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
    (b"[" * 100_000, "the request is not JSON"),
    (b'{"inputs": ["%s"]}' % (b"a" * 20_000_000), "the request has 20,000,016 bytes, and at most"),
    (b'{"inputs": ["%s"]}' % (b"a" * 2_000_000), "sentence 0: it has 2000000 characters"),
]


def test_a_line_end_around_a_sentence_changes_nothing(params):
    ask = answers(params, "plain")
    plain = ask(["The garden.", "", "Old houses."])
    assert ask(["The garden.\n", "\n", "\r\nOld houses.\r\n\u2028"]) == plain


def test_the_most_that_a_request_may_ask_for_is_answered(params):
    ask = answers(params, "plain")
    assert len(ask(["a"], beam=100, n_best=6)) > 1
    assert len(ask(["a" * 1000] * 2, beam=100)) == 2


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


def test_a_request_that_is_too_long_is_not_held():
    from attnmt.serving.application import MOST_BYTES, _body

    class Long:
        async def stream(self):
            for _ in range(50):
                yield b"a" * (MOST_BYTES // 2)

    tracemalloc.start()
    fault = "the request has 80,000,000 bytes, and at most 3,200,000"
    with (
        ThreadPoolExecutor() as loop,  # a browser's loop may run in this thread
        pytest.raises(InputError, match=fault),
    ):
        loop.submit(asyncio.run, _body(Long())).result()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * MOST_BYTES


def test_attnmt_serves_offline_what_the_pipeline_says_and_refuses_all_else(params, tmp_path):
    with served(tmp_path / "log", *OURS) as address:
        assert ask(address, {"inputs": LINES}) == expected(params, BEST)
        three = {"inputs": LINES, "params": {"n_best": 3}}
        assert ask(address, three) == expected(params, BEST, n_best=3)
        requests = [
            (json.dumps({"inputs": lines, "params": options}).encode(), message)
            for lines, options, message in FAULTY
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
        example = f">{escape(example_of(ENGLISH['test']))}</a>"
        for part in ('<form class="ask" method="get" action="/">', 'id="explained-data"', example):
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
    log = (tmp_path / "log").read_text()
    assert f"note: {address} (Ctrl-C ends)" in log
    assert "Traceback" not in log


def test_packed_weights_are_served_side_by_side(params, tmp_path):
    demo, sentence = read_packed(ROOT / "weights/demo"), "Trosto visits a woman every day."
    write_packed(params, "gru", Path("packed"), "Houses.")
    weights = ("--weights", str(demo.folder), "--weights", "packed")
    with served(tmp_path / "log", *OURS, *weights) as address:
        (answer,) = ask(address, {"inputs": [sentence]})
        page = opened(address, sentence)
    assert answer["translation"] == "Trosto besucht jeden Tag eine Frau."
    assert re.findall(r"<h2 [^>]*>(.*?) <", page) == [label(demo.params, demo.model), "gru"]
    assert page.count("data-model=") == 2
    assert f">{escape(demo.example)}</a>" in page


def test_requests_at_once_get_what_each_gets_alone(tmp_path):
    """200 requests of 20 clients: pages and translations of sentences of many lengths."""
    sentences = ["A man" + " in an orange hat" * n for n in range(10)]

    def answer(address: str, sentence: str, page: bool) -> Any:
        if page:
            return opened(address, sentence)
        return ask(address, {"inputs": [sentence], "params": {"n_best": 3}})

    questions = [(sentence, page) for sentence in sentences for page in (True, False)]
    command = [*OURS, "--weights", str(ROOT / "weights/multi30k")]  # its attention is local
    with served(tmp_path / "log", *command) as address, ThreadPoolExecutor(20) as clients:
        send(address, b'{"inputs": []}')  # waits until it is up
        alone = {question: answer(address, *question) for question in questions}
        assert len({str(one) for one in alone.values()}) == len(questions) == 20
        asked = [questions[number % 20] for number in range(200)]
        together = clients.map(lambda question: answer(address, *question), asked)
        for question, found in zip(asked, together, strict=True):
            assert found == alone[question]
