"""An HTTP server on this machine that serves files properly, or misbehaves as a test tells it to."""

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
    """A client's request."""

    path: str
    range: str | None


class Answer(BaseHTTPRequestHandler):
    """One answer to a request, given in the next manner that the server has for its path."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        """Answer in the next of the path's manners, or properly if none is left."""
        name = self.path.split("?")[0].lstrip("/")
        self.server.asked.append(Asked(name, self.headers["Range"]))
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
        """Send status and headers; write ``Content_Length`` for the header Content-Length."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Connection", "close")
        self.end_headers()


Manner = Callable[[Answer, bytes], None]


class Server(ThreadingHTTPServer):
    """Serves ``files``; for each, ``manners`` lists how the next requests are answered, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.manners: dict[str, list[Manner]] = {}
        self.asked: list[Asked] = []
        self.ended = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: some clients are meant to hang up."""

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


def well(
    upto: int | None = None,
    says: int = 0,
    ranges: bool = True,
    after: Callable[[Answer], None] = lambda answer: None,
    **headers: object,
) -> Manner:
    """Serve the part that is asked for.

    Args:
        upto: Send at most this many bytes of it.
        says: Announce this many bytes more (or fewer, if negative) than there are.
        ranges: Whether parts are served; if not, the whole file is sent.
        after: Called before the connection is closed.
        headers: Further headers to send.
    """

    def manner(answer: Answer, content: bytes) -> None:
        start = _start(answer) if ranges else 0
        if start is None:
            span = f"bytes */{len(content)}"
            answer.start(416, Content_Length=0, Content_Range=span, Content_Type="text/html")
            return
        body, part = content[start:], dict[str, object]()
        if start:
            part["Content_Range"] = f"bytes {start}-{len(content) - 1}/{len(content) + says}"
        answer.start(206 if start else 200, Content_Length=len(body) + says, **headers, **part)
        answer.wfile.write(body[:upto])
        answer.wfile.flush()
        after(answer)

    def _start(answer: Answer) -> int | None:
        asked = re.fullmatch(r"bytes=(\d+)-", answer.headers["Range"] or "")
        if asked is None:
            return 0
        length = len(answer.server.files[answer.path.split("?")[0].lstrip("/")])
        return int(asked[1]) if int(asked[1]) < length else None

    return manner


def status(code: int, **headers: object) -> Manner:
    """Answer with a status and no body."""
    return lambda answer, content: answer.start(code, Content_Length=0, **headers)


def chunked(upto: int | None = None) -> Manner:
    """Send the file in chunks, without its length. If it is cut, the mark of the end is missing."""

    def manner(answer: Answer, content: bytes) -> None:
        answer.start(200, Transfer_Encoding="chunked")
        body = content[:upto]
        answer.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        answer.wfile.write(b"0\r\n\r\n" if upto is None else b"")

    return manner


def unsaid(upto: int | None = None) -> Manner:
    """Send the file or its beginning without a length: only the closed connection marks the end."""

    def manner(answer: Answer, content: bytes) -> None:
        answer.start(200)
        answer.wfile.write(content[:upto])

    return manner


def web_page(answer: Answer, content: bytes) -> None:
    """Send a web page with a form instead of the file."""
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
    """Reset the connection instead of closing it."""
    linger = struct.pack("ii", 1, 0)
    answer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    answer.connection.close()
