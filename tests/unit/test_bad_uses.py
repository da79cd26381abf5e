"""Bad uses of the command line: each has a clear answer, a status and no traceback."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_experiment import make_experiment
from small_project import ROOT, Command

from attnmt.config import load_params
from attnmt.decoding.pipeline import load_translator

WORDS_5000 = b"house " * 4999 + b"house\n"
HOUSE = "The old house is new."
LONG = "The old house is new and " * 5 + "old."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project of which one model is not trained."""
    folder = tmp_path_factory.mktemp("project")
    make_experiment(folder)
    params = folder / "params.yaml"
    params.write_text(params.read_text().replace("decode_threads: 1", "decode_threads: 2"))
    weights = folder / "models/demo"
    (weights / "plain/weights.safetensors").unlink()
    (folder / "latin1.en").write_bytes(b"good\nb\xe4d\n")
    (folder / "long.en").write_bytes(b"a house\n" + WORDS_5000)
    (folder / "house.en").write_text(HOUSE)
    (folder / "houses").write_text(f"{HOUSE}\n" * 5)  # three batches
    (folder / "link.en").symlink_to("house.en")
    (folder / "NOTES.md").write_text("no marker\n")
    return folder


@pytest.fixture
def run(project: Path, attnmt: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs ``attnmt`` in the project."""
    monkeypatch.chdir(project)
    return attnmt


@pytest.fixture(scope="module")
def answer(project: Path) -> str:
    """Return the translation of HOUSE."""
    translator = load_translator(load_params(project / "params.yaml", project), "local_p", project)
    return f"{translator.translate([HOUSE])[0][0].text}\n"


def plain(error: str) -> str:
    """Return a message without the box that typer draws around some."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", error).split())


# The words after attnmt, and what the answer must say: the place and a word or two.
REFUSED: list[tuple[str, str]] = [
    ("", "Usage: attnmt"),
    ("translat house", "Did you mean 'translate'?"),
    ("translate house --beem 3", "No such option: --beem (Possible options: --beam)"),
    ("translate house -m gruu", "--model: params.yaml: no model or ensemble 'gruu'; did you mean"),
    ("translate house -e \x1b[31m", "error: --experiment: '\\x1b[31m' is not a name"),
    ("translate house -e demi", "no experiment 'demi'; did you mean 'demo'?"),
    ("translate house -i house.en", "--input: text is given, too"),
    ("translate -i latin1.en", "latin1.en:2: "),
    ("translate -i long.en", "long.en:2: more than 10,000 characters"),
    ("translate -i house.en -o link.en", "--output: link.en is also given as house.en"),
    ("translate -i house.en -o house.de.gz", "--output: house.de.gz"),
    ("translate house -m plain", "dvc repro translate@plain"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[words for words, _ in REFUSED])
def test_a_bad_use_is_refused(run, words, message):
    status, output, error = run(*words.split())
    assert status == 2
    assert message in plain(error + output)
    assert "Traceback" not in error
    assert output == "" or not words


def test_lines_before_a_fault_in_a_stream_are_answered(run, answer):
    status, output, error = run("translate", stdin=f"{HOUSE}\n".encode() + b"b\xe4d\n")
    assert (status, output) == (2, answer)
    assert error.startswith("error: standard input:2: ")


# The words after attnmt, standard input, and what the warning says.
WARNED: list[tuple[str, bytes, str]] = [
    ("translate", b"", "standard input is empty"),
    ("translate -m gru", LONG.encode(), "the models do not read 27 first words"),
    ("translate house.en", b"not read", "house.en: taken as a sentence"),
]


@pytest.mark.parametrize(("words", "stdin", "message"), WARNED)
def test_a_doubtful_use_is_answered_with_a_warning(run, words, stdin, message):
    status, output, error = run(*words.split(), stdin=stdin)
    assert status == 0
    assert f"warning: {message}" in error
    assert bool(output) == bool(stdin)


def test_line_ends_and_a_byte_order_mark_change_nothing(run, project, answer):
    content = f"\ufeff{HOUSE}\r\n"
    (project / "ends.en").write_text(content)
    assert run("translate", stdin=content.encode()) == (0, answer, "")
    assert run("translate", "-i", "ends.en") == (0, answer, "")


def started(project: Path, *arguments: str, before: str = "") -> "subprocess.Popen[bytes]":
    """Start ``attnmt`` as a process of its own, which ends on Ctrl-C whatever it inherits."""
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"{before}sys.argv[0] = 'attnmt'; from attnmt.cli import main; main()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
        **pipes,
    )


def ask(process: "subprocess.Popen[bytes]") -> None:
    """Send HOUSE through the pipe, which stays open."""
    process.stdin.write(f"{HOUSE}\n".encode())
    process.stdin.flush()


MINUTE = """
import os, time
from attnmt.decoding import batched
def a_minute(*_):
    os.write(1, b"begun\\n")
    time.sleep(60)
batched.search = batched.force = a_minute
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_wait_for_the_batches_that_run(project, sent):
    with started(project, "translate", "-i", "houses", "-o", "out", before=MINUTE) as process:
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(sent)
        assert process.wait(timeout=10) == 128 + sent
        assert b"Traceback" not in process.stderr.read()
    assert not list(project.glob("*out*"))


def test_a_reader_that_has_ended_ends_it_without_a_word(project, answer):
    with started(project, "translate") as process:
        process.stdout.close()
        ask(process)
        process.stdin.close()
        assert process.wait(timeout=30) == 1
        assert process.stderr.read() == b""


def test_a_full_stream_is_named(project):
    script = '"$0" -c "from attnmt.cli import main; main()" translate house >/dev/full'
    shell = ["bash", "-c", script, sys.executable]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(shell, cwd=project, env=environment, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: standard output")
    assert "Traceback" not in ended.stderr
