"""The GPU benchmark's results as a table in Markdown."""

from collections.abc import Mapping
from typing import Any

from benchmarks.measures import Spread
from benchmarks.page import table

SYSTEMS = {
    "base": "Base",
    "base_reverse": "+ reverse",
    "base_reverse_dropout": "+ dropout",
    "global_location": "+ global attention (location)",
    "global_location_feed": "+ feed input",
    "local_p_general_feed": "+ local-p attention (general)",
}


def render(results: Mapping[str, Any]) -> str:
    """Return a machine's results as a table in Markdown."""
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
        for name, system in results["systems"].items()
        for precision in results["products"]
    ]
    machine, lengths = results["machine"], results["lengths"]
    title = (
        f"**Training on {machine['device']}**, torch {machine['torch']}, {machine['started'][:10]}, "
        f"commit {machine['git_commit'][:10]}: {results['batches']} batches "
        f"of {results['pairs']} pairs, "
        f"{lengths['source']:.1f} and {lengths['target']:.1f} words on average ({results['text']}), "
        f"padding {results['padding']:.1%} of the positions."
    )
    rates = "; ".join(
        f"{precision} " + ", ".join(f"{name} {speed / 1e12:.1f}" for name, speed in speeds.items())
        for precision, speeds in results["products"].items()
    )
    return f"{title}\n\n{table(header, rows, texts=2)}\n\nProducts, TFLOP/s: {rates}."


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
