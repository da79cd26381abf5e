"""The corpus stage, as a command, and what the tokens stage makes of text of one's own."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from small_project import ROOT, Project

from attnmt.config import Languages, Sets, load_params
from attnmt.corpora.raw_text import write_local
from attnmt.errors import InputError

TEXT = {
    "train.xx": "a house\n\nc d\n",
    "train.yy": "ein Haus\nb\nC D\n",
    "dev.xx": "a\n",
    "dev.yy": "ein\n",
    "test.xx": "a dog\nthe dog\n",
    "test.yy": "ein Hund\nder Hund\n",
}


def test_downloads_are_concatenated_and_cleaned(corpus):
    corpus.add("train", b"\xef\xbb\xbfa\r\n\nc", b"x\n\xe2\x80\xa8y\nz\n")
    corpus.add("train", gzip.compress(b"d\n"), gzip.compress(b"w\n"), suffix=".gz")
    corpus.succeed("corpus")
    assert sorted(path.name for path in corpus.raw.iterdir()) == [
        f"{name}.{language}" for name in ("dev", "test", "train") for language in ("de", "en")
    ]
    assert (corpus.raw / "dev.de").read_bytes() == "ein Haus ü .\n".encode() * 2
    assert (corpus.raw / "train.en").read_bytes() == b"a house .\n" * 3 + b"a\n\nc\nd\n"
    assert (corpus.raw / "train.de").read_text().split("\n")[3:] == ["x", "\u2028y", "z", "w", ""]


def test_every_line_is_brought_into_one_form_and_that_is_said(local):
    put(local, "train.xx", "e\u0301te\u0301\nnai\u0308ve\u200b\n\u00e9t\u00e9\ttoo\n".encode())
    put(local, "test.yy", b"glue\x01less\nder\xc2\xad Hund\n")
    result = local.run("corpus")
    assert result.returncode == 0, result.stderr
    assert (local.raw / "train.xx").read_text() == "été\nnaïve\nété too\n"
    assert (local.raw / "test.yy").read_text() == "glue less\nder Hund\n"
    assert "note: train.xx: 2 of 3 lines were brought into one form" in result.stderr
    assert "note: test.yy: 2 of 2 lines were brought into one form" in result.stderr
    assert "note: dev" not in result.stderr


def test_the_demos_text_has_the_digests_on_its_card(tmp_path):
    params = load_params(ROOT / "params.yaml", ROOT)
    assert params.local_text is not None
    write_local(ROOT / params.local_text, params.languages, params.sets, tmp_path)
    card = (ROOT / "experiments/demo/README.md").read_text()
    expected = {name: digest for digest, name in re.findall(r"    ([0-9a-f]{64})  (\S+)", card)}
    assert expected == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()
    }


@pytest.fixture
def local(project) -> Project:
    """Return a small project that brings its own text, in two languages that Moses has no rules for."""
    for side, code in (("source", "xx"), ("target", "yy")):
        project.params["languages"][side] = {"code": code, "name": code, "tokenize": "words"}
    for name, text in TEXT.items():
        put(project, name, text.encode())
    return project


def folder(project: Project) -> Path:
    return project.folder / "experiments/tiny/text"


def put(project: Project, name: str, content: bytes) -> None:
    """Write a file where the experiment's text lies."""
    folder(project).mkdir(parents=True, exist_ok=True)
    (folder(project) / name).write_bytes(content)


def test_rows_that_are_blank_in_all_files_are_left_out_and_counted(local):
    """The links keep to their own lines."""
    put(local, "test.xx", b"a b\n \nc d\n")
    put(local, "test.yy", b"e f\n\ng h\n")
    put(local, "test.links", b"0-0\n\n1-1\n")
    result = local.run("corpus")
    assert result.returncode == 0, result.stderr
    assert "note: test: 1 lines are blank in all of its files, and left out\n" in result.stderr
    assert "brought into one form" not in result.stderr
    written = [(local.raw / f"test.{suffix}").read_text() for suffix in ("xx", "yy", "links")]
    assert written == ["a b\nc d\n", "e f\ng h\n", "0-0\n1-1\n"]


def test_links_come_along(local):
    put(local, "test.links.gz", gzip.compress(b"1-1 0?0\n\n"))
    local.succeed("corpus")
    assert {path.name for path in local.raw.iterdir()} == {*TEXT, "test.links"}
    local.succeed("tokens")
    for folder in (local.raw, local.tokens):
        assert (folder / "test.links").read_text() == "0?0 1-1\n\n"
    summary = json.loads((local.tokens / "summary.json").read_text())["sets"]["test"]
    assert {code: of["tokens"] for code, of in summary["text"].items()} == {"xx": 4, "yy": 4}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test.xx", b"\xff\xfea\0\n\0", "test.xx: .*UTF-16"),
        ("dev.yy", None, "dev.yy: no such file"),
        ("dev.yy.gz", b"ein\n", "dev.yy: there is dev.yy.gz, too"),
        ("dev.yy", b"a\nb\n", "dev.xx has 1, .*dev.yy has 2"),
        ("test.yy", b"a\n\xe2\x80\x8b\n", "test.yy:2: blank line"),
        ("test.links", b"0-0\n", "test.links has 1"),
    ],
)
def test_faults_of_local_text_are_named(local, name, content, message):
    (folder(local) / name).unlink(missing_ok=True)
    if content is None:
        (folder(local) / name).symlink_to(local.folder / "moved")
    else:
        put(local, name, content)
    raw = local.folder / "raw"
    raw.mkdir()
    languages = Languages.model_validate(local.params["languages"])
    with pytest.raises(InputError, match=f"{folder(local)}/{message}"):
        write_local(folder(local), languages, Sets.model_validate(local.params["sets"]), raw)
