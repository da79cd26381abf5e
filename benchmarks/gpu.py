"""A quarter of an hour on a GPU, in three calls: `python -m benchmarks.gpu first OUT`, and so on.

Models have the paper's size. Each call writes logs and results.json into the folder OUT and prints short
tables last; what fails does not stop the rest. With `--device cpu --tiny` it runs on any machine.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from attnmt.config import TrainingSettings, load_params
from attnmt.decoding.batched import search_all
from attnmt.decoding.search import Search
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.model.device import best_device
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.model.precision import products_in, supported
from attnmt.training.cuda_graphs import SWITCH
from attnmt.training.machine import keep_freed_memory, peak_memory, surroundings
from attnmt.training.step import Step
from attnmt.workflow.stage import run_app
from benchmarks import gpu_captions
from benchmarks.gpu_captions import ROOT
from benchmarks.gpu_workload import RATE, SEED, Workload, ceilings, config, drawn, flop_a_word, wait
from benchmarks.table import described, spread, table

PAIRS, WORDS, TINY_PAIRS, TINY_WORDS = 60_000, 50_000, 400, 30
BATCHES, TINY_BATCHES = 12, 2
SENTENCES, BEAM, ENSEMBLE = 2737, 12, 8  # of the paper's newstest2014
SYSTEMS = ["base_reverse_dropout", "global_location_feed", "local_p_general_feed"]
BEST = "local_p_general_feed"
TEXT = "data/gpu_day"  # which `captions --prepare` makes before the day

app = typer.Typer(
    help=__doc__,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Out = Annotated[Path, typer.Argument(help="The folder of logs and results.")]
Device = Annotated[str, typer.Option(help="cuda, or cpu to try this out.")]
Tiny = Annotated[bool, typer.Option(help="A small model on few words.")]


@app.command()
def first(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Take at most four minutes: ceilings, tests, the speed of the training step."""
    tests = [sys.executable, "-m", "pytest", "tests/gpu", "-q", "-p", "no:xdist"]
    on = _options(device, tiny)
    _call(
        out,
        {
            "nvidia-smi": (20, ["nvidia-smi"]),
            "ceilings": (60, _own("part-ceilings", str(out), *on)),
            "tests": (150, tests),
            "training": (150, _own("part-training", str(out), *on, *SYSTEMS)),
        },
    )


