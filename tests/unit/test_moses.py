"""Our tokens against those of Moses' own script, and cached words against whole lines."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from demo_text import demo_lines
from hypothesis import example, given
from hypothesis import strategies as st
from real_text import needs, written
from sacremoses.corpus import NonbreakingPrefixes

from attnmt.corpora.normal_form import normalized
from attnmt.files.text_file import read_lines, write_lines
from attnmt.text.tokenizer import MosesTokenizer

LANGUAGES = ("en", "de")
ROMANCE = ("fr", "it", "es", "pt")

# A mixture of all that the rules look at: characters and abbreviations of every kind. Control characters
# and marks are missing: Moses deletes the first, and splits the second from their letters.
CHARACTERS = "aZß5²½漢й٣'’.,-–&<[|\"` \t@_\u00a0\u2028😀"
ABBREVIATIONS = "Mr. No. z.B. d.h. U.S."
SPELLED = "n't 1990's 's e-mail .. 5,"
PARTS = st.sampled_from(
    [*CHARACTERS, *ABBREVIATIONS.split(), *SPELLED.split(), "' '", " ' ", " a", " 7"]
)
LINES = st.lists(PARTS, max_size=14).map("".join)

Tokenize = Callable[[str], str]


@pytest.fixture(scope="module")
def moses(tmp_path_factory) -> Iterator[Callable[[str, bool], Tokenize]]:
    """Return a function that starts Moses' script for a language, splitting hyphens or not.

    The package mosestokenizer holds version 1.1 of it. Its English list of abbreviations differs from
    Moses' (no Rs, an extra Inc), so the script gets Moses'.
    """
    package = find_spec("mosestokenizer")
    if package is None or not package.submodule_search_locations:
        pytest.skip("no mosestokenizer, which holds Moses' script")
    folder, script_folder = (
        tmp_path_factory.mktemp("moses"),
        Path(package.submodule_search_locations[0]),
    )
    script = Path(shutil.copy(script_folder / "tokenizer-v1.1.perl", folder))
    lists = folder / "nonbreaking_prefixes"
    shutil.copytree(script_folder / "nonbreaking_prefixes", lists)
    write_lines(lists / "nonbreaking_prefix.en", NonbreakingPrefixes().words("en"))
    if (
        shutil.which("perl") is None
        or subprocess.run(["perl", "-c", script], check=False).returncode
    ):
        pytest.skip("no perl that runs Moses' script")
    with ExitStack() as running:

        @cache
        def start(language: str, split_hyphens: bool) -> Tokenize:
            options = ["-q", "-b", "-l", language, *["-a"] * split_hyphens]
            process = running.enter_context(
                subprocess.Popen(
                    ["perl", script, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            )

            def tokenize(line: str) -> str:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(f"{line}\n".encode())
                process.stdin.flush()
                return process.stdout.readline().decode().removesuffix("\n")

            return tokenize

        yield start


@cache
def tokenizer(language: str, split_hyphens: bool) -> MosesTokenizer:
    return MosesTokenizer(language, split_hyphens)


BOTH_WAYS = [(k, split) for k in LANGUAGES for split in (False, True)]
every_language = pytest.mark.parametrize(
    ("language", "split_hyphens"), [*BOTH_WAYS, *((k, False) for k in ROMANCE)]
)


@every_language
@given(line=LINES)
@example("He said: 'I remember who we are.'")  # sacremoses splits this stop
@example("In 1990, 1991,")  # and this comma
@example("Tokio (東京) 한국어, 漢字")  # and each of these characters
@example("'5' '5 '' 'a' 'b'c'd")
@example("Il y a.")  # which sacremoses takes for no abbreviation
@example("Veja no. 7.")  # nor these
@example("L'homme qu'il a vu aujourd'hui, M. Dupont l'a dit p.ex. à l'Est.")
@example("L'uomo dell'anno: «c'è» un po' d'acqua, sig. Rossi, ecc. 5")
@example("El señor dijo: ¿Cómo está, Sra. Díaz? ¡Bien! Av. 5.")
def test_every_line_is_tokenized_as_by_moses_own_script(moses, language, split_hyphens, line):
    expected = moses(language, split_hyphens)(line).split()
    assert tokenizer(language, split_hyphens).tokenize(line) == expected


@pytest.mark.parametrize(("language", "split_hyphens"), BOTH_WAYS)
@pytest.mark.parametrize(
    "name",
    [
        "demo",
        *(
            pytest.param(name, marks=needs("NEWSTEST_DIR", f"{name}.en", f"{name}.de"))
            for name in ("newstest2013", "newstest2014-filtered")
        ),
    ],
)
def test_whole_texts_are_tokenized_as_by_moses_own_script(moses, language, split_hyphens, name):
    news = written("NEWSTEST_DIR", f"{name}.{language}")
    lines = demo_lines(language, 1000) if name == "demo" else read_lines(news)
    script, ours = moses(language, split_hyphens), tokenizer(language, split_hyphens)
    changed = [line for line in lines if normalized(line) != line]
    assert len(changed) <= 2  # with soft hyphens, one of which Moses takes for a word
    for line in lines:
        line = normalized(line)
        assert " ".join(ours.tokenize(line)) == script(line)
