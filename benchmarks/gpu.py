"""One GPU's ceilings, training and search: `python -m benchmarks.gpu training`, say, then `page`.

Models have the paper's size, and sentences are drawn at random, as long as WMT's, or are taken from an
encoded text. Each command adds a part to the results of this device; gpu_day.sh calls them all.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from attnmt.config import Model, Params, Precision, Training, load_params
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.model.device import best_device
from attnmt.model.precision import products_in, supported
from attnmt.model.translator import ModelConfig, Translator
from attnmt.text.batches import Batch, ParallelText
from attnmt.text.encoded import EncodedSets
from attnmt.training.machine import keep_freed_memory, peak_memory, surroundings
from attnmt.training.step import Step
from attnmt.workflow.stage import run_app
from benchmarks import gpu_captions, page
from benchmarks.gpu_ceilings import ceilings
from benchmarks.gpu_limit import speeds, words_limit
from benchmarks.gpu_page import SYSTEMS, hours, render
from benchmarks.gpu_search import SENTENCES, searches
from benchmarks.gpu_steps import turns
from benchmarks.gpu_workload import RATE, SEED, Workload, drawn
from benchmarks.measures import Spread
from benchmarks.products import wait

ROOT = Path(__file__).parents[1]
DRAWN, PASSES = 60_000, 3
CLUSTER = ROOT / "docs/cluster.md"
TABLE1 = ",".join(SYSTEMS)

app = typer.Typer(
    help=__doc__,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Device = Annotated[str, typer.Option(help="cuda, or cpu to try this out.")]
Tiny = Annotated[bool, typer.Option(help="A small model on few words.")]
Systems = Annotated[str, typer.Option(help="Models of experiments/wmt14.")]
Batches = Annotated[int, typer.Option(min=1, help="Batches, trained on again and again.")]
EncodedText = Annotated[Path | None, typer.Option(help="Encoded text in place of drawn lengths.")]


@app.callback()
def main(
    context: typer.Context,
    results: Annotated[Path, typer.Option(help="The folder of the results.")] = page.RESULTS,
) -> None:
    """Take the folder, which all commands share."""
    context.obj = results


@app.command("ceilings")
def ceilings_command(context: typer.Context, device: Device = "cuda", tiny: Tiny = False) -> None:
    """Measure how fast the device copies its memory and multiplies large matrices."""
    place = _place(device, tiny, context.obj)
    _keep(context.obj, place, "ceilings", ceilings(place, tiny))


@app.command()
def training(
    context: typer.Context,
    device: Device = "cuda",
    tiny: Tiny = False,
    systems: Systems = TABLE1,
    batches: Batches = 12,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds of each measurement.")] = 4,
    minutes: Annotated[
        float, typer.Option(min=0, help="Minutes after which nothing more begins.")
    ] = 8,
    text: EncodedText = None,
) -> None:
    """Measure target words a second, their share of the products' limit, and memory.

    Example: python -m benchmarks.gpu training --text data/wmt14/encoded/luong
    """
    end, place = time.monotonic() + 60 * minutes, _place(device, tiny, context.obj)
    params = load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)
    recipe, task, vocabulary = _task(params, tiny, batches, text)
    results: dict[str, Any] = {
        "text": str(text or "drawn"),
        "batches": batches,
        "pairs": recipe.batch_size,
        "lengths": task.lengths._asdict(),
        "padding": task.padding,
        "products": {},
        "systems": {},
    }
    for system in systems.split(","):
        if time.monotonic() > end:
            print(f"{system}: no time left")
            continue
        config = _config(params.model(system), params, vocabulary, tiny)
        results["systems"][system] = _measure(
            config, recipe, task, place, seconds, results["products"]
        )
        _keep(context.obj, place, "training", results)  # whatever fails later


@app.command()
def steps(
    context: typer.Context,
    device: Device = "cuda",
    tiny: Tiny = False,
    systems: Systems = "global_location_feed,local_p_general_feed",
    batches: Batches = 12,
    rounds: Annotated[int, typer.Option(min=1, help="Turns of each kind of step.")] = 5,
) -> None:
    """Compare the step with one that has no graphs, no padding and no fused cells, in turns."""
    place = _place(device, tiny, context.obj)
    params = load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)
    recipe, task, vocabulary = _task(params, tiny, batches, None)
    results: dict[str, Any] = {}
    for system in systems.split(","):
        config = _config(params.model(system), params, vocabulary, tiny)
        results[system] = {}
        for precision in supported(place):
            with products_in(precision, place):
                results[system][precision] = turns(config, recipe, task, place, rounds)
            _keep(context.obj, place, "steps", results)


@app.command("search")
def search_command(
    context: typer.Context,
    device: Device = "cuda",
    tiny: Tiny = False,
    system: Annotated[str, typer.Option(help="A model of experiments/wmt14.")] = (
        "local_p_general_feed"
    ),
) -> None:
    """Translate as many sentences as newstest2014 has, by one model and by eight."""
    place = _place(device, tiny, context.obj)
    params = load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)
    _, _, vocabulary = _task(params, tiny, 1, None)
    sentences = 4 if tiny else SENTENCES
    config, text = _config(params.model(system), params, vocabulary, tiny), drawn(3000, vocabulary)
    _keep(context.obj, place, "search", searches(config, params, text, place, sentences))


@app.command()
def captions(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The folder, which the command may write.")],
    prepare: Annotated[bool, typer.Option(help="Make the folder; this needs no GPU.")] = False,
    resume: Annotated[bool, typer.Option(help="Kill the training and resume it.")] = False,
    tiny: Tiny = False,
) -> None:
    """Train a model of Multi30k to the end, translate and score.

    Examples: python -m benchmarks.gpu captions data/gpu_day --prepare; ... captions data/gpu_day
    """
    if prepare:
        gpu_captions.prepare(folder, tiny)
        return
    _refuse_as_results(tiny or not torch.cuda.is_available(), context.obj)
    if resume:
        part, results = "resumed", {"same_bytes": gpu_captions.resumed(folder)}
    else:
        part, results = "captions", gpu_captions.measured(folder)
    # Only now: the stages could not have a GPU that this process has taken.
    _keep(context.obj, best_device(), part, results)


@app.command()
def show(context: typer.Context) -> None:
    """Print the results."""
    for path in sorted(context.obj.glob("gpu-*.json")):
        print(render(read_json(path)), end="\n\n")
        if torch.cuda.is_available():  # small models on a processor say nothing of the paper's
            print(hours(read_json(path)), end="\n\n")


@app.command("page")
def page_command(context: typer.Context) -> None:
    """Put the results into benchmarks/README.md, and what they mean in hours into docs/cluster.md."""
    if context.obj != page.RESULTS:
        fault = f"--results {context.obj}: the page shows {page.RESULTS}; copy the results"
        raise InputError(fault)
    page.put_into_page("gpu", render)
    page.put_into_page("gpu", hours, CLUSTER)


def _place(device: str, tiny: bool, folder: Path) -> torch.device:
    """Return the device, set up as at the start of a training."""
    if device != "cpu" and not torch.cuda.is_available():
        raise InputError(f"--device {device}: no GPU here; --device cpu --tiny tries this out")
    _refuse_as_results(tiny or device == "cpu", folder)
    best_device()
    keep_freed_memory()
    return torch.device(device)


def _refuse_as_results(trial: bool, folder: Path) -> None:
    """Refuse to put what only tries this out among the results that the page shows."""
    if trial and folder == page.RESULTS:
        raise InputError(
            "a trial is no result of a GPU; name another folder for it, as in "
            "python -m benchmarks.gpu --results trial ceilings --device cpu --tiny"
        )


def _keep(folder: Path, device: torch.device, part: str, results: Any) -> None:
    """Add a part to the results of this device, and print them."""
    machine = surroundings(device)
    path = page.results_file("gpu", machine["device"], folder)
    before = read_json(path) if path.exists() else {}
    write_json(path, before | {"machine": machine, part: results})
    print(render({"machine": machine, part: results}), flush=True)


def _task(
    params: Params, tiny: bool, batches: int, text: Path | None
) -> tuple[Training, Workload, tuple[int, int]]:
    """Return the recipe, what is trained on, and the vocabularies' sizes."""
    recipe, train = params.families["luong"].training, params.sets.train
    if tiny:
        recipe = recipe.model_copy(update={"batch_size": 4})
    if text is None:
        vocabulary = (30, 30) if tiny else (50_000, 50_000)
        pairs = drawn(400 if tiny else DRAWN, vocabulary)
    else:
        data = EncodedSets(text)
        vocabulary = len(data.vocabulary("en")), len(data.vocabulary("de"))
        pairs = ParallelText(data.text(train, "en"), data.text(train, "de"), reverse=True)
    return recipe, Workload.of(pairs, recipe, batches), vocabulary


