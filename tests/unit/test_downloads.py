"""Fetching from a server that breaks off, lies or stalls ends well or with a message."""

import gzip
import hashlib
import logging
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from http_server import (
    Answer,
    Manner,
    Server,
    another_part,
    chunked,
    reset,
    serving,
    stall,
    status,
    unsaid,
    web_page,
    well,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnmt.config import File, License
from attnmt.corpora import downloads as sources
from attnmt.corpora.downloads import fetch
from attnmt.corpora.transfer import Patience, StoppedError, Transfer, TransferError
from attnmt.errors import InputError

ROOT = Path(__file__).parents[2]
CONTENT = random.Random(1).randbytes(200_000)  # more than a chunk
OTHER = random.Random(2).randbytes(200_000)
HALF = 100_000
PATIENCE = Patience(silence=9, tries=3, pause=0.01, longest=0.02)
IMPATIENCE = replace(PATIENCE, silence=0.3)
RWTH = License(name="rwth", terms="not to be passed on", url="https://example.org/terms")


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATTNMT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        server.files["a.en"] = CONTENT
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def fetch_one(file: File, folder: Path, patience: Patience = PATIENCE) -> bytes:
    paths = fetch([file], folder, patience=patience)
    assert paths == {file.name: folder / file.name}
    return paths[file.name].read_bytes()


def fails(file: File, folder: Path) -> str:
    """Fetch a file that cannot be fetched; return the message."""
    with pytest.raises(InputError) as error:
        fetch([file], folder, patience=PATIENCE)
    assert not (folder / file.name).exists()
    return str(error.value)


def fetching(files: list[File], folder: Path) -> subprocess.Popen[str]:
    """Start a process that fetches files."""
    script = (
        "import signal, sys; from pathlib import Path; from attnmt.config import File\n"
        "from attnmt.corpora.downloads import fetch\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever it inherits\n"
        "fetch(map(File.model_validate_json, sys.argv[2:]), Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", script, folder, *(file.model_dump_json() for file in files)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def leave_part(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / "a.en.part").write_bytes(content)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ranges(server: Server) -> list[str | None]:
    return [asked.range for asked in server.asked]


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256"])
def test_a_file_is_fetched_once(
    server: Server, folder: Path, algorithm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = server.file("a.en", CONTENT, algorithm)
    for _ in range(2):
        assert fetch_one(file, folder) == CONTENT
    assert len(server.asked) == 1
    assert names(folder) == ["a.en", "lock"]
    assert capsys.readouterr().err == f"fetching {file.url}\n"  # no bar where there is no terminal


@pytest.mark.parametrize("content", [CONTENT, OTHER], ids=["", "nor is the server's"])
def test_a_file_that_is_not_the_right_one_is_kept_aside(
    server: Server, folder: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    (folder / "a.en").write_bytes(b"put by hand")
    server.files["a.en"] = content
    file = server.file("a.en", CONTENT)
    if content == CONTENT:
        assert fetch_one(file, folder) == CONTENT
    else:
        fails(file, folder)
    assert (folder / "a.en.refused").read_bytes() == b"put by hand"
    digest = hashlib.sha256(b"put by hand").hexdigest()
    assert capsys.readouterr().err.startswith(
        f"{folder}/a.en: digest does not match: expected {file.digest}, found sha256:{digest}; "
        f"kept as {folder}/a.en.refused; fetching it again\n"
    )


@pytest.mark.parametrize(
    ("manner", "continued"),
    [
        (well(upto=HALF), True),
        (well(upto=HALF, after=reset), None),  # what is on its way may be lost
        (well(upto=HALF, ranges=False), True),
        (chunked(upto=HALF), True),
        (well(upto=0), False),
        (well(upto=0, after=reset), False),
    ],
)
@pytest.mark.parametrize("size", [None, len(CONTENT)], ids=["", "size known"])
def test_a_transfer_that_breaks_off_is_continued(
    server: Server, folder: Path, manner: Manner, continued: bool | None, size: int | None
) -> None:
    server.manners["a.en"] = [manner]
    assert fetch_one(server.file("a.en", CONTENT, bytes=size), folder) == CONTENT
    if continued is not None:
        assert ranges(server) == [None, f"bytes={HALF}-" if continued else None]


@pytest.mark.parametrize("upto", [HALF, 0])
def test_a_transfer_that_stalls_is_continued(server: Server, folder: Path, upto: int) -> None:
    server.manners["a.en"] = [well(upto=upto, after=stall)]
    assert fetch_one(server.file("a.en", CONTENT), folder, IMPATIENCE) == CONTENT
    assert ranges(server)[:2] == [None, f"bytes={upto}-" if upto else None]


def test_from_a_server_that_knows_no_parts_the_file_is_fetched_again(
    server: Server, folder: Path
) -> None:
    server.manners["a.en"] = [well(upto=HALF, ranges=False), well(ranges=False)]
    assert fetch_one(server.file("a.en", CONTENT), folder) == CONTENT


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    cuts=st.lists(st.tuples(st.integers(0, 90_000), st.booleans()), max_size=6),
    left=st.integers(0, 200_000),
    size=st.sampled_from([None, len(CONTENT)]),
)
def test_a_file_fetched_in_pieces_has_the_same_bytes(
    server: Server,
    tmp_path_factory: pytest.TempPathFactory,
    cuts: list[tuple[int, bool]],
    left: int,
    size: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("pieces") / "kept"
    leave_part(folder, CONTENT[:left])
    server.manners["a.en"] = [well(upto=upto, ranges=parts) for upto, parts in cuts]
    patience = Patience(silence=9, tries=20, pause=0, longest=0)
    fetch([server.file("a.en", CONTENT, bytes=size)], folder, patience=patience)
    assert (folder / "a.en").read_bytes() == CONTENT
    assert names(folder) == ["a.en", "lock"]


def test_a_run_continues_what_the_one_before_left(server: Server, folder: Path) -> None:
    server.manners["a.en"] = [well(upto=HALF), *[status(503)] * 3]
    file = server.file("a.en", CONTENT)
    message = fails(file, folder)
    assert "503 Service Unavailable; gave up after 3 tries" in message
    assert (folder / "a.en.part").read_bytes() == CONTENT[:HALF]
    server.asked.clear()
    assert fetch_one(file, folder) == CONTENT
    assert ranges(server) == [f"bytes={HALF}-"]


def test_a_part_that_is_complete_is_not_fetched_again(server: Server, folder: Path) -> None:
    leave_part(folder, CONTENT)
    assert fetch_one(server.file("a.en", CONTENT, bytes=len(CONTENT)), folder) == CONTENT
    assert server.asked == []
    (folder / "a.en").rename(folder / "a.en.part")
    assert fetch_one(server.file("a.en", CONTENT), folder) == CONTENT
    assert ranges(server) == [f"bytes={len(CONTENT)}-"]  # answered by 416


@pytest.mark.parametrize("left", [OTHER[:HALF], OTHER, OTHER + b"more"], ids=len)
@pytest.mark.parametrize("size", [None, len(CONTENT)], ids=["", "size known"])
def test_a_part_of_another_file_is_dropped(
    server: Server, folder: Path, left: bytes, size: int | None
) -> None:
    leave_part(folder, left)
    assert fetch_one(server.file("a.en", CONTENT, bytes=size), folder) == CONTENT


def test_parts_of_two_versions_of_a_file_are_never_joined(server: Server, folder: Path) -> None:
    def change(answer: Answer) -> None:
        answer.server.files["a.en"] = OTHER

    server.manners["a.en"] = [well(upto=HALF, after=change), well()]
    assert fetch_one(server.file("a.en", OTHER), folder) == OTHER
    server.files["a.en"] = CONTENT
    server.manners["a.en"] = [well(upto=HALF, after=change), well()]
    file = server.file("a.en", CONTENT)
    message = fails(file, folder / "2")
    digest = hashlib.sha256(OTHER).hexdigest()
    assert f"expected {file.digest}, found sha256:{digest}; if the file was changed" in message
    assert names(folder / "2") == ["lock"]


def test_wrong_bytes_leave_no_file(server: Server, folder: Path) -> None:
    file = server.file("a.en", OTHER)
    digest = hashlib.sha256(CONTENT).hexdigest()
    message = fails(file, folder)
    for part in (
        file.url,
        f"expected {file.digest}",
        f"found sha256:{digest}",
        "correct the param",
    ):
        assert part in message
    assert names(folder) == ["lock"]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("manners", "size", "message"),
    [
        ([well(says=50)], None, None),  # the client asks for the missing end, which does not exist
        ([well(says=50)], 200_000, "has 200,050 bytes, not 200,000: another file"),
        ([well(says=-50)], None, "digest does not match"),
        ([well(says=-50)], 200_000, "has 199,950 bytes, not 200,000: another file"),
        ([well(upto=HALF), well(says=50)], 200_000, "has 200,050 bytes, not 200,000: another"),
        ([chunked()], 199_000, "sends more than the 199,000 bytes that it has"),
        ([chunked()], None, None),
        ([well(Transfer_Encoding="chunked")] * 3, None, "gave up after 3 tries"),
        ([unsaid()], None, None),
        ([unsaid(upto=HALF)], 200_000, None),
        ([unsaid(upto=HALF)], None, "digest does not match"),
        ([another_part] * 3, None, "another part than was asked for; gave up after 3 tries"),
        ([well(upto=HALF), another_part], None, None),
        ([status(206)] * 3, None, "another part than was asked for; gave up after 3 tries"),
        ([status(204)], None, "204 No Content"),
        ([status(416)], None, "416 Requested Range Not Satisfiable"),
        ([web_page], None, "a.en?raw=true: answers with a web page, not with the file); check the"),
        ([status(302, Location="ftp://x/a.en")], None, "No connection adapters were found"),
    ],
)
def test_a_server_that_lies_gives_the_right_file_or_a_message(
    server: Server, folder: Path, manners: list[Manner], size: int | None, message: str | None
) -> None:
    server.manners["a.en"] = [*manners]
    file = server.file("a.en", CONTENT, bytes=size)
    if message is None:
        assert fetch_one(file, folder) == CONTENT
    else:
        assert message in fails(file, folder)


def test_a_web_page_does_not_spoil_a_part(server: Server, folder: Path) -> None:
    leave_part(folder, CONTENT[:HALF])
    server.manners["a.en"] = [web_page]
    file = server.file("a.en", CONTENT)
    fails(file, folder)
    assert (folder / "a.en.part").read_bytes() == CONTENT[:HALF]
    assert fetch_one(file, folder) == CONTENT


def test_a_server_that_always_breaks_off_is_given_up(server: Server, folder: Path) -> None:
    server.manners["a.en"] = [well(upto=HALF, ranges=False)] * 9
    message = fails(server.file("a.en", CONTENT), folder)
    assert "; gave up after 3 tries" in message
    assert (folder / "a.en.part").read_bytes() == CONTENT[:HALF]


def test_a_slow_transfer_is_not_taken_for_a_stalled_one(server: Server, folder: Path) -> None:
    def drip(answer: Answer, content: bytes) -> None:
        answer.start(200, Content_Length=len(content))
        for i in range(0, len(content), 40_000):
            answer.wfile.write(content[i : i + 40_000])
            time.sleep(0.2)

    server.manners["a.en"] = [drip]
    patience = replace(PATIENCE, silence=0.8)  # less than the whole takes
    assert fetch_one(server.file("a.en", CONTENT), folder, patience) == CONTENT
    assert len(server.asked) == 1


class Clock(threading.Event):
    """Notes how long it is asked to wait, and returns at once."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0)
        return False


def test_pauses_grow_and_are_as_long_as_the_server_asks(server: Server, tmp_path: Path) -> None:
    server.manners["a.en"] = [
        status(503),
        status(429, Retry_After="later"),
        status(503, Retry_After=7),
        status(500, Retry_After=999),
        well(upto=HALF),
        status(502),
    ]
    clock = Clock()
    patience = Patience(silence=9, tries=5, pause=1, longest=60)
    Transfer(tmp_path / "part", None, patience, clock).run(server.url("a.en"))
    assert clock.waits == [1, 2, 7, 60, 1, 1]  # after bytes have arrived, the count starts again
    assert (tmp_path / "part").read_bytes() == CONTENT


def test_a_server_may_name_a_date_to_wait_for(server: Server, tmp_path: Path) -> None:
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    server.manners["a.en"] = [status(503, Retry_After=date)]
    clock = Clock()
    Transfer(tmp_path / "part", None, Patience(), clock).run(server.url("a.en"))
    assert 20 < clock.waits[0] <= 30


def test_the_reason_for_a_wait_is_given(
    server: Server, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.manners["a.en"] = [status(503)]
    with caplog.at_level(logging.WARNING):
        fetch_one(server.file("a.en", CONTENT), folder)
    assert "a.en?raw=true: 503 Service Unavailable; again in 0 s" in caplog.text


def test_a_transfer_ends_when_another_thread_stops_it(server: Server, tmp_path: Path) -> None:
    part, stopped = tmp_path / "part", threading.Event()
    stopped.set()
    for manner in (well(), status(503)):
        server.manners["a.en"] = [manner]
        with pytest.raises(StoppedError):
            Transfer(part, None, PATIENCE, stopped).run(server.url("a.en"))


@pytest.mark.parametrize("headers", [False, True], ids=["no answer", "half an answer"])
def test_an_interruption_does_not_wait_for_a_silent_server(
    server: Server, folder: Path, headers: bool
) -> None:
    together = threading.Barrier(sources.AT_ONCE + 1, timeout=30)

    def note_and_stall(answer: Answer, content: bytes = b"") -> None:
        together.wait()
        stall(answer)

    names = ["a.en", *"vwxyz"]  # more than are fetched at once
    server.files |= dict.fromkeys(names, CONTENT)
    manner = well(upto=HALF, after=note_and_stall) if headers else note_and_stall
    server.manners = {name: [manner] for name in names}
    process = fetching([server.file(name, CONTENT) for name in names], folder)
    together.wait()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1].endswith("\nKeyboardInterrupt\n")
    assert fetch_one(server.file("a.en", CONTENT), folder) == CONTENT
    assert len(server.asked) == sources.AT_ONCE + 1


def test_what_comes_after_an_interruption_is_not_written(server: Server, tmp_path: Path) -> None:
    part, stopped = tmp_path / "part", threading.Event()

    def stop(answer: Answer, content: bytes) -> None:
        stopped.set()
        well()(answer, content)

    part.write_bytes(CONTENT[:HALF])
    server.manners["a.en"] = [stop]
    with pytest.raises(StoppedError):
        Transfer(part, None, PATIENCE, stopped).run(server.url("a.en"))
    assert part.read_bytes() == CONTENT[:HALF]


def test_an_address_without_a_file_is_tried_once(server: Server, folder: Path) -> None:
    message = fails(server.file("b.en", CONTENT), folder)
    assert "b.en?raw=true: 404 Not Found); check the network, or put the file into" in message
    assert "or set ATTNMT_MIRROR" in message
    assert len(server.asked) == 1  # asking again would not help


def test_without_a_network_the_message_says_to_check_it(folder: Path) -> None:
    file = File(url="http://127.0.0.1:1/a.en", digest="md5:" + 32 * "0")
    assert "Connection refused; gave up after 2 tries); check the network" in fails(file, folder)


def test_a_server_that_takes_no_connection_is_given_up(tmp_path: Path) -> None:
    patience = replace(PATIENCE, connecting=0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        address = server.getsockname()
        with socket.create_connection(address):  # the only connection that may wait
            url = f"http://127.0.0.1:{address[1]}/a.en"
            with pytest.raises(TransferError, match=r"no connection in 0\.2 s; gave up after 2"):
                Transfer(tmp_path / "part", None, patience, threading.Event()).run(url)


def test_a_network_that_disappears_is_tried_again(server: Server, folder: Path) -> None:
    nowhere = status(302, Location="http://127.0.0.1:1/a.en")
    server.manners["a.en"] = [well(upto=HALF), *[nowhere] * 3]
    message = fails(server.file("a.en", CONTENT), folder)
    assert (
        "Connection refused; gave up after 3 tries" in message
    )  # the address answered before, so the network may come back


@pytest.mark.parametrize(
    "first", [status(404), well(says=1), status(503), well(upto=HALF)], ids=range(4)
)
def test_the_next_address_is_tried(server: Server, folder: Path, first: Manner) -> None:
    server.files["mirror/a.en"] = CONTENT
    server.manners["a.en"] = [first] + [status(503)] * 3
    file = server.file("a.en", CONTENT, bytes=len(CONTENT), mirrors=[server.url("mirror/a.en")])
    assert fetch_one(file, folder) == CONTENT
    assert server.asked[-1].path == "mirror/a.en"


def test_every_address_that_fails_is_named(server: Server, folder: Path) -> None:
    server.files["mirror/a.en"] = OTHER
    file = server.file("b.en", CONTENT, mirrors=[server.url("mirror/a.en")])
    message = fails(file, folder)
    assert "/b.en?raw=true: 404 Not Found; http" in message
    assert "/mirror/a.en?raw=true: digest does not match: expected " in message


def test_several_files_are_fetched_at_once(server: Server, folder: Path) -> None:
    together = threading.Barrier(3, timeout=10)
    server.files |= {name: name.encode() for name in "xyz"}
    server.manners = {name: [well(upto=0, after=lambda _: together.wait())] for name in "xyz"}
    files = [server.file(name, name.encode()) for name in "xyz"]
    paths = fetch(files, folder, patience=PATIENCE)
    assert not together.broken
    assert {name: path.read_text() for name, path in paths.items()} == {n: n for n in "xyz"}


def test_if_one_file_fails_the_others_are_finished(server: Server, folder: Path) -> None:
    good, bad = server.file("a.en", CONTENT), [server.file(f"{n}.en", b"") for n in "bc"]
    with pytest.raises(InputError, match=r"b\.en cannot be fetched[^\n]*\nc\.en cannot be fetched"):
        fetch([bad[0], good, bad[1]], folder, patience=PATIENCE)
    assert (folder / "a.en").read_bytes() == CONTENT


def test_content_labeled_as_compressed_is_kept_unchanged(server: Server, folder: Path) -> None:
    packed = server.files["a.tgz"] = gzip.compress(CONTENT)
    server.manners["a.tgz"] = [well(Content_Encoding="x-gzip")] * 9
    assert fetch_one(server.file("a.tgz", packed, member="a"), folder) == packed
    assert len(server.asked) == 1


def test_a_disk_that_is_too_small_is_noticed_before_fetching(server: Server, folder: Path) -> None:
    file = server.file("a.en", CONTENT, bytes=10**17)
    assert "100.0 PB are to be fetched and" in fails(file, folder)
    assert server.asked == []


def test_a_disk_that_fills_is_named(server: Server, folder: Path) -> None:
    folder.mkdir()
    (folder / "a.en.part").symlink_to("/dev/full")
    message = fails(server.file("a.en", CONTENT), folder)
    assert message == f"{folder}/a.en.part: cannot be written: No space left on device"
    assert len(server.asked) == 1


def test_terms_must_be_accepted_once(server: Server, folder: Path) -> None:
    file = server.file("a.en", CONTENT, license=RWTH)
    message = fails(file, folder)
    assert (
        "a.en: its terms must be accepted first: not to be passed on; in full: https://" in message
    )
    assert message.endswith("attnmt fetch --experiment kept --accept rwth")
    assert server.asked == []
    fetch([file], folder, {"rwth"}, PATIENCE)
    assert (
        fetch_one(file, folder) == CONTENT
    )  # the terms of a file that lies there have been accepted


def test_two_processes_share_the_work(server: Server, folder: Path) -> None:
    files = [server.file("a.en", CONTENT), server.file("b.en", OTHER)]
    server.files["b.en"] = OTHER
    asked = threading.Event()

    def wait_a_little(answer: Answer) -> None:
        asked.set()
        time.sleep(0.5)

    server.manners["a.en"] = [well(after=wait_a_little)]
    both = [fetching(files, folder) for _ in range(2)]
    errors = [process.communicate(timeout=60)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    assert sorted(asked.path for asked in server.asked) == ["a.en", "b.en"]
    assert (folder / "a.en").read_bytes() + (folder / "b.en").read_bytes() == CONTENT + OTHER


def test_a_mirror_takes_the_place_of_the_network(
    server: Server, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = tmp_path / "served"
    mirror.mkdir()
    (mirror / "a.en").write_bytes(CONTENT)
    monkeypatch.setenv("ATTNMT_MIRROR", str(mirror))
    licensed = server.file("a.en", CONTENT, license=RWTH)
    assert fetch([licensed], folder) == {"a.en": mirror / "a.en"}
    with pytest.raises(InputError, match=r"served/b\.en: no such file in the mirror; http"):
        fetch([server.file("b.en", CONTENT)], folder)
    with pytest.raises(InputError, match=r"served/a\.en: digest does not match: expected sha256:"):
        fetch([server.file("a.en", OTHER)], folder)
    assert server.asked == []
    assert not folder.exists()


def test_an_address_without_a_host_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match="No host supplied"):
        Transfer(tmp_path / "part", None, PATIENCE, threading.Event()).run("http:///a.en")
