"""Text of one's own, in the experiment's folder: what the corpus and the tokens stages make of it."""

import gzip
import json
from pathlib import Path

import pytest
from small_project import Project

from attnmt.config import Languages, Sets
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


@pytest.fixture
def local(project: Project) -> Project:
    """Return a small project that brings its own text, in two languages that Moses has no rules for."""
    project.params["corpus"] = {"kind": "local"}
    for side, code in (("source", "xx"), ("target", "yy")):
        project.params["languages"][side] = {"code": code, "name": code, "tokenize": "plain"}
    for name, text in TEXT.items():
        put(project, name, text.encode())
    return project


def folder(project: Project) -> Path:
    return project.folder / "experiments/tiny/text"


def put(project: Project, name: str, content: bytes) -> None:
    """Write a file where the experiment's text lies."""
    folder(project).mkdir(parents=True, exist_ok=True)
    (folder(project) / name).write_bytes(content)


def refused(project: Project) -> str:
    """Return why the corpus stage refuses the text."""
    languages = Languages.model_validate(project.params["languages"])
    sets = Sets.model_validate(project.params["sets"])
    raw = project.folder / "raw"
    raw.mkdir()
    with pytest.raises(InputError) as error:
        write_local(folder(project), languages, sets, raw)
    return str(error.value)


def test_the_files_are_copied(local: Project) -> None:
    local.succeed("corpus")
    assert {path.name: path.read_text() for path in local.raw.iterdir()} == TEXT


def test_compressed_and_linked_files_are_read(local: Project) -> None:
    (folder(local) / "train.xx").unlink()
    put(local, "train.xx.gz", gzip.compress(b"\xef\xbb\xbfe\r\nf\ng"))
    elsewhere = local.folder / "elsewhere.txt"
    elsewhere.write_text("E\nF\nG\n")
    (folder(local) / "train.yy").unlink()
    (folder(local) / "train.yy").symlink_to(elsewhere)
    local.succeed("corpus")
    assert (local.raw / "train.xx").read_text() == "e\nf\ng\n"
    assert (local.raw / "train.yy").read_text() == "E\nF\nG\n"


def test_only_the_files_of_the_sets_are_read(local: Project) -> None:
    put(local, "other.xx", b"\xff")
    put(local, "train.xx.bak", b"\xff")
    local.succeed("corpus")
    assert {path.name for path in local.raw.iterdir()} == TEXT.keys()


def test_references_and_links_come_along(local: Project) -> None:
    put(local, "test.yy.2", b"Ein Hund .\nDer Hund, ja.\n")
    put(local, "test.yy.3.gz", gzip.compress(b"1\n2\n"))
    put(local, "test.links.gz", gzip.compress(b"1-1 0?0\n\n"))
    local.succeed("corpus")
    names = {path.name for path in local.raw.iterdir()}
    assert names == {*TEXT, "test.yy.2", "test.yy.3", "test.links"}
    assert (local.raw / "test.links").read_text() == "0?0 1-1\n\n"
    local.succeed("tokens")
    assert (local.tokens / "test.yy.2").read_text() == "Ein Hund .\nDer Hund , ja .\n"
    assert (local.tokens / "test.links").read_text() == "0?0 1-1\n\n"
    summary = json.loads((local.tokens / "summary.json").read_text())["sets"]["test"]
    counts = {suffix: counts["tokens"] for suffix, counts in summary["text"].items()}
    assert counts == {"xx": 4, "yy": 4, "yy.2": 8, "yy.3": 2}


@pytest.mark.parametrize(
    ("name", "content", "messages"),
    [
        ("dev.yy", None, ["dev.yy: no such file; put the text of 'yy' there, or link it"]),
        ("dev.yy.gz", b"ein\n", ["dev.yy: there is dev.yy.gz, too; keep one of the two"]),
        ("dev.yy", b"", ["dev.yy: the file is empty"]),
        ("dev.yy", b"a\nb\n", ["dev.xx has 1", "dev.yy has 2"]),
        ("test.yy", b"a\n\n", ["test.yy:2: blank line in a set that is scored; take the pair out"]),
        ("test.yy.2", b"a\n \n", ["test.yy.2:2: blank line in a set that is scored"]),
        ("test.yy.2", b"a\n", ["test.yy.2 has 1"]),
        ("train.yy", b"a\n\xfc\nc\n", ["train.yy:2: byte 0xfc is not UTF-8"]),
        ("test.links", b"0-0\n", ["test.links has 1"]),
        ("test.links", b"0-0\n0~0\n", ["test.links:2: '0~0' is not a link"]),
    ],
)
def test_faults_are_named(
    local: Project, name: str, content: bytes | None, messages: list[str]
) -> None:
    if content is None:
        (folder(local) / name).unlink()
    else:
        put(local, name, content)
    message = refused(local)
    assert f"{folder(local)}/{messages[0]}" in message
    assert all(part in message for part in messages), message


def test_a_broken_link_is_no_file(local: Project) -> None:
    (folder(local) / "train.xx").unlink()
    (folder(local) / "train.xx").symlink_to(local.folder / "moved")
    assert refused(local).startswith(f"{folder(local)}/train.xx: no such file")


def test_links_that_lie_outside_the_tokens_are_named(local: Project) -> None:
    put(local, "test.links", b"0-0\n2-0\n")
    local.succeed("corpus")
    assert "raw/test.links:2: link 2-0 lies outside the pair's 2 and 2" in local.fail("tokens")


def test_references_of_the_training_set_are_dropped_with_their_pairs(local: Project) -> None:
    put(local, "train.yy.2", b"1 1\n2\n\n")
    local.succeed("corpus")
    local.succeed("tokens")
    assert (local.tokens / "train.xx").read_text() == "a house\n"
    assert (local.tokens / "train.yy.2").read_text() == "1 1\n"


def test_characters_are_tokens_where_the_language_says_so(local: Project) -> None:
    local.params["languages"]["target"]["tokenize"] = "characters"
    local.params["tokenize"]["tokenized"] = ["dev"]
    put(local, "dev.xx", b"it's\n")
    put(local, "dev.yy", "我's 爱\n".encode())
    local.succeed("corpus")
    local.succeed("tokens")
    assert (local.tokens / "test.yy").read_text().split("\n")[0] == "e i n ▁ H u n d"
    assert (local.tokens / "dev.xx").read_text() == "it&apos;s\n"
    assert (local.tokens / "dev.yy").read_text() == "我's 爱\n"  # characters are never escaped


def test_a_language_that_moses_does_not_have_is_named(local: Project) -> None:
    local.params["languages"]["source"]["tokenize"] = "moses"
    local.succeed("corpus")
    assert "languages: there are no rules of Moses for 'xx', only for as, bn" in local.fail(
        "tokens"
    )
