"""Training and decoding on a processor, beside OpenNMT-py: `python -m benchmarks.cpu training`.

Each system is loaded in a process of its own. In a round the systems take turns, so that whatever else
slows the machine slows them all alike. The tables have medians over the rounds.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import torch
import typer

from attnmt.errors import InputError
from attnmt.program import run_app
from attnmt.training.machine import surroundings
from benchmarks.pool import Worker, pool
from benchmarks.table import described, spread, table
from benchmarks.workload import FOLDER, SIZES, tokens

SENTENCES = 1000
PEER = "opennmt"
LABELS = {
    "ours": "ours, fp32",
    "ours-all": "ours, fp32, all instructions",  # "ours" keeps to AVX2
    PEER: "OpenNMT-py 3.5.1",
}
ALL = ",".join(LABELS)
BATCHES = (16, 64, 256)  # sentences at once; every system takes the number that suits it best

app = typer.Typer(
    help=__doc__,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Sizes = Annotated[str, typer.Option("--size", help=f"Model sizes: {', '.join(SIZES)}.")]
Systems = Annotated[str, typer.Option(help=f"Systems, from {ALL}.")]
Rounds = Annotated[int, typer.Option(min=1, help="Turns of every system.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads of each system.")]


@app.command()
def training(
    size: Sizes = "small,medium,paper",
    systems: Systems = ALL,
    rounds: Rounds = 5,
    threads: Threads = 2,
) -> None:
    """Print target words a second in training, and memory.

    Example: python -m benchmarks.cpu training --size small --rounds 3
    """
    chosen = _listed("--systems", systems, list(LABELS))
    for one in _listed("--size", size, list(SIZES)):
        answers = _train(one, chosen, rounds, threads)
        speeds = {
            name: [a["words"] / a["seconds"] for a in found] for name, found in answers.items()
        }
        rows = [[*_speeds(name, speeds, ",.0f"), *_memory(answers[name][-1])] for name in answers]
        _print(f"Training, {one}", one, threads, "target words/s", [], rows)


@app.command()
def decoding(
    size: Sizes = "small,medium",
    systems: Systems = ALL,
    rounds: Rounds = 3,
    threads: Threads = 2,
    sentences: Annotated[
        int, typer.Option(min=1, max=SENTENCES, help="Sentences of test_2016_flickr.")
    ] = SENTENCES,
    minutes: Annotated[
        float, typer.Option(min=0, help="Minutes of training, unless weights are there already.")
    ] = 3,
) -> None:
    """Print sentences a second in beam search, beam 5.

    Example: python -m benchmarks.cpu decoding --size small --minutes 1
    """
    chosen = _listed("--systems", systems, list(LABELS))
    for one in _listed("--size", size, list(SIZES)):
        weights = _weights(one, minutes, threads)
        answers = _decode(one, weights, chosen, rounds, threads, sentences)
        speeds = {
            name: [sentences / a["seconds"] for a in found] for name, found in answers.items()
        }
        rows = []
        for name, found in answers.items():
            words = f"{found[-1]['words'] / sentences:.1f}"
            rows.append([*_speeds(name, speeds, ",.1f"), words, *_memory(found[-1])])
        _print(f"Decoding, beam 5, {one}", one, threads, "sentences/s", ["words a sentence"], rows)


def _train(
    size: str, systems: Sequence[str], rounds: int, threads: int
) -> dict[str, list[dict[str, Any]]]:
    shape = SIZES[size]
    arguments = [size, str(tokens()), "--batches", str(shape.warm_up + rounds * shape.round)]
    answers: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    with pool(dict.fromkeys(systems, arguments), threads) as workers:
        for system in systems:
            workers[system].do("train", first=0, count=shape.warm_up)
        for number in range(rounds):
            first = shape.warm_up + number * shape.round
            for system in systems:
                answers[system].append(workers[system].do("train", first=first, count=shape.round))
    return answers


def _decode(
    size: str, weights: Path, systems: Sequence[str], rounds: int, threads: int, sentences: int
) -> dict[str, list[dict[str, Any]]]:
    arguments = [size, str(tokens()), "--weights", str(weights)]
    answers: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    with pool(dict.fromkeys(systems, arguments), threads) as workers:
        best = {system: _best_batch(workers[system], sentences) for system in systems}
        for _ in range(rounds):
            for system in systems:
                answer = workers[system].do("translate", batch=best[system], sentences=sentences)
                answers[system].append(answer)
    return answers


def _best_batch(worker: Worker, sentences: int) -> int:
    """Return the number of sentences at once at which a system is fastest."""
    sizes = [batch for batch in BATCHES if batch <= sentences] or [sentences]
    worker.do("translate", batch=sizes[0], sentences=sizes[0])  # to warm up
    seconds = {
        batch: worker.do("translate", batch=batch, sentences=sentences)["seconds"]
        for batch in sizes
    }
    return min(seconds, key=lambda batch: seconds[batch])


def _weights(size: str, minutes: float, threads: int) -> Path:
    """Return weights of ours that have learned when to end a sentence; train them if there are none."""
    path = FOLDER / f"{size}-{minutes:g}-minutes.safetensors"
    if not path.exists():
        print(f"training {path} for {minutes:g} minutes")
        with pool({"ours": [size, str(tokens())]}, threads) as workers:
            workers["ours"].do("fit", seconds=60 * minutes, path=str(path))
    return path


def _speeds(name: str, speeds: Mapping[str, Sequence[float]], form: str) -> list[str]:
    """Return the cells of a row: its label, its speed, and the median of the rounds' ratios."""
    times = ""
    if PEER in speeds:
        pairs = zip(speeds[name], speeds[PEER], strict=True)
        times = f"{median(ours / peers for ours, peers in pairs):.2f}"
    return [LABELS[name], *spread(speeds[name], form), times]


def _memory(answer: Mapping[str, Any]) -> list[str]:
    return [f"{answer['memory']:,}", f"{answer['memory'] - answer['memory_before']:,}"]


def _print(
    what: str, size: str, threads: int, unit: str, more: list[str], rows: list[list[str]]
) -> None:
    shape = SIZES[size]
    torch.set_num_threads(threads)
    machine = surroundings(torch.device("cpu"))
    print(
        f"**{what}: {shape.layers}x{shape.cells}, {shape.words:,} words, batch {shape.batch}.** "
        f"{described(machine)}, {threads} threads.\n"
    )
    header = ["system", unit, "min to max", f"vs {LABELS[PEER]}", *more, "peak MB", "above start"]
    print(table(header, rows), end="\n\n", flush=True)


def _listed(option: str, text: str, allowed: Sequence[str]) -> list[str]:
    """Return the names that an option lists, separated by commas.

    Raises:
        InputError: if one of them is not allowed.
    """
    chosen = [name.strip() for name in text.split(",")]
    for name in chosen:
        if name not in allowed:
            raise InputError(f"{option} {name}: unknown; choose from {', '.join(allowed)}")
    return chosen


if __name__ == "__main__":
    run_app(app)
