"""A quarter of an hour on a GPU, in three calls: `python -m benchmarks.gpu first OUT`, and so on.

Models have the paper's size. Each call writes logs and results.json into the folder OUT and prints short
tables last; what fails does not stop the rest. With `--device cpu --tiny` it runs on any machine. A
whole training of captions, translated and scored, runs in a folder that `prepare` makes before the day.
"""

import csv
import gzip
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
import yaml
from numpy.typing import NDArray
from torch.utils.flop_counter import FlopCounterMode

from attnmt.config import Params, TrainingSettings, load_params
from attnmt.decoding.batched import search_all
from attnmt.decoding.search import Search
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.layout import ORIGIN, Layout
from attnmt.model.device import best_device
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.model.precision import products_in, supported
from attnmt.program import run_app
from attnmt.text.batches import Batch, ParallelText
from attnmt.text.encoded import EncodedText
from attnmt.training import cuda_graphs
from attnmt.training.machine import keep_freed_memory, peak_memory, surroundings
from attnmt.training.step import TrainingStep
from benchmarks.table import described, spread, table

ROOT = Path(__file__).parents[1]
PAIRS, WORDS, BATCHES = 60_000, 50_000, 12
TINY_PAIRS, TINY_WORDS, TINY_BATCHES = 400, 30, 2
SENTENCES, BEAM, ENSEMBLE = 2737, 12, 8  # of the paper's newstest2014
SYSTEMS = ["base_reverse_dropout", "global_location_feed", "local_p_general_feed"]
BEST, LARGEST = "local_p_general_feed", "global_additive_feed"  # the latter needs the most memory
LONGEST = 50  # words
LENGTHS = 26, 25  # the mean source and target words of a pair, with </s>
SEED = 1
RATE = 0.0  # the work is the same, and no weight diverges
FIRST_ID = 3  # after <unk>, <s> and </s>
SECONDS = 0.5  # how long a product or a copy is measured
EXPERIMENT, MODEL, FAMILY, TEST = "captions", "global_general_feed", "luong", "test_2016_flickr"
TEXT = "data/gpu_day"  # which `prepare` makes

app = typer.Typer(
    help=__doc__, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False
)
Out = Annotated[Path, typer.Argument(help="The folder of logs and results.")]
Folder = Annotated[Path, typer.Argument(help="The folder of the whole training.")]
Device = Annotated[str, typer.Option(help="cuda, or cpu to try this out.")]
Tiny = Annotated[bool, typer.Option(help="A small model on few words.")]


