"""An HTTP server on this machine that serves files properly, or misbehaves as a test tells it to."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from attnmt.config import File


class Answer(BaseHTTPRequestHandler):
    """One answer to a request, given in the next manner that the server has for its path."""

    server: "Server"

    def do_GET(self) -> None:
        """Answer in the next of the path's manners, or properly if none is left."""
        name = self.path.split("?")[0].lstrip("/")
        self.server.asked.append(name)
        manners = self.server.manners.get(name, [])
        manner = manners.pop(0) if manners else well()
        if name in self.server.files:
            manner(self, self.server.files[name])
        else:
            status(404)(self, b"")

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""

    def start(self, code: int, **headers: object) -> None:
        """Send status and headers; write ``Content_Length`` for the header Content-Length."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()


Manner = Callable[[Answer, bytes], None]


class Server(ThreadingHTTPServer):
    """Serves ``files``; for each, ``manners`` lists how the next requests are answered, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.manners: dict[str, list[Manner]] = {}
        self.asked: list[str] = []

    def url(self, name: str) -> str:
        """Return the address of a file."""
        return f"http://127.0.0.1:{self.server_port}/{name}?raw=true"

    def file(self, name: str, content: bytes, algorithm: str = "sha256", **more: Any) -> File:
        """Describe a file on the server that should hold ``content``."""
        digest = f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}"
        return File(**{"url": self.url(name), "digest": digest} | more)


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server that runs."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def well(upto: int | None = None, **headers: object) -> Manner:
    """Announce the whole file, and send its first bytes or all of them."""

    def manner(answer: Answer, content: bytes) -> None:
        answer.start(200, Content_Length=len(content), **headers)
        answer.wfile.write(content[:upto])

    return manner


def status(code: int) -> Manner:
    """Answer with a status and no body."""
    return lambda answer, content: answer.start(code, Content_Length=0)
