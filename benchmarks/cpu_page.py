"""A processor's results as tables in Markdown."""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from attnmt.decoding.link_step import SHIFTS
from benchmarks.measures import Spread, fastest, ratio
from benchmarks.page import commit, table
from benchmarks.systems import BF16, LABELS, OURS, PEERS, PLAIN
from benchmarks.workload import SIZES

AVX2_SINCE = "2026-11-27"  # the day from which ours keeps to AVX2; before, it had all instructions


def render(parts: Mapping[str, Any]) -> str:
    """Return a machine's results, one table for each part and size."""
    return "\n\n".join(
        paragraph
        for part, draw in (
            ("training", _training),
            ("decoding", _decoding),
            ("losses", _losses),
            ("seeds", _seeds),
            ("peers", _peers),
        )
        for size, results in parts.get(part, {}).items()
        for paragraph in draw(size, results)
    )


def _training(size: str, results: Mapping[str, Any]) -> list[str]:
    speeds = {name: system["words_per_second"] for name, system in results["systems"].items()}
    peer = fastest(speeds, PEERS)
    rows = []
    for name, system in results["systems"].items():
        limit = results["limits"]["bf16" if name == BF16 else "fp32"]["words_per_second"]
        rows.append(
            [
                _label(name, results),
                f"{system['parameters'] / 1e6:.1f}",
                *_spread(speeds[name], ",.0f"),
                _times(ratio(speeds, name, peer)),
                _times(ratio(speeds, name, PLAIN)),
                f"{Spread.of(speeds[name]).median / limit:.0%}",
                *_memory(system),
            ]
        )
    header = [
        "system",
        "million parameters",
        "target words/s",
        "min to max",
        f"vs {LABELS[peer]}" if peer else "vs peer",
        "vs plain",
        "of the limit",
        "peak MB",
        "above start",
    ]
    rates = "; ".join(
        f"{kind} {limit['words_per_second']:,.0f} words/s (recurrence "
        f"{limit['flop_per_second']['step'] / 1e9:,.0f} GFLOP/s, logits "
        f"{limit['flop_per_second']['logits'] / 1e9:,.0f})"
        for kind, limit in results["limits"].items()
    )
    note = (
        f"{results['rounds']} rounds of {SIZES[size].round} batches; padding "
        f"{results['padding']:.1%} of the positions; {results['flop_per_word'] / 1e6:,.0f} MFLOP a "
        f"target word. Limits: {rates}."
    )
    return [_title("Training", size, results), table(header, rows), note]


def _decoding(size: str, results: Mapping[str, Any]) -> list[str]:
    speeds = {name: system["sentences_per_second"] for name, system in results["systems"].items()}
    peer = fastest(speeds, PEERS)
    rows = []
    for name, system in results["systems"].items():
        same = system["same_as_ours"]
        rows.append(
            [
                _label(name, results),
                str(system["batch"]),
                *_spread(speeds[name], ",.1f"),
                _times(ratio(speeds, name, peer)),
                f"{Spread.of(system['words_per_second']).median:,.0f}",
                f"{system['words_per_sentence']:.1f}",
                "" if same is None else f"{same:.1%}",
                *_memory(system),
            ]
        )
    header = [
        "system",
        "sentences at once",
        "sentences/s",
        "min to max",
        f"vs {LABELS[peer]}" if peer else "vs peer",
        "output words/s",
        "words a sentence",
        "same as ours",
        "peak MB",
        "above start",
    ]
    parts = [_title("Decoding, beam 5", size, results), table(header, rows)]
    parts.append(f"{results['sentences']:,} sentences, {results['rounds']} rounds.")
    cost = ratio(speeds, "ours", "ours-x8") if "ours" in speeds else None
    if cost is not None:
        parts[-1] += f" The ensemble of 8 takes {cost:.2f} times as long as one model."
    return parts


