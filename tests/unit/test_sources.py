"""Fetching: digests, what is kept, the mirror, and what goes wrong."""

import functools
import hashlib
import threading
from collections.abc import Iterator
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from attnmt.config import File
from attnmt.data.sources import fetch
from attnmt.errors import InputError

CONTENT = b"a sentence\n"


class Server:
    """Serves a folder on this machine and notes what was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        asked = self.asked

        class Handler(SimpleHTTPRequestHandler):
            def log_request(self, *args: object) -> None:
                asked.append(self.path)

        self.http = HTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))

    def file(self, name: str, content: bytes = CONTENT, algorithm: str = "sha256") -> File:
        """Describe a file of the server whose content ought to be ``content``."""
        url = f"http://127.0.0.1:{self.http.server_port}/{name}?raw=true"
        return File(url=url, digest=f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "a.en").write_bytes(CONTENT)
    server = Server(folder)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256"])
def test_fetched_once(server: Server, tmp_path: Path, algorithm: str) -> None:
    file = server.file("a.en", algorithm=algorithm)
    for _ in range(2):
        path = fetch(file, tmp_path / "kept")
        assert path == tmp_path / "kept/a.en"
        assert path.read_bytes() == CONTENT
    assert len(server.asked) == 1


def test_a_kept_file_that_is_wrong_is_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/a.en").write_bytes(b"half")
    assert fetch(server.file("a.en"), tmp_path / "kept").read_bytes() == CONTENT


def test_wrong_digest_leaves_nothing(server: Server, tmp_path: Path) -> None:
    file = server.file("a.en", content=b"another")
    found = hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(InputError) as error:
        fetch(file, tmp_path / "kept")
    for part in (file.url, f"expected {file.digest}", f"found sha256:{found}", "try again"):
        assert part in str(error.value)
    assert list((tmp_path / "kept").iterdir()) == []


def test_no_such_address(server: Server, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"b\.en\?raw=true: cannot be fetched \(404 .*ATTNMT_MIRROR"
    ):
        fetch(server.file("b.en"), tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    file = File(url="http://127.0.0.1:1/a.en", digest="md5:" + 32 * "0")
    with pytest.raises(InputError, match="check the network, or set ATTNMT_MIRROR"):
        fetch(file, tmp_path / "kept")


def test_mirror(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNMT_MIRROR", str(server.folder))
    assert fetch(server.file("a.en"), tmp_path / "kept") == server.folder / "a.en"
    with pytest.raises(InputError, match=r"served/b\.en: no such file in the mirror; http"):
        fetch(server.file("b.en"), tmp_path / "kept")
    with pytest.raises(InputError, match=r"served/a\.en: digest does not match: expected sha256:"):
        fetch(server.file("a.en", content=b"another"), tmp_path / "kept")
    assert server.asked == []
    assert not (tmp_path / "kept").exists()
