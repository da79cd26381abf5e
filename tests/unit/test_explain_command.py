"""The command ``attnmt explain`` called as a person calls it, and its page."""

import json
import re
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from small_experiment import ENGLISH, GERMAN
from small_project import Command

from attnmt.config import Params
from attnmt.decoding.explanation import explain
from attnmt.decoding.pipeline import load_translator

SENTENCE, REFERENCE = ENGLISH["test"][0], GERMAN["test"][0]
NASTY = "</script><b/title='x'>&\"é"
PAGE = Path("explain.html")


@pytest.fixture
def attnmt(
    attnmt: Command, params: Params, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Return a function that runs ``attnmt explain`` in the experiment's project."""
    monkeypatch.chdir(folder)
    return partial(attnmt, "explain")


def text_of(page: str) -> str:
    """Return the text of a page as a reader sees it, without what its scripts hold."""
    body = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body))


def attributes(page: str, *names: str) -> list[str]:
    """Return the values of attributes in all elements."""
    return re.findall(rf'<[^>]* (?:{"|".join(names)})="([^"]*)"', page)


def data_of(page: str) -> Any:
    """Return what the script draws."""
    return json.loads(page.split('id="explained-data">')[1].split("</script>")[0])


def test_the_page_has_the_matrices_of_all_candidates_of_all_models(attnmt, params, folder):
    names = ("local_p", "plain", "subwords", "ensemble")
    models = [word for name in names for word in ("--model", name)]
    arguments = (SENTENCE, *models, "--reference", REFERENCE, "--n-best", "3")
    status, output, error = attnmt(*arguments)
    assert (status, output) == (0, f"The page: {(folder / PAGE).as_uri()}\n")
    assert "Traceback" not in error
    page = PAGE.read_text(encoding="utf-8")
    local, plain, *others = data_of(page)
    assert len(others) == 2
    expected = explain(load_translator(params, "local_p", n_best=3), SENTENCE, REFERENCE, 3)
    assert len(local["candidates"]) == 3
    shown = [part["matrix"] for part in (*local["candidates"], local["reference"])]
    assert expected.reference is not None
    for matrix, one in zip(shown, [*expected.candidates, expected.reference], strict=True):
        weights = [round(100 * a) for row in one.weights for a in row]
        assert matrix["weights"] == weights
        assert [span["p"] for span in matrix["spans"]] == pytest.approx([s.p for s in one.spans])
        assert matrix["gold"] == [[s, t] for t, s in one.read]
        columns = {column["head"]: column["cells"] for column in matrix["columns"]}
        assert list(columns) == ["log p", "p_t"]
        log_p = [float(cell) for cell in columns["log p"]]
        assert log_p == pytest.approx(one.log_p, abs=0.0051)
    assert plain["candidates"][0]["matrix"]["source"] == []
    text = text_of(page)
    for one in expected.candidates:
        assert one.text in text
        assert f"{one.score:.2f}" in text


def test_the_page_is_a_file_that_asks_for_nothing(attnmt):
    assert attnmt(SENTENCE, "-o", "named.html")[0] == 0
    page = Path("named.html").read_text(encoding="utf-8")
    assert set(attributes(page, "src", "href")) == {"data:,", "#explained"}
    assert "url(" not in page
    ids = attributes(page, "id")
    assert len(ids) == len(set(ids)) >= 3


def test_what_stands_in_the_text_is_never_markup(attnmt):
    arguments = (f"{NASTY} house", "--reference", f"{NASTY} Haus")
    pages = []
    for _ in range(2):
        assert attnmt(*arguments)[0] == 0
        pages.append(PAGE.read_text(encoding="utf-8"))
    page = pages[0]
    assert page == pages[1]
    assert NASTY not in page
    assert "<b" not in page.split("<body>")[1].replace("<button", "")
    assert text_of(page).count(f"{NASTY} house") == 2  # the title, and the sentence
    assert len(data_of(page)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((" ",), "the sentence has no words"),
        (("A man runs.\nA dog sits.",), "the sentence: several lines"),
        ((SENTENCE, "--reference", "A.\vB.\fC."), "--reference: several lines"),
        ((SENTENCE, "--model", "local_p", "--model", "german"), "--model: local_p and german"),
        (("gut sch\udcf6n",), "the sentence:1: not UTF-8"),
    ],
)
def test_faults_are_named_before_a_model_is_loaded(attnmt, monkeypatch, arguments, message):
    monkeypatch.delattr("attnmt.decoding.pipeline.load_translator")
    status, output, error = attnmt(*arguments)
    assert (status, output) == (2, "")
    assert error.startswith(f"error: {message}")
