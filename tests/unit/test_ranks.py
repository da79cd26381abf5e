"""Two processes that train one model, against a single process."""

import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from small_training import FEEDING, RECIPE, StopAfter, reversal, small

from attnmt.config import ModelShape, System
from attnmt.model.translator import ModelConfig, Translator
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import follow, train
from attnmt.training.ranks import ALONE, PARENT, PeerLostError, Ranks, joined, start
from attnmt.training.step import Step
from attnmt.training.stop import Stop, TrainingStopped

GRU = System(attention="local_p", score="concat", dropout=0.2)
SYSTEMS = {
    "base": System(),
    "feeding": FEEDING,
    "unmasked padding": FEEDING.model_copy(update={"faults": ["unmasked_padding"]}),
    "gru": GRU,
}


def in_two_processes(work: Callable[..., Any], *args: Any) -> list[Any]:
    """Return the results of ``work(ranks, *args)`` in each of two processes."""
    context = multiprocessing.get_context("fork")
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # type: ignore[attr-defined]
    queue = context.Queue()

    def rank(number: int) -> None:
        os.environ |= {
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(store.port),
            "TORCHELASTIC_USE_AGENT_STORE": "True",
            "WORLD_SIZE": "2",
            "RANK": str(number),
            "LOCAL_RANK": str(number),
        }
        torch.set_num_threads(1)
        with joined() as ranks:
            queue.put((number, work(ranks, *args)))

    processes = [context.Process(target=rank, args=(number,)) for number in range(2)]
    for process in processes:
        process.start()
    results = dict(queue.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()
    return [results[number] for number in range(2)]


def built(system: System) -> Translator:
    if system != GRU:
        return small(system)
    shape = ModelShape(cell="gru", layers=1, size=8, window_D=3, location_slots=5, init=0.1)
    return Translator(ModelConfig(system, shape, 8, 8))


def steps(ranks: Ranks, system: System, clip_embeddings: bool, count: int = 12) -> Any:
    """Take steps in double precision, every fifth on a single pair; return losses and weights."""
    recipe = RECIPE.model_copy(update={"clip_embeddings": clip_embeddings, "clip_norm": 0.5})
    text, rng = reversal(200, 1, reverse=True), np.random.default_rng(1)
    torch.manual_seed(1)
    model = built(system).double().train()
    model.initialize(1)
    step, losses = Step(model, recipe, ranks), []
    for number in range(count):
        rows = rng.choice(200, 7 if number % 5 else 1, replace=False)
        losses.append(step(text.batch(rows), 1.0).item())
    return losses, [p.detach().numpy() for p in model.parameters()]


@pytest.mark.parametrize("clip_embeddings", [False, True])
@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_two_processes_learn_what_one_does(system: System, clip_embeddings: bool) -> None:
    """The two agree to the byte, and with a single process up to rounding, dropout included."""
    (losses, weights), (others, other_weights) = in_two_processes(steps, system, clip_embeddings)
    assert losses == others
    assert all(map(np.array_equal, weights, other_weights))
    alone, weights_alone = steps(ALONE, system, clip_embeddings)
    assert losses == pytest.approx(alone, rel=1e-12)
    for found, expected in zip(weights, weights_alone, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def training(ranks: Ranks, folder: Path, stop: Stop) -> Any:
    """Train until the end or a stop; return the history and the weights."""
    model, checkpoints = small(FEEDING), Checkpoints(folder, minutes=0)
    text, dev = reversal(150, 1, reverse=True), reversal(20, 2, reverse=True)
    if ranks.rank:
        return follow(model, text, RECIPE, 1, checkpoints, stop, ranks)
    try:
        progress = train(
            model, text, {"dev": dev}, RECIPE, 1, checkpoints, lambda row: None, stop, ranks
        )
    except TrainingStopped:
        return "stopped"
    return progress.history, [p.detach().numpy() for p in model.parameters()]


def lose_the_other(ranks: Ranks) -> str:
    """Have rank 1 end while rank 0 waits for it; return rank 0's message."""
    if ranks.rank:
        dist.destroy_process_group()
        dist.destroy_process_group = lambda: None  # a process that has died ends no group
        return "ended"
    with pytest.raises(PeerLostError, match="another process of this training has ended") as error:
        ranks.any(False)
    return str(error.value)


def test_a_process_that_has_lost_another_says_so() -> None:
    assert in_two_processes(lose_the_other)[1] == "ended"


def test_the_number_of_processes_may_change_at_every_start(tmp_path: Path) -> None:
    history, weights = training(ALONE, tmp_path / "alone", Stop())
    assert training(ALONE, tmp_path / "a", StopAfter(17)) == "stopped"
    assert in_two_processes(training, tmp_path / "a", StopAfter(16)) == ["stopped", None]
    assert training(ALONE, tmp_path / "a", StopAfter(6)) == "stopped"
    (found, found_weights), _ = in_two_processes(training, tmp_path / "a", Stop())
    assert len(found) == len(history) == 9
    for row, expected in zip(found, history, strict=True):
        assert row == pytest.approx(expected, rel=1e-4)
    for values, expected in zip(found_weights, weights, strict=True):
        np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-5)


def told_one(ranks: Ranks, folder: Path) -> Any:
    """Train where rank 1 alone is told to stop, before the sixth batch."""
    return training(ranks, folder, StopAfter(5) if ranks.rank else Stop())


def test_all_processes_stop_if_one_is_told_to(tmp_path: Path) -> None:
    assert in_two_processes(told_one, tmp_path) == ["stopped", None]
    assert Checkpoints(tmp_path, minutes=0).load(small(FEEDING)).step == 5


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("exit(75)", "pass", 75),
        ("time.sleep(0.3)", "pass", 0),
        ("time.sleep(60)", "exit(3)", 3),
        ("time.sleep(60)", "os.kill(os.getpid(), 9)", 137),
    ],
)
def test_the_failure_of_one_process_ends_all(
    first: str, second: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import os, time\nif os.environ['RANK'] == '0':\n    {first}\nelse:\n    {second}\n"
    )
    monkeypatch.setattr("sys.argv", [str(script)])
    begun = time.monotonic()
    assert start(2) == status
    assert time.monotonic() - begun < 30


