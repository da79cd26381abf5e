"""An HTTP server on this machine that serves what it is given, well or as badly as it is told to."""

import hashlib
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from attnmt.config import File


class Asked(NamedTuple):
    """What a client asked for."""

    path: str
    range: str | None
    version: str | None  # If-Range


class Answer(BaseHTTPRequestHandler):
    """One answer; the server's manners say how it is given."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        """Answer as the next of the path's manners says, well if there is none."""
        name = self.path.split("?")[0].lstrip("/")
        version = self.headers["If-Range"]
        self.server.asked.append(Asked(name, self.headers["Range"], version))
        manners = self.server.manners.get(name, [])
        manner = manners.pop(0) if manners else well()
        if name in self.server.files:
            manner(self, self.server.files[name])
        else:
            status(404)(self, b"")
        self.close_connection = True

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""

    def start(self, code: int, **headers: object) -> None:
        """Send status and headers, ``Content_Length`` for Content-Length."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Connection", "close")
        self.end_headers()


Manner = Callable[[Answer, bytes], None]


class Server(ThreadingHTTPServer):
    """Serves ``files``; of each, ``manners`` has how the next answers are given, one after the other."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.manners: dict[str, list[Manner]] = {}
        self.asked: list[Asked] = []
        self.ended = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: clients that go are part of the game."""

    def url(self, name: str) -> str:
        """Return the address of a file."""
        return f"http://127.0.0.1:{self.server_port}/{name}?raw=true"

    def file(self, name: str, content: bytes, algorithm: str = "sha256", **more: Any) -> File:
        """Describe a file of the server whose content ought to be ``content``."""
        digest = f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}"
        return File(**{"url": self.url(name), "digest": digest} | more)


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server that runs."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def etag(content: bytes) -> str:
    """Return a version's name."""
    return f'"{hashlib.sha256(content).hexdigest()[:8]}"'


def well(
    upto: int | None = None,
    says: int = 0,
    ranges: bool = True,
    after: Callable[[Answer], None] = lambda answer: None,
    **headers: object,
) -> Manner:
    """Serve the part that is asked for.

    Args:
        upto: but at most so many bytes of it.
        says: so many bytes more (or fewer) than there are.
        ranges: whether parts are served at all.
        after: done before the connection is closed.
        headers: in place of an ETag.
    """

    def manner(answer: Answer, content: bytes) -> None:
        version = headers or {"ETag": etag(content)}
        start = _start(answer, version) if ranges else 0
        if start is None:
            span = f"bytes */{len(content)}"
            answer.start(416, Content_Length=0, Content_Range=span, Content_Type="text/html")
            return
        body = content[start:]
        if start:
            span = f"bytes {start}-{len(content) - 1}/{len(content) + says}"
            version = version | {"Content_Range": span}
        answer.start(206 if start else 200, Content_Length=len(body) + says, **version)
        answer.wfile.write(body[:upto])
        answer.wfile.flush()
        after(answer)

    def _start(answer: Answer, version: dict[str, object]) -> int | None:
        asked = re.fullmatch(r"bytes=(\d+)-", answer.headers["Range"] or "")
        if asked is None or answer.headers["If-Range"] not in (None, *version.values()):
            return 0
        length = len(answer.server.files[answer.path.split("?")[0].lstrip("/")])
        return int(asked[1]) if int(asked[1]) < length else None

    return manner


def status(code: int, **headers: object) -> Manner:
    """Answer with a status alone."""
    return lambda answer, content: answer.start(code, Content_Length=0, **headers)


def chunked(upto: int | None = None) -> Manner:
    """Send the whole without saying how long it is; cut, the end's mark is missing."""

    def manner(answer: Answer, content: bytes) -> None:
        answer.start(200, Transfer_Encoding="chunked")
        body = content[:upto]
        answer.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        answer.wfile.write(b"0\r\n\r\n" if upto is None else b"")

    return manner


def unsaid(upto: int | None = None) -> Manner:
    """Send the whole, or its beginning, with nothing but the connection's end to end it."""

    def manner(answer: Answer, content: bytes) -> None:
        answer.start(200)
        answer.wfile.write(content[:upto])

    return manner


def web_page(answer: Answer, content: bytes) -> None:
    """Show a form in place of the file."""
    answer.start(200, Content_Type="Text/HTML; charset=utf-8", Content_Length=13)
    answer.wfile.write(b"Who are you? ")


def another_part(answer: Answer, content: bytes) -> None:
    """Send some bytes from the middle, whatever was asked for."""
    answer.start(206, Content_Length=5, Content_Range=f"bytes 7-11/{len(content)}")
    answer.wfile.write(content[7:12])


def stall(answer: Answer) -> None:
    """Say nothing more until the server ends."""
    answer.server.ended.wait()


def reset(answer: Answer) -> None:
    """End the connection the hard way."""
    linger = struct.pack("ii", 1, 0)
    answer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    answer.connection.close()