def _losses(size: str, results: Mapping[str, Any]) -> list[str]:
    steps = list(next(iter(results["differences"].values())))
    rows = [
        [
            _label(name, results),
            *(f"{differences[step]:.1e}" for step in steps),
            f"{results['last'][name]:.4f}",
        ]
        for name, differences in results["differences"].items()
    ]
    header = ["system", *(f"up to step {step}" for step in steps), "last 20 steps, nats a word"]
    note = (
        "Each number is the largest relative difference from the plain loop's loss of the same step. "
        f"There is no dropout, and the learning rate is {results['rate']:g}."
    )
    return [_title("Losses", size, results), table(header, rows), note]


def _seeds(model: str, results: Mapping[str, Any]) -> list[str]:
    rows = [
        [
            _label(name, results),
            *(f"{p:.3f}" for p in perplexities),
            f"{mean(perplexities):.3f}",
            f"{stdev(perplexities):.3f}",
        ]
        for name, precision in zip(OURS, ("fp32", "bf16"), strict=True)
        if (perplexities := results.get(precision))
    ]
    header = ["system", *(f"seed {i + 1}" for i in range(len(rows[0]) - 3)), "mean", "deviation"]
    title = f"**Whole trainings of the demo's {model}.** Perplexity on the demo's development set."
    return [title, table(header, rows)]


def _peers(size: str, results: Mapping[str, Any]) -> list[str]:
    first = next(iter(results["systems"].values()))
    seeds, rows = _seeds_of(first), []
    for name, trainings in results["systems"].items():
        own = _seeds_of(trainings)
        costs = [one["epochs"][-1]["dev_cost"] for one in trainings]
        rows.append(
            [
                _label(name, results) + (f" (seeds {own})" if own != seeds else ""),
                _each((math.exp(one) for one in costs), 2),
                _each((math.exp(one["test_cost"]) for one in trainings), 2),
                _each((one["bleu"] for one in trainings), 1),
                *(_each((one["aer"][step] for one in trainings), 2) for step in SHIFTS),
                _each((one["ratio"] for one in trainings), 2),
            ]
        )
    aers = [f"AER, {step} step" for step in SHIFTS]
    header = [f"seeds {seeds}", "dev ppl", "test ppl", "BLEU", *aers, "length"]
    updates = ", ".join(f"{rate:g}" for rate in results["rates"])
    note = (
        f"Learning rates of the epochs: {updates}. BLEU is on the tokens of test_2016_flickr, with beam "
        "5 and before unknown words are replaced. AER compares attention with the outside "
        "aligner's links of that set. Length is that of the translations, divided by that of the "
        f"references. Signature: {first[0]['signature']}."
    )
    title = _title("Whole trainings", size, results)
    return [title, table(header, rows), note]


def _label(name: str, results: Mapping[str, Any]) -> str:
    """Return a system's label, which says where ours had more instructions than today's default."""
    older = name in ("ours", "ours-x8") and results["machine"]["started"] < AVX2_SINCE
    return LABELS[name] + ", all instructions" * older


def _seeds_of(trainings: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(str(one["seed"]) for one in trainings)


def _each(values: Iterable[float], digits: int) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


def _title(what: str, size: str, results: Mapping[str, Any]) -> str:
    shape, machine = SIZES[size], results["machine"]
    threads = f"{machine['threads']} thread{'s' if machine['threads'] > 1 else ''}"
    return (
        f"**{what}, {size}: {shape.layers}x{shape.cells}, {shape.words:,} words, batch "
        f"{shape.batch}.** {machine['device']}, {threads}, torch "
        f"{machine['torch']}, {machine['started'][:10]}, {commit(machine)}."
    )


def _spread(values: Sequence[float], form: str) -> list[str]:
    middle, low, high = Spread.of(values)
    return [f"{middle:{form}}", f"{low:{form}} to {high:{form}}"]


def _memory(system: Mapping[str, Any]) -> list[str]:
    peak, before = system["memory_mb"], system["memory_before_mb"]
    return [f"{peak:,}", f"{peak - before:,}"]


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