def _config(entry: Model, params: Params, vocabulary: tuple[int, int], tiny: bool) -> ModelConfig:
    shape = params.families[entry.family].shape_of(entry)
    if tiny:
        shape = shape.model_copy(update={"layers": 2, "size": 8})
    return ModelConfig(entry.system, shape, *vocabulary)


def _measure(
    config: ModelConfig,
    recipe: Training,
    task: Workload,
    device: torch.device,
    seconds: float,
    products: dict[str, dict[str, float]],
) -> dict[str, Any]:
    """Measure a system in every precision; add to ``products`` the speeds that it lacks."""
    model = Translator(config).to(device)
    model.initialize(SEED)
    model.train()
    results: dict[str, Any] = {"parameters": sum(p.numel() for p in model.parameters())}
    for precision in supported(device):
        with products_in(precision, device):
            if precision not in products:
                products[precision] = speeds(config, recipe, task, device)
            limit = words_limit(config, task.lengths, products[precision])
            measured = _try(model, recipe, task, seconds)
            results[precision] = {"limit": limit, **measured}
            _say(config, precision, measured)
    return results


def _try(model: Translator, recipe: Training, task: Workload, seconds: float) -> dict[str, Any]:
    """Measure the step; if the device refuses it, return why, so that the others have their turn."""
    if model.W_s.is_cuda:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    try:
        return _speed(model, recipe, task, seconds)
    except (RuntimeError, InputError) as error:
        return {"error": str(error).splitlines()[0]}