@app.command()
def second(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Take at most five minutes: a whole training, scored; killed and resumed; beam search."""
    folder = str(out / "captions") if tiny else TEXT
    text = _own("captions", folder, str(out))
    parts = {
        "captions": (180, text),
        "resumed": (120, [*text, "--resume"]),
        "search": (180, _own("part-search", str(out), *_options(device, tiny))),
    }
    if not Path(folder).is_dir():
        prepare = [*text, "--prepare", *["--tiny"] * tiny]
        parts = {"text": (300, prepare), **parts}
    _call(out, parts)


@app.command()
def third(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Take what is left: the training step with and without CUDA graphs."""
    command = _own("part-training", str(out), *_options(device, tiny), BEST)
    without = ["env", f"{SWITCH}=0", *command]
    _call(out, {"graphs": (200, command), "no graphs": (200, without)})


@app.command("part-ceilings", hidden=True)
def part_ceilings(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Measure how fast the device copies its memory and multiplies large matrices."""
    place = _place(device)
    _keep(out, place, "ceilings", ceilings(place, tiny))


@app.command("part-training", hidden=True)
def part_training(
    out: Out,
    systems: Annotated[list[str], typer.Argument(help="Models of experiments/wmt14.")],
    device: Device = "cuda",
    tiny: Tiny = False,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds of each measurement.")] = 4,
) -> None:
    """Measure target words a second, the host's share, kernels and memory in every precision."""
    place = _place(device)
    params = load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)
    settings = params.families["luong"].training
    if tiny:
        settings = settings.model_copy(update={"batch_size": 4})
    pairs = drawn(TINY_PAIRS if tiny else PAIRS, TINY_WORDS if tiny else WORDS)
    task = Workload.of(pairs, settings, TINY_BATCHES if tiny else BATCHES)
    graphs = ", no graphs" * (os.environ.get(SWITCH) == "0")
    models = {name: config(params, name, TINY_WORDS if tiny else WORDS, tiny) for name in systems}
    for name, model in models.items():
        for precision in supported(place):
            with products_in(precision, place):
                found = _try(model, settings, task, place, seconds)
            _keep(out, place, "training", {f"{name}, {precision}{graphs}": found})
    for name, model in models.items():  # last, because the profiler slows what follows
        _keep(out, place, "kernels", {f"{name}{graphs}": _kernels(model, settings, task, place)})


@app.command("part-search", hidden=True)
def part_search(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Translate as many sentences as newstest2014 has, by one model and by eight, with random weights.

    Most translations are as long as they may be, which is more steps than a trained model takes.
    """
    place = _place(device)
    params = load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)
    words, count = (TINY_WORDS, 4) if tiny else (WORDS, SENTENCES)
    sources = [drawn(count, words).source[i] for i in range(count)]
    options = Search(beam=BEAM, candidates=params.decoding.candidates)
    members: list[LuongNMT] = []
    for size in (1, ENSEMBLE):
        while len(members) < size:
            model = LuongNMT(config(params, BEST, words, tiny)).to(place).eval()
            model.initialize(SEED + len(members))
            members.append(model)
        if place.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        started = time.perf_counter()
        with torch.inference_mode():
            search_all(members, sources, options, params.machine.decode_batch)
        wait(place)
        speed = count / (time.perf_counter() - started)
        _keep(out, place, "search", {str(size): [speed, peak_memory(place)]})


@app.command()
def captions(
    folder: Annotated[Path, typer.Argument(help="The folder, which the command may write.")],
    out: Out,
    prepare: Annotated[bool, typer.Option(help="Make the folder; this needs no GPU.")] = False,
    resume: Annotated[bool, typer.Option(help="Kill the training and resume it.")] = False,
    tiny: Tiny = False,
) -> None:
    """Train a model of captions to the end, translate and score.

    Example: python -m benchmarks.gpu captions data/gpu_day out --prepare
    """
    if prepare:
        gpu_captions.prepare(folder, tiny)
        return
    # Only afterwards: the stages could not have a GPU that this process has taken.
    if resume:
        found: dict[str, Any] = {"the same bytes after a kill": gpu_captions.resumed(folder)}
    else:
        found = dict(gpu_captions.measured(folder))
    _keep(out, best_device(), "captions", found)


def _options(device: str, tiny: bool) -> list[str]:
    return ["--device", device, *["--tiny"] * tiny]


def _own(*command: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.gpu", *command]


def _call(out: Path, parts: Mapping[str, tuple[int, list[str]]]) -> None:
    """Run the parts of a call, each with its limit in seconds; print what was measured."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, (limit, command) in parts.items():
        started = time.perf_counter()
        with (out / f"{name}.log").open("w") as log:
            try:
                status = subprocess.run(
                    command,
                    cwd=ROOT,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    timeout=limit,
                    check=False,
                ).returncode
                outcome = "ok" if status == 0 else f"failed ({status})"
            except subprocess.TimeoutExpired:
                outcome = "no time left"
            except FileNotFoundError:
                outcome = "no such program"
        rows.append([name, outcome, f"{time.perf_counter() - started:.0f}"])
    print(render(read_json(out / "results.json")) if (out / "results.json").exists() else "")
    print(table(["part", "outcome", "seconds"], rows, texts=2))


def _place(device: str) -> torch.device:
    """Return the device, set up as at the start of a training."""
    if device != "cpu" and not torch.cuda.is_available():
        raise InputError(f"--device {device}: no GPU here; --device cpu --tiny tries this out")
    best_device()
    keep_freed_memory()
    return torch.device(device)


def _keep(out: Path, device: torch.device, part: str, found: Mapping[str, Any]) -> None:
    """Add figures to a part of the results."""
    path = out / "results.json"
    results = read_json(path) if path.exists() else {}
    results["machine"] = surroundings(device)
    results[part] = results.get(part, {}) | dict(found)
    write_json(path, results)


def _step(model: ModelConfig, settings: TrainingSettings, device: torch.device) -> Step:
    translator = LuongNMT(model).to(device)
    translator.initialize(SEED)
    return Step(translator.train(), settings)


def _try(
    model: ModelConfig,
    settings: TrainingSettings,
    task: Workload,
    device: torch.device,
    seconds: float,
) -> dict[str, Any]:
    """Measure the step; if the device refuses it, return why, so that the others have their turn."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    try:
        step = _step(model, settings, device)
        for _ in range(2):  # the second pass makes the graphs
            task.train_once(step, device)
        passes: list[tuple[float, float]] = []
        started = time.perf_counter()
        while not passes or time.perf_counter() - started < seconds:
            passes.append(task.train_once(step, device))
    except (RuntimeError, InputError) as error:
        return {"error": str(error).splitlines()[0]}
    return {
        "flop": flop_a_word(model),
        "words_per_second": [task.target_words / whole for whole, _ in passes],
        "ms": 1e3 * min(whole for whole, _ in passes) / len(task.batches),
        "host_ms": 1e3 * min(host for _, host in passes) / len(task.batches),
        "memory_mb": peak_memory(device),
    }


def _kernels(
    model: ModelConfig, settings: TrainingSettings, task: Workload, device: torch.device
) -> int:
    """Return how many kernels and copies the batch of median length takes on a GPU."""
    if device.type != "cuda":
        return 0
    step, batch = _step(model, settings, device), task.batches[len(task.batches) // 2]
    for _ in range(3):  # the second makes the graph
        step(batch, RATE)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        step(batch, RATE)
        wait(device)
    return len([event for event in profile.events() if event.device_type.name == "CUDA"])


def render(results: Mapping[str, Any]) -> str:
    """Return what was measured as tables in Markdown."""
    tops = results.get("ceilings", {})
    parts = [f"**{described(results['machine'])}**"]
    if tops:
        products = ", ".join(f"{tops[name]:.1f} in {name}" for name in tops if name != "copy")
        parts.append(f"A copy: {tops['copy']:,.0f} GB/s. Products: {products} TFLOP/s.")
    if training := results.get("training"):
        header = ["system", "target words/s", "min to max", "of the products' limit", "ms a step"]
        rows = [
            [name, *_cells(one, tops.get(name.split(", ")[1]))] for name, one in training.items()
        ]
        parts.append(table([*header, "host ms", "peak MB"], rows))
        kernels = ", ".join(
            f"{name} {count:,}" for name, count in results.get("kernels", {}).items()
        )
        parts.append(f"Kernels a step: {kernels}.")
    if search := results.get("search"):
        rows = [[size, f"{speed:.1f}", f"{memory:,}"] for size, (speed, memory) in search.items()]
        parts.append(table([f"models, beam {BEAM}", "sentences/s", "peak MB"], rows))
    if found := results.get("captions"):
        cells = {
            name: f"{one:.2f}" if isinstance(one, float) else str(one)
            for name, one in found.items()
        }
        parts.append(table(["a whole training", ""], [[*pair] for pair in cells.items()]))
    return "\n\n".join(parts)


def _cells(one: Mapping[str, Any], top: float | None) -> list[str]:
    """Return the cells of a system; ``top`` is the TFLOP a second of a large product."""
    if "error" in one:
        return [one["error"], *[""] * 5]
    share = f"{max(one['words_per_second']) * one['flop'] / top / 1e12:.0%}" if top else ""
    speed, times = spread(one["words_per_second"], ",.0f"), (one["ms"], one["host_ms"])
    return [*speed, share, *(f"{time:.1f}" for time in times), f"{one['memory_mb']:,}"]


if __name__ == "__main__":
    run_app(app)