@app.command()
def first(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Take at most four minutes: ceilings, tests, the speed of the training step, kernels."""
    run = partial(_own, out, device, tiny)
    parts = {
        "nvidia-smi": (10, ["nvidia-smi"]),
        "ceilings": (30, run("part-ceilings")),
        "tests": (90, [sys.executable, "-m", "pytest", "tests/gpu", "-q", "-p", "no:xdist"]),
        "training": (80, run("part-training", *SYSTEMS)),
        "kernels": (30, run("part-kernels", *SYSTEMS)),  # the profiler slows what follows
    }
    _call(out, parts)


@app.command()
def second(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Take at most five minutes: a whole training, killed and resumed; beam search; memory."""
    folder = str(out / "captions") if tiny else TEXT
    run = partial(_own, out, device, tiny)
    parts = {
        "captions": (110, run("part-captions", "--folder", folder)),
        "resumed": (70, run("part-captions", "--folder", folder, "--resume")),
        "search": (70, run("part-search")),
        "memory": (50, run("part-memory")),
    }
    if not Path(folder).is_dir():
        ready = [sys.executable, "-m", "benchmarks.gpu", "prepare", folder, *["--tiny"] * tiny]
        parts = {"prepare": (300, ready), **parts}
    _call(out, parts)


@app.command()
def third(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Take what is left, at most three minutes: the training step with and without CUDA graphs."""
    command = _own(out, device, tiny, "part-training", BEST)
    without = ["env", f"{cuda_graphs.SWITCH}=0", *command]
    _call(out, {"graphs": (60, command), "no graphs": (90, without)})


@app.command()
def prepare(folder: Folder, tiny: Tiny = False) -> None:
    """Run, without a GPU, the stages that come before a training of captions.

    Example: python -m benchmarks.gpu prepare data/gpu_day
    """
    file = ROOT / ("params.yaml" if tiny else "experiments/captions/params.yaml")
    values = yaml.safe_load(file.read_text()) | {"experiment": EXPERIMENT}
    folder.mkdir(parents=True, exist_ok=True)
    if tiny:  # the beginning of the demo's text, and a training of seconds
        (folder / "text").mkdir(exist_ok=True)
        for path in (ROOT / values["corpus"]["text"]).glob("*.gz"):
            lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
            (folder / "text" / path.stem).write_bytes(b"".join(lines[:TINY_PAIRS]))
        values["corpus"] = {"kind": "local", "text": "text"}
        values["families"][FAMILY]["shape"]["size"] = 16
        short = {"epochs": 2, "halve_after": 1, "evaluate_every": 8}
        values["families"][FAMILY]["training"] |= short
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    shutil.copy(ROOT / "systems.yaml", folder)
    for stage, *key in (["corpus"], ["tokens"], ["encode", FAMILY], ["dictionary"]):
        _stage(folder, stage, *key)


@app.command("part-ceilings", hidden=True)
def part_ceilings(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Measure GB a second of a copy, read and written, and TFLOP a second of products."""
    place = _place(device)
    size, count = (64, 1 << 16) if tiny else (8192, 1 << 32)
    here, there = (torch.empty(count, dtype=torch.uint8, device=place) for _ in range(2))
    found = {"copy": 2 * count * _calls_a_second(partial(there.copy_, here), place) / 1e9}
    kinds = [("fp32", torch.float32, "ieee"), ("bf16", torch.bfloat16, "ieee")]
    if place.type == "cuda":
        kinds.insert(1, ("tf32", torch.float32, "tf32"))
    for name, dtype, precision in kinds:
        left, right = (torch.randn(size, size, device=place).to(dtype) for _ in range(2))
        torch.backends.cuda.matmul.fp32_precision = precision
        found[name] = 2 * size**3 * _calls_a_second(partial(torch.mm, left, right), place) / 1e12
    _keep(out, place, "ceilings", found)


Systems = Annotated[list[str], typer.Argument(help="Models of experiments/wmt14.")]


@app.command("part-training", hidden=True)
def part_training(
    out: Out,
    systems: Systems,
    device: Device = "cuda",
    tiny: Tiny = False,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds of each measurement.")] = 4,
) -> None:
    """Measure target words a second, the host's share and memory in every precision."""
    place, batches = _place(device), _batches(tiny)
    graphs = ", no graphs" * (os.environ.get(cuda_graphs.SWITCH) == "0")
    for name in systems:
        for precision in supported(place):
            with products_in(precision, place):
                found = _try(name, batches, place, tiny, seconds)
            _keep(out, place, "training", {f"{name}, {precision}{graphs}": found})


@app.command("part-kernels", hidden=True)
def part_kernels(out: Out, systems: Systems, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Count the kernels and copies that the batch of median length takes on a GPU."""
    place, batches = _place(device), _batches(tiny)
    batch = batches[len(batches) // 2]
    for name in systems if place.type == "cuda" else ():
        step = _step(name, place, tiny, watched=2)
        for _ in range(3):
            step(batch, RATE)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            step(batch, RATE)
            _wait(place)
        on_gpu = [event for event in profile.events() if event.device_type.name == "CUDA"]
        _keep(out, place, "kernels", {name: len(on_gpu)})


@app.command("part-memory", hidden=True)
def part_memory(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Train the system that needs the most memory on many shapes of batches, the smallest first."""
    place, settings = _place(device), _settings(tiny)
    widths = range(8, 17, 8) if tiny else range(8, LONGEST + 7, 8)
    batches = [_even(settings.batch_size, M, T) for T in widths for M in widths if abs(M - T) < 24]
    step = _step(LARGEST, place, tiny, watched=2 * len(batches))
    for _ in range(3):
        for batch in batches:
            step(batch, RATE)
    _wait(place)
    found = {"shapes": len(batches), "MB": peak_memory(place)}
    if place.type == "cuda":
        found["MB with the allocator's"] = torch.cuda.max_memory_reserved() // 10**6
    _keep(out, place, "memory", found)


@app.command("part-search", hidden=True)
def part_search(out: Out, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Translate as many sentences as newstest2014 has, by one model and by eight, with random weights.

    Most translations are as long as they may be, which is more steps than a trained model takes.
    """
    place, params = _place(device), _params()
    count = 4 if tiny else SENTENCES
    text = _drawn(count, tiny)
    options = Search(beam=BEAM, candidates=params.decoding.candidates)
    members: list[LuongNMT] = []
    for size in (1, ENSEMBLE):
        while len(members) < size:
            model = LuongNMT(_config(BEST, tiny)).to(place).eval()
            model.initialize(SEED + len(members))
            members.append(model)
        started = time.perf_counter()
        with torch.inference_mode():
            sources = [text.source[i] for i in range(count)]
            search_all(members, sources, options, params.machine.decode_batch)
        _wait(place)
        speed = count / (time.perf_counter() - started)
        _keep(out, place, "search", {str(size): [speed, peak_memory(place)]})


@app.command("part-captions", hidden=True)
def part_captions(
    out: Out,
    folder: Annotated[Path, typer.Option()],
    resume: Annotated[bool, typer.Option(help="Kill the training and resume it.")] = False,
    device: Device = "cuda",  # the stages choose it by themselves
    tiny: Tiny = False,
) -> None:
    """Train a model of captions to the end, translate and score."""
    found = _resumed(folder) if resume else _whole(folder)
    # Only now: the stages could not have a GPU that this process had taken.
    _keep(out, best_device(), "captions", found)


def _whole(folder: Path) -> dict[str, float]:
    """Train, translate and score; return seconds, perplexity and BLEU, and those of the report."""
    _forget(folder)
    stages = ("train", "translate", "evaluate")
    found = {f"{stage}, seconds": _stage(folder, stage, MODEL) for stage in stages}
    layout, report = Layout(EXPERIMENT, folder), Layout(EXPERIMENT, ROOT).score_table
    found["dev perplexity"] = read_json(layout.model(MODEL) / "metrics.json")["dev_perplexity"]
    found["BLEU"] = _value(layout.scores(MODEL), "bleu", TEST)
    found["dev perplexity on a processor"] = _value(report, "ppl", "val")
    found["BLEU on a processor"] = _value(report, "bleu", TEST)
    return found


def _value(path: Path, metric: str, test: str) -> float:
    """Return what a table says of the model with seed 1; not a number if it says nothing."""
    asked = {"model": MODEL, "metric": metric, "set": test, "max_words": ""}
    if metric == "bleu":
        asked |= {"script": "tokenized", "replacement": "after"}
    with path.open(encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            if line["kind"] == "training" and asked.items() <= line.items():
                return float(line["value"])
    return math.nan


def _resumed(folder: Path) -> dict[str, bool]:
    """Train again, kill the training after its first checkpoint, resume; say if the bytes are the same.

    Raises:
        InputError: if the training ended before it could be killed, or began again instead of going on.
    """
    layout = Layout(EXPERIMENT, folder)
    weights, checkpoints = layout.model(MODEL) / "weights.safetensors", layout.checkpoints(MODEL)
    expected = weights.read_bytes()
    _forget(folder)
    with _started(folder, "train", MODEL) as training:
        while training.poll() is None and not list(checkpoints.glob("*/last.safetensors")):
            time.sleep(0.01)
        training.kill()
    if training.returncode != -signal.SIGKILL:  # it failed, or was faster
        raise InputError(f"{folder}: the training ended before it could be killed")
    (origin,) = checkpoints.glob(f"*/{ORIGIN}")
    started = read_json(origin)["started"]
    _stage(folder, "train", MODEL)
    if read_json(layout.provenance(MODEL))["started"] != started:
        raise InputError(f"{folder}: the training began again, in place of going on")
    return {"the same bytes after a kill": weights.read_bytes() == expected}


def _forget(folder: Path) -> None:
    layout = Layout(EXPERIMENT, folder)
    for path in (layout.model(MODEL), layout.checkpoints(MODEL)):
        shutil.rmtree(path, ignore_errors=True)


def _stage(folder: Path, stage: str, *key: str) -> float:
    """Run a stage in a folder; return its seconds.

    Raises:
        InputError: if it fails; it has said why.
    """
    started = time.perf_counter()
    if _started(folder, stage, *key).wait():
        raise InputError(f"{folder}: the stage {stage} failed")
    return time.perf_counter() - started


def _started(folder: Path, stage: str, *key: str) -> "subprocess.Popen[bytes]":
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(ROOT / f"stages/{stage}.py"), "params.yaml", *key]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": path})


def _own(out: Path, device: str, tiny: bool, part: str, *more: str) -> list[str]:
    options = ["--device", device, *["--tiny"] * tiny]
    return [sys.executable, "-m", "benchmarks.gpu", part, str(out), *more, *options]


def _call(out: Path, parts: Mapping[str, tuple[int, list[str]]]) -> None:
    """Run the parts of a call, each with its limit in seconds; print what was measured."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, (limit, command) in parts.items():
        started = time.perf_counter()
        with (out / f"{name}.log").open("w") as log:
            run = partial(subprocess.run, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
            try:
                status = run(command, timeout=limit, check=False).returncode
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


def _params() -> Params:
    return load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)


def _settings(tiny: bool) -> TrainingSettings:
    settings = _params().families[FAMILY].training
    return settings.model_copy(update={"batch_size": 4}) if tiny else settings


def _config(system: str, tiny: bool) -> ModelConfig:
    params, words = _params(), TINY_WORDS if tiny else WORDS
    small = {"layers": 2, "size": 8} if tiny else {}
    shape = params.shape(system).model_copy(update=small)
    return ModelConfig(params.training(system).system, shape, words, words)


def _step(system: str, device: torch.device, tiny: bool, watched: int) -> TrainingStep:
    """Return the step of a new model, which is captured after a number of batches."""
    cuda_graphs.WATCHED = watched
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    model = LuongNMT(_config(system, tiny)).to(device)
    model.initialize(SEED)
    return TrainingStep(model.train(), _settings(tiny))


def _drawn(pairs: int, tiny: bool) -> ParallelText:
    """Return pairs of sentences as long as WMT's, whose words follow Zipf's law."""
    rng, words = np.random.default_rng(SEED), TINY_WORDS if tiny else WORDS
    target = rng.gamma(3, LENGTHS[1] / 3, pairs)
    source = 1.06 * target * np.exp(rng.normal(0, 0.2, pairs))

    def side(lengths: NDArray[np.float64]) -> EncodedText:
        counts = np.clip(np.round(lengths), 1, LONGEST).astype(np.int64)
        ranks = (words - FIRST_ID) ** rng.random(counts.sum()) - 1
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return EncodedText((FIRST_ID + ranks).astype(np.int32), offsets)

    return ParallelText(side(source), side(target), reverse=True)


def _batches(tiny: bool) -> list[Batch]:
    """Return batches of an epoch, spread evenly over the lengths."""
    text, settings = _drawn(TINY_PAIRS if tiny else PAIRS, tiny), _settings(tiny)
    options = (settings.batch_size, settings.chunk_batches, settings.shuffle)
    order = text.training_order(1, SEED, *options)
    order.sort(key=lambda rows: int(text.target.lengths[rows].max()))
    count = TINY_BATCHES if tiny else BATCHES
    places = (np.arange(count) + 0.5) * len(order) / count
    return [text.batch(order[int(place)]) for place in places]


def _even(pairs: int, source: int, target: int) -> Batch:
    """Return a batch whose sentences are all equally long."""
    ids = partial(torch.full, fill_value=FIRST_ID)
    lengths = torch.full((pairs,), source), torch.full((pairs,), target)
    words = ids((pairs, target))
    return Batch(ids((pairs, source)), lengths[0], words, words, lengths[1])


def _try(
    system: str, batches: Sequence[Batch], device: torch.device, tiny: bool, seconds: float
) -> dict[str, Any]:
    """Measure the step; if the device refuses it, return why, so that the others have their turn."""
    try:
        step = _step(system, device, tiny, watched=2 * len(batches))
        for _ in range(2):  # after which the steps are captured
            _pass(step, batches, device)
        passes: list[tuple[float, float]] = []
        started = time.perf_counter()
        while not passes or time.perf_counter() - started < seconds:
            passes.append(_pass(step, batches, device))
    except (RuntimeError, InputError) as error:
        return {"error": str(error).splitlines()[0]}
    words = sum(int(batch.lengths.sum()) for batch in batches)
    return {
        "flop": flop_a_word(_config(system, tiny)),
        "words_per_second": [words / whole for whole, _ in passes],
        "ms": 1e3 * min(whole for whole, _ in passes) / len(batches),
        "host_ms": 1e3 * min(host for _, host in passes) / len(batches),
        "memory_mb": peak_memory(device),
    }


def _pass(
    step: TrainingStep, batches: Sequence[Batch], device: torch.device
) -> tuple[float, float]:
    """Return how many seconds a pass over batches takes, and how many the host is busy."""
    _wait(device)
    started = time.perf_counter()
    for batch in batches:
        step(batch, RATE)
    host = time.perf_counter() - started
    _wait(device)
    return time.perf_counter() - started, host


def flop_a_word(config: ModelConfig) -> float:
    """Return the operations in products that a target word takes, forward and backward."""
    added = {torch.ops.aten.addmm_: lambda _, a, b, **__: 2 * a[0] * a[1] * b[1]}
    source, target = LENGTHS
    with torch.device("meta"), torch.no_grad():
        model = LuongNMT(config).eval()
        words = torch.zeros(1, target, dtype=torch.long)
        with FlopCounterMode(display=False, custom_mapping=added) as counter:
            h_tilde, _ = model(
                torch.zeros(1, source, dtype=torch.long), torch.full((1,), source), words
            )
            model.logits(h_tilde)
    return 3 * float(counter.get_total_flops()) / target


def _calls_a_second(call: Callable[[], object], device: torch.device) -> float:
    """Return how often a second a device does something."""
    call()
    _wait(device)
    count, started, at_once = 0, time.perf_counter(), 10 if device.type == "cuda" else 1
    while (passed := time.perf_counter() - started) < SECONDS:
        for _ in range(at_once):
            call()
        count += at_once
        _wait(device)
    return count / passed


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


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
    if search := results.get("search"):
        rows = [[size, f"{speed:.1f}", f"{memory:,}"] for size, (speed, memory) in search.items()]
        parts.append(table([f"models, beam {BEAM}", "sentences/s", "peak MB"], rows))
    titles = {"kernels": "kernels a step", "memory": LARGEST, "captions": "a whole training"}
    for part, title in titles.items():
        if found := results.get(part):
            rows = [
                [name, f"{one:.2f}" if isinstance(one, float) else str(one)]
                for name, one in found.items()
            ]
            parts.append(table([title, ""], rows))
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