def _speed(model: Translator, recipe: Training, task: Workload, seconds: float) -> dict[str, Any]:
    step, device = Step(model, recipe), model.W_s.device
    batches = task.batches
    started = time.perf_counter()
    for _ in range(2):  # the second pass makes the graphs
        task.train_once(step, device)
    warm_up = time.perf_counter() - started
    passes: list[tuple[float, float]] = []
    started = time.perf_counter()
    while len(passes) < PASSES or time.perf_counter() - started < seconds:
        passes.append(task.train_once(step, device))
    return {
        "words_per_second": [task.target_words / whole for whole, _ in passes],
        "ms_per_step": 1e3 * min(whole for whole, _ in passes) / len(batches),
        "host_ms_per_step": 1e3 * min(host for _, host in passes) / len(batches),
        "warm_up_seconds": warm_up,
        "kernels_per_step": _kernels(step, batches, device),
        "memory_mb": peak_memory(device),
        "device_memory_mb": _device_memory(device),
    }


def _kernels(step: Step, batches: Sequence[Batch], device: torch.device) -> int | None:
    """Return how many kernels and copies the batch of median length takes on the device."""
    if device.type != "cuda":
        return None
    middle = sorted(batches, key=lambda batch: batch.words.shape[1])[len(batches) // 2]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        step(middle, RATE)
        wait(device)
    return len([event for event in profile.events() if event.device_type.name == "CUDA"])


def _device_memory(device: torch.device) -> int | None:
    """Return how much of the device's memory is taken, libraries included, in MB."""
    if device.type != "cuda":
        return None
    free, total = torch.cuda.mem_get_info(device)
    return (total - free) // 10**6


def _say(config: ModelConfig, precision: Precision, measured: dict[str, Any]) -> None:
    speeds = measured.get("words_per_second", [])
    result = f"{Spread.of(speeds).median:,.0f} words/s" if speeds else measured["error"]
    print(f"{config.system.model_dump(exclude_defaults=True)}, {precision}: {result}", flush=True)


if __name__ == "__main__":
    run_app(app)
