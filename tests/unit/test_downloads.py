"""Fetching ends with the right bytes or with a message that says what to do."""

import hashlib
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_server import Server, serving

from attnmt.config import File
from attnmt.config.corpus import License
from attnmt.corpora.downloads import CHUNK, RETRIES, fetch
from attnmt.errors import InputError

CONTENT = random.Random(1).randbytes(200_000)  # more than a chunk
OTHER = random.Random(2).randbytes(200_000)
TRIES = RETRIES + 1
SENT = (60_000, 110_000, 150_000, 180_000)  # by the first answers, if none is cut
RWTH = License(name="rwth", terms="not to be passed on", url="https://example.org/terms")


@pytest.fixture(autouse=True)
def network(monkeypatch) -> None:
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(time, "sleep", lambda seconds: None)  # between two tries


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        server.files["a.en"] = CONTENT
        yield server


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "kept"


def fetch_one(file: File, folder: Path) -> bytes:
    assert fetch([file], folder) == {file.name: folder / file.name}
    return (folder / file.name).read_bytes()


def refused(file: File, folder: Path) -> str:
    """Fetch a file that cannot be fetched; return the message. Only a part may be left behind."""
    with pytest.raises(InputError) as error:
        fetch([file], folder)
    assert not (folder / file.name).exists()
    assert file.name in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_a_file_is_fetched_once(server, folder, algorithm):
    file = server.file("a.en", CONTENT, algorithm)
    for _ in range(2):
        assert fetch_one(file, folder) == CONTENT
    assert server.asked == ["a.en"]
    assert [path.name for path in folder.iterdir()] == ["a.en"]


def test_a_file_that_is_not_the_right_one_is_fetched_again(server, folder):
    folder.mkdir()
    (folder / "a.en").write_bytes(b"put by hand")
    file = server.file("a.en", CONTENT)
    assert fetch_one(file, folder) == CONTENT
    server.files["a.en"] = OTHER
    (folder / "a.en").unlink()
    message = refused(file, folder)
    assert all(hashlib.sha256(held).hexdigest() in message for held in (CONTENT, OTHER))


@pytest.mark.parametrize("fault", [100_000, -1])
def test_a_transfer_that_breaks_off_is_tried_again(server, folder, fault):
    server.faults["a.en"] = [fault] * RETRIES
    assert fetch_one(server.file("a.en", CONTENT), folder) == CONTENT
    assert len(server.asked) == TRIES
    (folder / "a.en").unlink()
    server.faults["a.en"] = [fault] * (TRIES + 1)  # the first of them may bring something
    assert server.url("a.en") in refused(server.file("a.en", CONTENT), folder)


def test_a_download_goes_on_where_it_broke_off(server, folder):
    """Breaks that brought something are no tries. A new start goes on, too."""
    server.ranges = True
    server.faults["a.en"] = [60_000, 50_000, 40_000, 30_000, *[-1] * TRIES]
    file = server.file("a.en", CONTENT)
    refused(file, folder)
    assert fetch_one(file, folder) == CONTENT
    starts = dict.fromkeys(server.starts)
    assert all(0 <= sent - start < 4 * CHUNK for sent, start in zip(SENT, starts, strict=True))
    (folder / "a.en").rename(folder / "a.en.partial")
    server.files["a.en"] = other = OTHER[:150_000]  # the part is of something longer
    assert fetch_one(server.file("a.en", other), folder) == other


def test_every_address_is_tried_and_named_if_none_gives_the_file(server, folder):
    server.files["other/a.en"] = OTHER
    nowhere = "http://127.0.0.1:1/a.en"
    mirrors = [server.url("mirror/a.en"), nowhere]
    message = refused(server.file("other/a.en", CONTENT, mirrors=mirrors), folder)
    assert f"{server.url('mirror/a.en')}: 404" in message
    assert f"{nowhere}: " in message
    file = server.file("other/a.en", CONTENT, mirrors=[*mirrors, server.url("a.en")])
    assert fetch_one(file, folder) == CONTENT
    assert server.asked[-1] == "a.en"


def test_terms_must_be_accepted_before_anything_is_fetched(server, folder):
    first, second = server.file("a.en", CONTENT), server.file("b", b"", license=RWTH)
    server.files["b"] = b""
    with pytest.raises(InputError, match=r"^x\.yaml:7: corpus.accept: .*b.*example\.org/terms"):
        fetch([first, second], folder, ["other"], "x.yaml:7: corpus.accept")
    assert server.asked == []
    fetch([first, second], folder, ["rwth"])
    assert sorted(path.name for path in folder.iterdir()) == ["a.en", "b"]


def test_a_mirror_takes_the_place_of_the_network(server, folder, tmp_path, monkeypatch):
    mirror = tmp_path / "served"
    mirror.mkdir()
    (mirror / "a.en").write_bytes(CONTENT)
    monkeypatch.setenv("ATTNMT_MIRROR", str(mirror))
    assert fetch([server.file("a.en", CONTENT, license=RWTH)], folder) == {"a.en": mirror / "a.en"}
    with pytest.raises(InputError, match=r"served/b\.en: .* http"):
        fetch([server.file("b.en", CONTENT)], folder)
    with pytest.raises(InputError, match=r"served/a\.en: .* sha256:"):
        fetch([server.file("a.en", OTHER)], folder)
    assert server.asked == []
    assert not folder.exists()
