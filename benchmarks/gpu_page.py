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
GRAPHS, OPERATIONS = "graphs", "operations"
FORMS = {GRAPHS: "CUDA graphs", OPERATIONS: "operation by operation"}


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
        "operation by operation",
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
        f"padding {results['padding']:.1%} of the positions, {results['graphs_padding']:.1%} in graphs."
    )
    rates = "; ".join(
        f"{precision} " + ", ".join(f"{name} {speed / 1e12:.1f}" for name, speed in speeds.items())
        for precision, speeds in results["products"].items()
    )
    return f"{title}\n\n{table(header, rows, texts=2)}\n\nProducts, TFLOP/s: {rates}."


def _cells(results: Mapping[str, Any]) -> list[str]:
    forms = results["forms"]
    plain = _median(forms[OPERATIONS])
    best = forms.get(GRAPHS, forms[OPERATIONS])
    kernels = forms[OPERATIONS].get("kernels_per_step")
    if "error" in best:
        cells = [best["error"], *[""] * 4]
    else:
        median, low, high = Spread.of(best["words_per_second"])
        cells = [f"{median:,.0f}", f"{low:,.0f} to {high:,.0f}"]
        cells += [f"{median / results['limit']:.0%}"]
        cells += [f"{best['ms_per_step']:.1f}", f"{best['host_ms_per_step']:.1f}"]
    cells += [f"{plain:,.0f}" if plain else forms[OPERATIONS]["error"]]
    return [*cells, f"{kernels:,}" if kernels else "", f"{best.get('memory_mb', 0):,}"]


def _median(form: Mapping[str, Any]) -> float | None:
    return None if "error" in form else Spread.of(form["words_per_second"]).median
