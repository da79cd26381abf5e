"""The command ``attnmt explain`` called as a person calls it, its page, and the page of the server."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest
from attnmt.reporting.explain_facts import Shown, about
from attnmt.reporting.explain_text import explain_text
from rich.cells import cell_len
from small_experiment import ENGLISH, GERMAN
from small_project import ROOT, Command

from attnmt.config import Params
from attnmt.decoding.explanation import explain
from attnmt.decoding.pipeline import load_translator

SENTENCE, REFERENCE = ENGLISH["test"][0], GERMAN["test"][0]
LINE_MARKS = ("\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029")
NASTY = "</script><b/title='x'>&\"é"


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
    arguments = (SENTENCE, "--model", "local_p", "--model", "plain", "--reference", REFERENCE)
    status, output, error = attnmt(*arguments, "--output", "-", "--n-best", "3")
    assert (status, error) == (0, "")
    local, plain = data_of(output)
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
    text = text_of(output)
    for one in expected.candidates:
        assert one.text in text
        assert f"{one.score:.2f}" in text


def test_what_a_model_does_not_read_is_said(attnmt):
    arguments = (
        SENTENCE,
        "--model",
        "gru",
        "--model",
        "local_p",
        "--reference",
        REFERENCE,
        "--text",
    )
    assert attnmt(*arguments)[::2] == (
        0,
        "warning: gru does not read the 7 first words of the sentence\n"
        "warning: gru does not read the 6 first words of --reference\n",
    )


def test_the_page_is_a_file_that_asks_for_nothing(attnmt, folder):
    status, output, _ = attnmt(SENTENCE)
    page = (folder / "explain.html").read_text(encoding="utf-8")
    assert (status, output) == (0, f"The page: {(folder / 'explain.html').as_uri()}\n")
    policy = unescape(page.split('Content-Security-Policy" content="')[1].split('"')[0])
    assert policy.startswith("default-src 'none';")
    assert "form-action 'none'" in policy
    assert re.findall("<(form|img|iframe)", page) == []
    assert set(attributes(page, "src", "href")) == {"data:,", "#explained"}
    assert "url(" not in page
    ids = attributes(page, "id")
    assert len(ids) == len(set(ids)) > 3


def test_what_stands_in_the_text_is_never_markup(attnmt):
    arguments = (f"{NASTY} house", "--reference", f"{NASTY} Haus", "-o", "-")
    output = attnmt(*arguments)[1]
    assert output == attnmt(*arguments)[1]
    assert NASTY not in output
    assert "<b" not in output.split("<body>")[1].replace("<button", "")
    assert text_of(output).count(f"{NASTY} house") == 2  # the title, and the sentence
    assert len(data_of(output)) == 1


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("name", ["local_p", "plain", "subwords", "ensemble"])
def test_the_text_fits_the_terminal_and_has_every_weight(attnmt, monkeypatch, params, name, width):
    monkeypatch.setenv("COLUMNS", str(width))
    status, output, error = attnmt(SENTENCE, "--text", "--model", name, "--reference", REFERENCE)
    assert (status, error) == (0, "")
    assert max(map(len, output.splitlines())) <= width
    expected = explain(load_translator(params, name), SENTENCE, REFERENCE)
    assert expected.reference is not None
    part = output.split("\nReference: ")[1]
    assert f"{expected.reference.log_p[0]:.2f}" in part
    if expected.attends:
        rows = [line.split() for line in part.splitlines() if line.startswith("</s>")]
        cells = [cell for row in rows for cell in row[1:]]
        weights = [a for a in expected.reference.weights[-1]]
        inside = [cell for cell in cells[: len(weights)] if cell != "."]
        span = expected.reference.spans[-1] if expected.reference.spans else None
        within = weights[span.first : span.last + 1] if span else weights
        assert inside == [str(round(100 * a)) for a in within]


def test_wide_letters_fit_the_terminal_too(attnmt, monkeypatch):
    """A Chinese letter takes two columns."""
    monkeypatch.setenv("COLUMNS", "40")
    _, output, _ = attnmt("狗狗 " * 30, "--text", "--model", "plain")
    reads = output.split("Reads")[1].split("Translation")[0]
    assert reads.count("[狗狗]") == 30
    assert 35 < max(map(cell_len, output.splitlines())) <= 40


def test_text_writes_no_page_unless_one_is_named(attnmt, folder):
    (folder / "explain.html").unlink(missing_ok=True)
    assert attnmt(SENTENCE, "--text")[0] == 0
    assert not (folder / "explain.html").exists()
    output = attnmt(SENTENCE, "--text", "-o", "named.html")[1]
    assert output.endswith(f"The page: {(folder / 'named.html').as_uri()}\n")
    assert output.startswith("local_p\n")
    assert (folder / "named.html").exists()


def test_the_text_marks_the_link_of_an_unknown_word(params, folder):
    marked = 0
    for sentence in ENGLISH["test"]:
        translator = load_translator(params, "local_p", folder)
        explanation = explain(translator, sentence)
        text = explain_text(Shown(about(params, "local_p", translator), explanation), 300)
        best = explanation.candidates[0]
        assert len(re.findall(r" \*\d", text)) == len(best.read)
        marked += len(best.read)
    assert marked


def test_open_starts_the_browser(attnmt, folder, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    assert attnmt(SENTENCE, "--open")[0] == 0
    assert opened == [(folder / "explain.html").as_uri()]
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert "no browser could be started" in attnmt(SENTENCE, "--open")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((" ",), "the sentence has no words; give a sentence"),
        (("A man runs.\nA dog sits.",), "the sentence: it has 2 lines; give each line as a sent"),
        (("\nA man runs.\r\n\nA dog sits.\n",), "the sentence: it has 2 lines"),
        (("A.\rB.\u2028C.\x85D.",), "the sentence: it has 4 lines"),
        ((SENTENCE, "--reference", "A.\vB.\fC."), "--reference: it has 3 lines"),
        ((SENTENCE, "--reference", ""), "--reference has no words; give a sentence"),
        ((SENTENCE, "--model", "gruu"), "--model: params.yaml: no model or ensemble 'gruu'"),
        (
            (SENTENCE, "--model", "local_p", "--model", "german"),
            "--model: local_p translates English-German and german German-English; take models of one",
        ),
        ((SENTENCE, "-o", "-", "--open"), "--output -: the page cannot go to standard output"),
        ((SENTENCE, "-o", "models"), "models: a file is to be written here, and a folder is"),
        (("gut sch\udcf6n",), "the sentence:1: byte 0xf6 is not UTF-8"),
        (("a " * 501,), "the sentence has 1,001 characters, and at most 1,000 are explained"),
        ((SENTENCE, "--reference", "a " * 9999), "--reference has 19,997 characters, and at most"),
    ],
)
def test_faults_are_named_before_a_model_is_loaded(attnmt, monkeypatch, arguments, message):
    monkeypatch.delattr("attnmt.decoding.pipeline.load_translator")
    status, output, error = attnmt(*arguments)
    assert (status, output) == (2, "")
    assert error.startswith(f"error: {message}")


def test_numbers_that_no_page_could_show_are_refused(attnmt):
    for option in ("--n-best", "--beam"):
        status, output, error = attnmt(SENTENCE, option, str(10**30))
        assert (status, output) == (2, "")
        assert option in error
        assert "less than or equal to" in error


def test_no_text_controls_the_terminal_and_an_ascii_terminal_shows_all_else(attnmt):
    output = attnmt("Der \x9b31m\u202eGarten", "--text")[1]
    assert "Reads        [Der] [31mGarten]\n" in output
    assert not {"\x9b", "\u202e"} & set(output)
    weights = str(ROOT / "weights/demo")
    for command in (("translate",), ("explain", "--text")):
        script = ("-c", "from attnmt.cli import main; main()")
        line = [sys.executable, *script, *command, "Jürgen Ü\x9b.", "--weights", weights]
        environment = os.environ | {"PYTHONIOENCODING": "ascii"}
        piped = subprocess.run(line, env=environment, capture_output=True, check=True)
        assert "Jürgen" in piped.stdout.decode()
        shown = on_a_terminal(line, environment)
        assert b"J?rgen" in shown
        assert b"\x9b" not in shown


def on_a_terminal(command: list[str], environment: dict[str, str]) -> bytes:
    """Return what a command writes to a terminal."""
    terminal, theirs = pty.openpty()
    with subprocess.Popen(command, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the terminal is closed at the end
            while block := os.read(terminal, 65_536):
                shown += block
    os.close(terminal)
    assert process.returncode == 0, shown
    return shown


def test_the_server_has_a_page_with_the_same_explanation(params, folder, monkeypatch):
    from attnmt.serving.application import form_page
    from attnmt.serving.service import Service

    monkeypatch.chdir(folder)
    service = Service(load_translator(params, "local_p"), params, "local_p")
    empty, status = form_page([service], " ", SENTENCE)
    assert status == 200
    assert "form-action 'self'" in unescape(empty.split("<title>")[0])
    assert 'id="explained-data"' not in empty
    assert f"For example: {SENTENCE}" in text_of(empty)
    lines, words = len(ENGLISH["train"]), "16 words of English and 16 of German"
    assert f"Learned by local_p: {words}, from {lines} pairs of sentences." in text_of(empty)
    page, status = form_page([service], f" {SENTENCE} ", "")
    assert "For example" not in page
    assert status == 200
    best = explain(load_translator(params, "local_p"), SENTENCE).candidates[0]
    matrix = data_of(page)[0]["candidates"][0]["matrix"]
    assert matrix["weights"] == [round(100 * a) for row in best.weights for a in row]
    assert best.text in text_of(page)
    again, status = form_page([service], f"\n{SENTENCE}\r\n", "")
    assert (again, status) == (page, 200)
    for mark in LINE_MARKS:
        several, status = form_page([service], f"A man runs.{mark}A dog sits.", "")
        assert status == 400
        assert "it has 2 lines; give each line as a sentence of its own" in text_of(several)
        assert 'value="A man runs. A dog sits."' in several
    long, status = form_page([service], "a" * 1001, "")
    assert status == 400
    assert "it has 1001 characters, and at most 1000 are translated" in text_of(long)
    nasty, status = form_page([service], NASTY, NASTY)
    assert status == 200
    assert NASTY not in nasty
    (example,) = re.findall('class="example"[^>]* href="/[?]sentence=([^"]*)"', nasty)
    assert unquote_plus(example) == NASTY
    field = nasty.split("<input")[1].split("<button")[0]
    assert unescape(field.split('value="')[1].split('"')[0]) == NASTY
