"""Work in several processes: its order, its errors, its end, and the same bytes as in one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.config import Encoding, Language, Languages, Sets, Tokenize
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.text import workers
from attnmt.text.encode import encode_sets
from attnmt.text.tokens import tokenize_sets
from attnmt.text.workers import map_chunks

CHUNK = 8
LANGUAGES = Languages(  # workers import this module, so it imports nothing of tests/support
    source=Language(code="en", name="English", tokenize="moses"),
    target=Language(code="de", name="German", tokenize="moses"),
)
SETS = Sets(train="train", dev="dev", tests=["test"], aligned=["gold"])
ENGLISH = ["It's a well-known house, isn't it?", "The old dog sees 5,300 houses.", "A dog."]
GERMAN = ["Es ist ein wohl-bekanntes Haus, oder?", "Der alte Hund sieht 5.300 Häuser.", "Ein Hund."]
PIECES = {"merges": 30, "threshold": 2}


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a few lines enough to start several processes."""
    monkeypatch.setattr(workers, "CHUNK", CHUNK)
    monkeypatch.setattr(workers, "SMALL", 1)


def total(first: int, numbers: list[int], refused: int = -1) -> tuple[int, int, int]:
    if refused in numbers:
        raise InputError(f"numbers:{first + numbers.index(refused)}: {refused} is refused")
    return os.getpid(), first, sum(numbers)


@given(items=st.lists(st.integers(), max_size=30), size=st.integers(1, 8))
def test_every_item_is_in_one_chunk_in_its_order(items: list[int], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "CHUNK", size)
        chunks = list(map_chunks(lambda first, chunk: (first, chunk), items, 1))
    assert [item for _, chunk in chunks for item in chunk] == items
    assert [first for first, _ in chunks] == list(range(1, len(items) + 1, size))


@pytest.mark.usefixtures("small_chunks")
def test_processes_keep_the_order() -> None:
    totals = list(map_chunks(total, range(50), 3))
    assert [part[1:] for part in totals] == [part[1:] for part in map_chunks(total, range(50), 1)]
    assert os.getpid() not in {process for process, _, _ in totals}


def test_short_texts_start_no_process() -> None:
    totals = map_chunks(total, range(workers.SMALL * workers.CHUNK), 2)
    assert {process for process, _, _ in totals} == {os.getpid()}


@pytest.mark.usefixtures("small_chunks")
def test_a_fault_in_a_worker_reaches_the_caller() -> None:
    totals = map_chunks(partial(total, refused=13), range(50), 2)
    with pytest.raises(InputError, match=r"^numbers:14: 13 is refused$"):
        list(totals)


@pytest.mark.usefixtures("small_chunks")
def test_few_chunks_are_held_at_once() -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for i in count():
            read.append(i)
            yield i

    totals = map_chunks(total, items(), 2)
    for _ in range(4):
        next(totals)
    assert len(read) <= CHUNK * (4 + 2 * 2)
    totals.close()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("small_chunks")
def test_a_killed_worker_is_a_fault_that_says_so() -> None:
    totals = map_chunks(total, count(), 2)
    process, _, _ = next(totals)
    os.kill(process, signal.SIGKILL)
    with pytest.raises(InputError, match=r"worker process was killed.*machine\.workers"):
        list(islice(totals, 100))


ENDLESS = """
import itertools, os, sys
from attnmt.text import workers
from test_workers import total
workers.CHUNK = 3
if __name__ == "__main__":
    for process, _, _ in workers.map_chunks(total, itertools.count(), 2):
        print(process, flush=True)
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, sign: signal.Signals) -> None:
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        start_new_session=True,  # a group of its own, as at a terminal
    )
    assert process.stdout is not None
    children = {int(process.stdout.readline()) for _ in range(20)}
    if sign == signal.SIGINT:
        os.killpg(process.pid, sign)  # as Ctrl-C does
    else:
        process.send_signal(sign)
    process.stdout.close()
    assert process.wait(timeout=60) != 0
    end = time.monotonic() + 60
    while (left := [child for child in children if _runs(child)]) and time.monotonic() < end:
        time.sleep(0.05)
    for child in left:
        os.kill(child, signal.SIGKILL)
    assert not left, "workers outlive their parent"


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # a zombie: ended, but not yet collected by the init process


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("number", [2, 3])
def test_no_byte_depends_on_the_number_of_processes(tmp_path: Path, number: int) -> None:
    assert _preprocess(tmp_path / "several", number) == _preprocess(tmp_path / "one", 1)


def _preprocess(folder: Path, number: int) -> dict[str, bytes]:
    """Tokenize and encode a small text; return every file that was written."""
    raw = folder / "raw"
    for name, times in {"train": 8, "dev": 1, "test": 2, "gold": 1}.items():
        for language, lines in (("en", ENGLISH), ("de", GERMAN)):
            text = [
                line for i in range(times) for line in [*lines, f"{lines[0]} {i % 3}" * (i % 4)]
            ]
            write_lines(raw / f"{name}.{language}", text if name == "train" else lines * times)
    write_lines(raw / "gold.links", ["0-0 1?1"] * len(ENGLISH))
    settings = Tokenize(split_hyphens=True, max_length=20, tokenized=["gold"])
    encodings: dict[str, Any] = {
        "words": {"vocabulary": 20},
        "pieces": {"vocabulary": 60, "pieces": PIECES},
    }
    (folder / "tokens").mkdir()
    tokenize_sets(raw, folder / "tokens", LANGUAGES, SETS, settings, number)
    for name, encoding in encodings.items():
        (folder / name).mkdir()
        encode_sets(folder / "tokens", folder / name, LANGUAGES, SETS, Encoding(**encoding), number)
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.usefixtures("small_chunks")
def test_a_fault_in_a_text_names_its_line_whatever_the_number(tmp_path: Path) -> None:
    for name in SETS.all():
        for language in ("en", "de"):
            write_lines(tmp_path / f"{name}.{language}", ["a"] * 30)
    write_lines(tmp_path / "test.en", [*["a"] * 17, "", *["a"] * 12])
    settings = Tokenize(split_hyphens=True, max_length=20)
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(InputError, match=r"test\.en:18: no words in this line"):
            tokenize_sets(tmp_path, folder, LANGUAGES, SETS, settings, number)
