"""An HTTP server on this machine that serves files properly, or misbehaves as a test tells it to."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from attnmt.config import File


class Answer(BaseHTTPRequestHandler):
    """One answer to a request."""

    server: "Server"

    def do_GET(self) -> None:
        """Send the file, or as much of it as the next of the path's faults lets through."""
        name = self.path.split("?")[0].lstrip("/")
        self.server.asked.append(name)
        content, faults = self.server.files.get(name), self.server.faults.get(name)
        sent = faults.pop(0) if faults else None
        found, start = content is not None and sent != -1, 0
        if found and self.server.ranges and (asked := self.headers.get("Range")):
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            self.server.starts.append(start)
        over = bool(start) and start >= len(content)
        status = 416 if over else 206 if start else 200
        content = b"" if over or not found else content[start:]
        self.send_response(status if found else 503 if sent == -1 else 404)
        self.send_header("Content-Length", str(len(content)))
        if name.endswith(".tgz"):  # as many servers do
            self.send_header("Content-Encoding", "x-gzip")
        self.end_headers()
        self.wfile.write(content[:sent] if found else b"")

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""


class Server(ThreadingHTTPServer):
    """Serves ``files``.

    For each file, ``faults`` has how many bytes the next answers send before they break off, in order;
    -1 is the status 503. With ``ranges``, an answer may begin later, and ``starts`` has where.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[int]] = {}
        self.asked: list[str] = []
        self.ranges = False
        self.starts: list[int] = []

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
