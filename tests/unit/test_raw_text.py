"""The corpus stage, as a command."""

import gzip

import pytest
from small_project import Project

from attnmt.corpora.links import read_links


def test_the_stage_writes_a_file_for_each_side_of_each_set(corpus: Project) -> None:
    corpus.succeed("corpus")
    assert sorted(path.name for path in corpus.raw.iterdir()) == [
        f"{name}.{language}" for name in ("dev", "test", "train") for language in ("de", "en")
    ]
    assert (corpus.raw / "dev.de").read_bytes() == "ein Haus ü .\n".encode() * 2


def test_files_are_concatenated_and_cleaned(corpus: Project) -> None:
    corpus.add("train", b"\xef\xbb\xbfa\r\n\nc", b"x\n\xe2\x80\xa8y\nz\n")
    corpus.add("train", gzip.compress(b"d\n"), gzip.compress(b"w\n"), suffix=".gz")
    corpus.succeed("corpus")
    assert (corpus.raw / "train.en").read_bytes() == b"a house .\n" * 3 + b"a\n\nc\nd\n"
    assert (corpus.raw / "train.de").read_text().split("\n")[3:] == ["x", "\u2028y", "z", "w", ""]


@pytest.mark.parametrize(
    ("name", "en", "de", "messages"),
    [
        ("train", b"a\nb\n", b"a\n", ["train1.en has 2", "train1.de has 1", "complete copy"]),
        ("train", b"a\n", b"", ["train1.de: the file is empty"]),
        ("train", b"a\nb\n", b"a\n\xfc\n", ["train1.de:2: byte 0xfc is not UTF-8"]),
        ("dev", b"a\nb\n", b"a\n \n", ["dev1.de:2: blank line", "take the pair out"]),
        ("test", b"\na\n", b"a\nb\n", ["test1.en:1: blank line"]),
    ],
)
def test_bad_text_is_named_with_its_line(
    corpus: Project, name: str, en: bytes, de: bytes, messages: list[str]
) -> None:
    corpus.add(name, en, de)
    message = corpus.fail("corpus")
    assert all(part in message for part in messages), message


def test_a_text_of_another_encoding_may_stand_in_a_set_twice(corpus: Project) -> None:
    files = corpus.params["corpus"]["files"]["train"]
    corpus.add("train", "é\n".encode("cp1252"), "ü\n".encode("cp1252"))
    for language in ("en", "de"):
        files[language][1]["encoding"] = "cp1252"
        files[language].append(files[language][1])
        files[language].pop(0)
    corpus.succeed("corpus")
    assert (corpus.raw / "train.en").read_text() == "é\né\n"
    assert (corpus.raw / "train.de").read_text() == "ü\nü\n"


def test_a_file_missing_in_the_mirror_is_named(corpus: Project) -> None:
    (corpus.mirror / "dev0.en").unlink()
    assert "mirror/dev0.en: no such file in the mirror" in corpus.fail("corpus")


def test_wrong_digest_keeps_the_earlier_output(corpus: Project) -> None:
    corpus.succeed("corpus")
    (corpus.mirror / "dev0.en").write_bytes(b"tampered\n")
    message = corpus.fail("corpus")
    assert "mirror/dev0.en: digest does not match: expected sha256:" in message


def test_the_grammars_text_has_the_sizes_that_are_asked_for(project: Project) -> None:
    project.succeed("corpus")
    for name, size in project.params["corpus"]["sizes"].items():
        links = read_links(project.raw / f"{name}.links")
        sides = [(project.raw / f"{name}.{k}").read_text().splitlines() for k in ("en", "de")]
        assert [len(links), *map(len, sides)] == [size] * 3
        assert all(gold.sure for gold in links)
    project.succeed("tokens")  # which checks that links lie inside the tokens
