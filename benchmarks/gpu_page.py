"""The GPU benchmark's results in Markdown: a paragraph or a table for each part that was measured."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attnmt.config import load_params
from attnmt.planning.text_size import TextSize
from attnmt.planning.times import time_text
from benchmarks.measures import Spread, ratio
from benchmarks.page import commit, table

ROOT = Path(__file__).parents[1]
WMT14 = ROOT / "experiments/wmt14/params.yaml"
LARGEST = "local_p_general_feed"  # of the models of wmt14
SYSTEMS = {
    "base": "Base",
    "base_reverse": "+ reverse",
    "base_reverse_dropout": "+ dropout",
    "global_location": "+ global attention (location)",
    "global_location_feed": "+ feed input",
    "local_p_general_feed": "+ local-p attention (general)",
}


def render(results: Mapping[str, Any]) -> str:
    """Return a device's results in Markdown, as far as they were measured."""
    machine = results["machine"]
    title = (
        f"**{machine['device']}**, torch {machine['torch']}, {machine['started'][:10]}, "
        f"{commit(machine)}."
    )
    return "\n\n".join([title, *(show(results[part]) for part, show in PARTS if part in results)])


def hours(results: Mapping[str, Any]) -> str:
    """Return what the paper's experiment takes at the measured speed of its largest model.

    The speed is that in the experiment's own precision, even if the GPU is faster in another.
    """
    precision = load_params(WMT14, ROOT).recipe(LARGEST).precision
    measured = results.get("training", {}).get("systems", {}).get(LARGEST, {}).get(precision, {})
    if "words_per_second" not in measured:
        device = results["machine"]["device"]
        return f"On {device} the speed of {LARGEST} in {precision} has not been measured."
    speed = Spread.of(measured["words_per_second"]).median
    count, words = paper_words()
    return (
        f"At the {speed:,.0f} target words a second that {LARGEST} reached on "
        f"{results['machine']['device']} in {precision}, the experiment's precision, the {count} "
        f"trainings, {words / 1e6:,.0f} million target words, take {time_text(words / speed)} of one "
        "GPU."
    )


def paper_words() -> tuple[int, int]:
    """Return how many trainings experiments/wmt14 has, and their target words together."""
    params = load_params(WMT14, ROOT)
    expected = params.corpus.expected
    assert expected is not None, "this experiment says how much text it expects"
    words = 0
    for name, model in params.models.items():
        encoding = params.families[model.family].encoding
        text = TextSize.expected(expected, encoding, params.languages)
        words += text.target_words(model.system, params.recipe(name))
    return len(params.models), words


def _ceilings(found: Mapping[str, Any]) -> str:
    products = ", ".join(f"{speed:.1f} in {name}" for name, speed in found["tflop"].items())
    size = found["product"]
    return (
        f"Ceilings: a copy in memory reads and writes {found['copied_gb']:,.0f} GB/s; products of "
        f"{size} x {size} matrices reach {products} TFLOP/s."
    )


def _training(found: Mapping[str, Any]) -> str:
    header = [
        "system",
        "products",
        "target words/s",
        "min to max",
        "of the limit",
        "ms a step",
        "host ms",
        "kernels a step",
        "peak MB",
    ]
    rows = [
        [SYSTEMS.get(name, name), precision, *_cells(system[precision])]
        for name, system in found["systems"].items()
        for precision in found["products"]
    ]
    lengths = found["lengths"]
    title = (
        f"Training on {found['batches']} batches of {found['pairs']} pairs, "
        f"{lengths['source']:.1f} and {lengths['target']:.1f} words on average ({found['text']}), "
        f"padding {found['padding']:.1%} of the positions before a GPU's own."
    )
    rates = "; ".join(
        f"{precision} " + ", ".join(f"{name} {speed / 1e12:.1f}" for name, speed in speeds.items())
        for precision, speeds in found["products"].items()
    )
    return f"{title}\n\n{table(header, rows, texts=2)}\n\nProducts, TFLOP/s: {rates}."


def _steps(found: Mapping[str, Any]) -> str:
    kinds = list(next(iter(next(iter(found.values())).values())))
    rows = []
    for system, precisions in found.items():
        for precision, speeds in precisions.items():
            cells = [f"{Spread.of(speeds[kind]).median:,.0f}" for kind in kinds]
            gains = [f"{ratio(speeds, kind, kinds[0]):.2f}" for kind in kinds[1:]]
            rows.append([SYSTEMS.get(system, system), precision, *cells, *gains])
    header = ["system", "products", *kinds, *(f"{kind} / {kinds[0]}" for kind in kinds[1:])]
    title = "Target words a second of three kinds of training step, in turns in one process."
    return f"{title}\n\n{table(header, rows, texts=2)}"


def _search(found: Mapping[str, Any]) -> str:
    rows = [
        [
            count,
            f"{one['seconds']:.1f}",
            f"{found['sentences'] / one['seconds']:.1f}",
            f"{one['words'] / found['sentences']:.1f}",
            f"{one['memory_mb']:,}",
        ]
        for count, one in found["models"].items()
    ]
    title = (
        f"Beam search, beam {found['beam']}, {found['sentences']:,} sentences, models with random "
        f"weights, whose translations are as long as they may be."
    )
    header = ["models", "seconds", "sentences/s", "words a sentence", "peak MB"]
    return f"{title}\n\n{table(header, rows)}"


def _captions(found: Mapping[str, Any]) -> str:
    seconds = ", ".join(f"{stage} {value:.0f} s" for stage, value in found["seconds"].items())
    text = (
        f"A whole training of {found['model']} ({found['words_per_second']:,.0f} target words a "
        f"second; {seconds}): development perplexity {found['dev_perplexity']:.3f}, BLEU "
        f"{found['bleu']:.1f} on {found['set']}."
    )
    if cpu := found.get("on_cpu"):
        there = f"perplexity {cpu['dev_perplexity']:.3f}, BLEU {cpu['bleu']:.1f}"
        text += f" The same seed on a processor: {there}."
    return text


def _resumed(found: Mapping[str, Any]) -> str:
    same = "the same" if found["same_bytes"] else "not the same"
    return f"Killed after its first checkpoint and resumed, this training had {same} bytes."


# In the order of the page.
PARTS: tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...] = (
    ("ceilings", _ceilings),
    ("training", _training),
    ("steps", _steps),
    ("search", _search),
    ("captions", _captions),
    ("resumed", _resumed),
)


def _cells(measured: Mapping[str, Any]) -> list[str]:
    if "error" in measured:
        return [measured["error"], *[""] * 6]
    median, low, high = Spread.of(measured["words_per_second"])
    kernels = measured["kernels_per_step"]
    return [
        f"{median:,.0f}",
        f"{low:,.0f} to {high:,.0f}",
        f"{median / measured['limit']:.0%}",
        f"{measured['ms_per_step']:.1f}",
        f"{measured['host_ms_per_step']:.1f}",
        f"{kernels:,}" if kernels else "",
        f"{measured['memory_mb']:,}",
    ]
