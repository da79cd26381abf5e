"""Fetch what is still missing of one file from one address, over as many connections as it takes."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import requests
from urllib3.exceptions import HTTPError, InvalidHeader, MaxRetryError
from urllib3.util import Retry

logger = logging.getLogger(__name__)
CHUNK = 1 << 16
NO_MORE = 416  # the status of a server that has no bytes beyond our part
RETRIED = (408, 429, 500, 502, 503, 504)  # the server may do better a little later


@dataclass(frozen=True)
class Patience:
    """How long to wait for a transfer that makes no progress. Times are in seconds."""

    connecting: float = 10  # the longest time to connect to a server
    silence: float = 60  # after this time without a byte, a connection counts as broken
    tries: int = 6  # how many tries in a row may bring no further byte
    unreached: int = 2  # the same, if there has been no connection at all
    pause: float = 2  # before the second try; twice as long before each that follows
    longest: float = 300  # the longest pause, even where a server asks for more


class TransferError(Exception):
    """An address does not give the file; the message says why."""


class StoppedError(Exception):
    """Another thread wants the transfer to end."""


class _BrokenError(Exception):
    """A connection ended too early; another one may complete the file."""

    def __init__(self, why: str, pause: float = 0, reached: bool = True) -> None:
        super().__init__(why)
        self.pause = pause  # seconds that the server asks for
        self.reached = reached  # whether there was a connection


@dataclass
class Transfer:
    """The transfer of one file into ``part``. The part is kept if the transfer breaks off.

    A part that is there already is completed (HTTP Range). The caller must check by the digest of the
    whole file that all pieces come from one version of it.
    """

    part: Path
    size: int | None  # of the whole file, in bytes, if it is known
    patience: Patience
    stopped: Event  # set by another thread that wants the transfer to end
    arrived: Callable[[int, int | None], None] = lambda have, total: None  # called with every chunk
    pieced: bool = False  # whether the part came over more than one connection

    def run(self, url: str) -> None:
        """Fetch what is missing of the file.

        Raises:
            TransferError: if the address has no such file, has one of another size, shows a web page
                instead, cannot be reached, or breaks off too often without a further byte.
            OSError: if the part cannot be written.
            StoppedError: if another thread wants the transfer to end.
        """
        tries, furthest, reached = 0, self._have(), False
        self.pieced = furthest > 0
        while self.size is None or self._have() != self.size:
            self._heed_stop()
            try:
                with _connection(url, self._headers(), self.patience) as response:
                    self._receive(response)
                return
            except _BrokenError as broken:
                tries = 0 if self._have() > furthest else tries + 1
                furthest = max(furthest, self._have())
                reached = reached or broken.reached
                if tries >= (self.patience.tries if reached else self.patience.unreached):
                    raise TransferError(f"{broken}; gave up after {tries} tries") from None
                pause = max(self.patience.pause * 2 ** max(0, tries - 1), broken.pause)
                pause = min(pause, self.patience.longest)
                logger.warning("%s: %s; again in %.0f s", url, broken, pause)
                if self.stopped.wait(pause):
                    raise StoppedError from None

    def restart(self) -> None:
        """Delete what has arrived."""
        self.part.unlink(missing_ok=True)
        self.pieced = False

    def _heed_stop(self) -> None:
        if self.stopped.is_set():
            raise StoppedError

    def _have(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _headers(self) -> dict[str, str]:
        # Content coding is off, because the pieces must add up to the file's own bytes.
        headers = {"Accept-Encoding": "identity"}
        if self._have():
            headers["Range"] = f"bytes={self._have()}-"
        return headers

    def _receive(self, response: requests.Response) -> None:
        """Append an answer's body to the part. A body that is the whole file replaces the part."""
        self._heed_stop()
        if response.status_code == NO_MORE:  # after a kill between the last byte and the check
            self.pieced = True
            return
        have, total = self._place(response)
        if self.size is not None and total not in (None, self.size):
            raise TransferError(f"has {total:,} bytes, not {self.size:,}: another file")
        most = total if total is not None else self.size
        self.pieced = have > 0
        with self.part.open("ab" if have else "wb") as stream:
            try:
                for chunk in _chunks(response):
                    self._heed_stop()
                    have += len(chunk)
                    if most is not None and have > most:
                        raise TransferError(f"sends more than the {most:,} bytes that it has")
                    stream.write(chunk)
                    self.arrived(have, most)
            except HTTPError as error:
                raise _BrokenError(f"broke off after {have:,} bytes ({_reason(error)})") from None
        if most is not None and have < most:
            raise _BrokenError(f"broke off after {have:,} of {most:,} bytes")

    def _place(self, response: requests.Response) -> tuple[int, int | None]:
        """Return where in the file an answer's body starts, and the file's length if it is known."""
        if response.status_code == 200:
            length = response.headers.get("Content-Length", "")
            return 0, int(length) if length.isdecimal() else None
        unit, _, extent = response.headers.get("Content-Range", "").partition(" ")
        span, _, total = extent.partition("/")
        if unit != "bytes" or span.partition("-")[0] != str(self._have()):
            self.restart()
            raise _BrokenError("answered with another part than was asked for")
        return self._have(), int(total) if total.isdecimal() else None


@contextmanager
def _connection(
    url: str, headers: dict[str, str], patience: Patience
) -> Iterator[requests.Response]:
    """Yield a server's answer; raise what goes wrong as an error of this module."""
    answers = (200, 206, NO_MORE) if "Range" in headers else (200, 206)
    timeout = patience.connecting, patience.silence
    try:
        with requests.get(url, headers=headers, stream=True, timeout=timeout) as response:
            status = f"{response.status_code} {response.reason}"
            if response.status_code in RETRIED:
                raise _BrokenError(status, _retry_after(response))
            if response.status_code not in answers:
                raise TransferError(status)
            kind = response.headers.get("Content-Type", "").lower()
            if response.status_code == 200 and kind.startswith("text/html"):
                raise TransferError("answers with a web page, not with the file")
            yield response
    except requests.ConnectTimeout:
        raise _BrokenError(f"no connection in {patience.connecting:g} s", reached=False) from None
    except (requests.ConnectionError, requests.Timeout) as error:
        reached = not isinstance(error.args[0], MaxRetryError)  # raised only while connecting
        raise _BrokenError(_reason(error), reached=reached) from None
    except requests.RequestException as error:  # such as an address that is not a URL
        raise TransferError(str(error)) from None


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """Yield the body as it arrives, not decoded: a .tgz may be labeled as compressed content."""
    while chunk := response.raw.read1(CHUNK, decode_content=False):
        yield chunk


def _retry_after(response: requests.Response) -> float:
    try:
        return Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    except InvalidHeader:
        return 0


def _reason(error: Exception) -> str:
    """Return what the innermost of the nested errors of requests and urllib3 says."""
    reason: object = error
    while isinstance(reason, Exception) and reason.args and isinstance(reason.args[-1], Exception):
        reason = reason.args[-1]
    return str(getattr(reason, "reason", reason))