def test_a_signal_reaches_every_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal is sent to their parent once both processes can receive it."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, sys, time\n"
        "def note(*_): open(os.environ['RANK'], 'w'); sys.exit(75 if os.environ['RANK'] == '0' else 0)\n"
        "signal.signal(signal.SIGTERM, note)\n"
        # open() is not used: an error that a handler raises while open() ends may be lost.
        "os.close(os.open('ready' + os.environ['RANK'], os.O_CREAT))\n"
        "while not (os.path.exists('ready0') and os.path.exists('ready1')): time.sleep(0.01)\n"
        "if os.environ['RANK'] == '1': os.kill(os.getppid(), signal.SIGTERM)\n"
        "time.sleep(60)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(script)])
    assert start(2) == 75
    assert Path("0").exists()


def wait_for(*paths: Path) -> None:
    end = time.monotonic() + 60
    while not all(path.exists() for path in paths):
        assert time.monotonic() < end, f"one of {paths} does not come"
        time.sleep(0.01)


def test_processes_whose_parent_died_while_they_began_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time\n"
        "parent, rank = os.getppid(), os.environ['RANK']\n"
        "with open('new' + rank, 'w') as file: file.write(str(os.getpid()))\n"
        "os.rename('new' + rank, 'begun' + rank)\n"
        "while os.getppid() == parent: time.sleep(0.01)\n"
        "from attnmt.training.ranks import joined\n"
        "try:\n"
        "    with joined(): pass\n"
        "except SystemExit: open('ended' + rank, 'w')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(script)])
    parent = multiprocessing.get_context("fork").Process(target=start, args=(2,))
    parent.start()
    begun, ended = (
        [tmp_path / f"{what}{rank}" for rank in range(2)] for what in ("begun", "ended")
    )
    wait_for(*begun)
    parent.kill()
    try:
        wait_for(*ended)
    finally:
        for path in begun:
            with suppress(ProcessLookupError):
                os.kill(int(path.read_text()), signal.SIGKILL)


def own_parent(ranks: Ranks) -> str | None:
    return os.environ.get(PARENT)


def test_a_child_does_not_take_the_parent_of_its_process_for_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(PARENT, str(os.getpid()))
    assert in_two_processes(own_parent) == [None, None]


def test_every_sentence_goes_to_exactly_one_process() -> None:
    for count, sentences in itertools.product((1, 2, 3, 7), (1, 2, 6, 128)):
        parts = [Ranks(rank, count).rows(sentences) for rank in range(count)]
        rows = [row for part in parts for row in range(sentences)[part]]
        assert rows == list(range(sentences))
        sizes = [part.stop - part.start for part in parts]
        assert max(sizes) - min(sizes) <= 1
