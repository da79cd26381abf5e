"""Training and decoding on a processor, beside other systems: `python -m benchmarks.cpu training`.

Every system is loaded in a process of its own. In a round the systems take turns, so that whatever else
slows the machine slows them all alike. The results are medians over the rounds.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Annotated, Any

import torch
import typer

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.model.instructions import compute_with
from attnmt.model.precision import supported
from attnmt.training.machine import processor, surroundings
from attnmt.workflow.stage import run_app
from benchmarks import products
from benchmarks.cpu_page import render
from benchmarks.measures import relative_differences
from benchmarks.options import listed
from benchmarks.page import put_into_page, results_file
from benchmarks.peers import joined, refuse_others, whole_trainings
from benchmarks.pool import Worker, pool
from benchmarks.seeds import PARAMS, perplexity
from benchmarks.systems import ALL, BF16, LABELS, OURS, PEERS, PLAIN, SYSTEMS
from benchmarks.workload import DROPOUT, FOLDER, LEARNING_RATE, SIZES, Text, padding_share, tokens

CPU = torch.device("cpu")
SENTENCES = 1000
DECODERS = (*OURS, ALL, "ours-x8", *PEERS)
TRAINED, DECODED, COMPARED, WHOLE = map(
    ",".join, (SYSTEMS, DECODERS, [*OURS, PLAIN], [OURS[0], *PEERS])
)
BATCHES = (16, 64, 256)  # sentences at once; every system takes the number that suits it best

app = typer.Typer(
    help=__doc__,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Sizes = Annotated[str, typer.Option("--size", help=f"Model sizes: {', '.join(SIZES)}.")]
Systems = Annotated[str, typer.Option(help=f"Systems, from {', '.join([*SYSTEMS, 'ours-x8'])}.")]
Rounds = Annotated[int, typer.Option(min=1, help="Turns of every system.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads of each system.")]
Name = Annotated[
    str, typer.Option(help="Name of the file in benchmarks/results; the processor's if not given.")
]


@app.command()
def training(
    size: Sizes = "small,medium,paper",
    systems: Systems = TRAINED,
    rounds: Rounds = 5,
    threads: Threads = 2,
    name: Name = "",
) -> None:
    """Measure target words a second in training, memory, and the share of the products' speed.

    Example: python -m benchmarks.cpu training --size small --rounds 3
    """
    chosen = _systems(systems, SYSTEMS)
    for one_size in listed("--size", size, list(SIZES)):
        _keep(name, threads, "training", one_size, _train(one_size, chosen, rounds, threads))


@app.command()
def decoding(
    size: Sizes = "small,medium",
    systems: Systems = DECODED,
    rounds: Rounds = 3,
    threads: Threads = 2,
    sentences: Annotated[
        int, typer.Option(min=1, max=SENTENCES, help="Sentences of test_2016_flickr.")
    ] = SENTENCES,
    minutes: Annotated[
        float, typer.Option(min=0, help="Minutes of training, unless weights are there already.")
    ] = 3,
    name: Name = "",
) -> None:
    """Measure sentences a second in beam search, beam 5, and what an ensemble of eight costs.

    Example: python -m benchmarks.cpu decoding --size small --minutes 1
    """
    chosen = _systems(systems, DECODERS)
    for one_size in listed("--size", size, list(SIZES)):
        weights = _weights(one_size, minutes, threads)
        results = _decode(one_size, weights, chosen, rounds, threads, sentences)
        _keep(name, threads, "decoding", one_size, results)


@app.command()
def losses(
    size: Sizes = "small",
    steps: Annotated[int, typer.Option(min=1, help="Steps to compare, a batch each.")] = 200,
    rate: Annotated[
        float, typer.Option(help="Learning rate; at 1 the first steps magnify any rounding.")
    ] = 0.02,
    systems: Systems = COMPARED,
    threads: Threads = 2,
    name: Name = "",
) -> None:
    """Compare losses step by step with the plain autograd loop's: same weights, no dropout.

    Example: python -m benchmarks.cpu losses --steps 50
    """
    chosen = _systems(systems, [*OURS, PLAIN])
    if PLAIN not in chosen:
        raise InputError(f"--systems: {PLAIN} must be one of them; the others are compared with it")
    for one_size in listed("--size", size, list(SIZES)):
        _keep(name, threads, "losses", one_size, _losses(one_size, steps, rate, chosen, threads))


@app.command()
def seeds(
    model: Annotated[str, typer.Option(help="Model of the demo, whose text must be encoded.")] = (
        "local_p_general_feed"
    ),
    count: Annotated[int, typer.Option(min=2, help="Number of seeds: 1, 2, ..")] = 3,
    threads: Threads = 2,
    name: Name = "",
) -> None:
    """Train one of the demo's models to the end, with several seeds, in fp32 and with bf16 products.

    Example: python -m benchmarks.cpu seeds --count 5
    """
    compute_with(load_params(PARAMS).machine.instructions)  # before torch's first computation
    results: dict[str, Any] = {"model": model}
    for precision in supported(CPU):
        results[precision] = []
        for seed in range(1, count + 1):
            results[precision].append(perplexity(model, seed, precision, threads))
            print(f"{model}, seed {seed}, {precision}: dev perplexity {results[precision][-1]:.3f}")
    _keep(name, threads, "seeds", model, results)


@app.command()
def peers(
    size: Sizes = "captions",
    systems: Systems = WHOLE,
    seed: Annotated[int, typer.Option(min=1, help="The seed of all systems.")] = 1,
    threads: Threads = 1,
    name: Name = "",
) -> None:
    """Train whole models on the same batches; compare perplexity, BLEU and AER with the peers'.

    The systems take turns, an epoch each. Trainings with other seeds stay in the results if their
    learning rates were the same. The stages tokens and dictionary of the experiment multi30k must have
    run.

    Example: python -m benchmarks.cpu peers --seed 2
    """
    chosen = _systems(systems, [*OURS, *PEERS])
    path, machine = _file(name, threads), surroundings(CPU)
    known = read_json(path).get("peers", {}) if path.exists() else {}
    sizes = listed("--size", size, list(SIZES))
    for one_size in sizes:
        refuse_others(known.get(one_size, {}), machine)
    for one_size in sizes:
        results, earlier = whole_trainings(one_size, chosen, seed, threads), known.get(one_size, {})
        _keep(name, threads, "peers", one_size, joined(earlier, results))


@app.command()
def page() -> None:
    """Put the results in benchmarks/results into benchmarks/README.md."""
    put_into_page("cpu", render)


def _train(size: str, systems: Sequence[str], rounds: int, threads: int) -> dict[str, Any]:
    shape = SIZES[size]
    count = shape.warm_up + rounds * shape.round
    arguments = _training_arguments(size, count, DROPOUT)
    text = Text(shape, tokens())
    batches = text.batches(count)
    answers: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    speeds: dict[str, list[dict[str, float]]] = {}
    kinds = {"fp32": True, "bf16": BF16 in systems}
    with pool({system: arguments for system in [*systems, "products"]}, threads) as workers:
        for system in systems:
            workers[system].do("train", first=0, count=shape.warm_up)
        for number in range(rounds):
            first = shape.warm_up + number * shape.round
            for system in systems:
                answer = workers[system].do("train", first=first, count=shape.round)
                answers[system].append(answer)
                speed = answer["words"] / answer["seconds"]
                print(f"{size}, round {number + 1}: {LABELS[system]:24} {speed:8,.0f} words/s")
            for kind in (kind for kind, used in kinds.items() if used):
                speeds.setdefault(kind, []).append(
                    workers["products"].do("measure", precision=kind)
                )
        parameters = {system: workers[system].description["parameters"] for system in systems}
    results: dict[str, Any] = {
        "rounds": rounds,
        "padding": padding_share(batches),
        "limits": {},
        "systems": {},
    }
    for kind, measured in speeds.items():
        medians = {name: median(speed[name] for speed in measured) for name in measured[0]}
        words, flop = products.limit(shape.config(), batches, medians)
        results["limits"][kind] = {"words_per_second": words, "flop_per_second": medians}
        results["flop_per_word"] = flop
    for system in systems:
        results["systems"][system] = {
            "parameters": parameters[system],
            "words_per_second": [a["words"] / a["seconds"] for a in answers[system]],
            "memory_mb": answers[system][-1]["memory"],
            "memory_before_mb": answers[system][-1]["memory_before"],
            "page_faults_per_batch": answers[system][-1]["page_faults"] // shape.round,
        }
    return results


def _decode(
    size: str, weights: Path, systems: Sequence[str], rounds: int, threads: int, sentences: int
) -> dict[str, Any]:
    arguments = [size, str(tokens()), "--weights", str(weights)]
    results: dict[str, Any] = {"sentences": sentences, "rounds": rounds, "systems": {}}
    answers: dict[str, list[dict[str, Any]]] = {system: [] for system in systems}
    with pool({system: arguments for system in systems}, threads) as workers:
        best = {system: _best_batch(workers[system], sentences) for system in systems}
        for number in range(rounds):
            for system in systems:
                answer = workers[system].do("translate", batch=best[system], sentences=sentences)
                answers[system].append(answer)
                speed = sentences / answer["seconds"]
                print(f"{size}, round {number + 1}: {LABELS[system]:24} {speed:8.1f} sentences/s")
    ours = answers.get("ours")
    for system in systems:
        last = answers[system][-1]
        same = None
        if ours:
            pairs = zip(last["translations"], ours[-1]["translations"], strict=True)
            same = sum(a == b for a, b in pairs) / sentences
        results["systems"][system] = {
            "batch": best[system],
            "sentences_per_second": [sentences / a["seconds"] for a in answers[system]],
            "words_per_second": [a["words"] / a["seconds"] for a in answers[system]],
            "words_per_sentence": last["words"] / sentences,
            "same_as_ours": same,
            "memory_mb": last["memory"],
            "memory_before_mb": last["memory_before"],
        }
    return results


def _losses(
    size: str, steps: int, rate: float, systems: Sequence[str], threads: int
) -> dict[str, Any]:
    arguments = _training_arguments(size, steps, 0.0, rate)
    with pool({system: arguments for system in systems}, threads) as workers:
        by_step = {
            system: workers[system].do("train", first=0, count=steps)["losses"]
            for system in systems
        }
    results: dict[str, Any] = {"rate": rate, "differences": {}, "last": {}}
    for system in systems:
        differences = relative_differences(by_step[system], by_step[PLAIN])
        results["differences"][system] = {
            str(step): max(differences[:step]) for step in (1, 10, 50, 100, 200) if step <= steps
        }
        results["last"][system] = mean(by_step[system][-20:])
        print(
            f"{size}: {LABELS[system]:24} differs from the plain loop by at most "
            f"{max(differences):.1e}; last steps {results['last'][system]:.4f} nats a word"
        )
    return results


def _best_batch(worker: Worker, sentences: int) -> int:
    """Return the number of sentences at once at which a system is fastest."""
    sizes = [batch for batch in BATCHES if batch <= sentences] or [sentences]
    worker.do("translate", batch=sizes[0], sentences=sizes[0])  # to warm up
    seconds = {
        batch: worker.do("translate", batch=batch, sentences=sentences)["seconds"]
        for batch in sizes
    }
    return min(seconds, key=lambda batch: seconds[batch])


def _training_arguments(
    size: str, batches: int, dropout: float, rate: float = LEARNING_RATE
) -> list[str]:
    options = {"--batches": batches, "--dropout": dropout, "--rate": rate}
    return [size, str(tokens()), *(str(part) for pair in options.items() for part in pair)]


def _weights(size: str, minutes: float, threads: int) -> Path:
    """Return weights of ours that have learned when to end a sentence; train them if there are none."""
    path = FOLDER / f"{size}-{minutes:g}-minutes.safetensors"
    if not path.exists():
        print(f"training {path} for {minutes:g} minutes")
        with pool({"ours": _training_arguments(size, 0, DROPOUT)}, threads) as workers:
            workers["ours"].do("fit", seconds=60 * minutes, path=str(path))
    return path


def _systems(text: str, allowed: Sequence[str]) -> list[str]:
    """Return the systems that --systems lists, without ours in bf16 if this processor lacks bf16."""
    chosen = listed("--systems", text, allowed)
    if BF16 not in chosen or "bf16" in supported(CPU):
        return chosen
    print(f"{LABELS[BF16]}: left out, because this processor cannot multiply in bf16")
    if chosen == [BF16]:
        raise InputError(f"--systems {BF16}: no other system is given; choose one")
    return [name for name in chosen if name != BF16]


def _file(name: str, threads: int) -> Path:
    """Return the file of this machine's results."""
    return results_file("cpu", name or f"{processor()}-{threads}")


def _keep(name: str, threads: int, part: str, size: str, results: dict[str, Any]) -> None:
    """Put results into the machine's file, in place of those of the same part and size."""
    torch.set_num_threads(threads)
    path, machine = _file(name, threads), surroundings(CPU)
    values = read_json(path) if path.exists() else {}
    values.setdefault(part, {})[size] = {"machine": machine, **results}
    write_json(path, values)
    print(f"wrote {path}")


if __name__ == "__main__":
    run_app(app)
