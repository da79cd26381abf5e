"""The caption of a table: what was measured on what, and how to read it."""

from typing import Any

from attnmt.config import Params
from attnmt.reporting.tables import METRICS, TableSpec

LANGUAGES = {"en-de": "English-German", "de-en": "German-English"}
LINKED_BY = {
    "same": "the step that predicts it",
    "next": "the step after it, where it is the input",
    "authors": "the step after it for content scores, its own for location (the authors' reading)",
}


def title(params: Params, spec: TableSpec, common: dict[str, Any]) -> str:
    """Return what a table is, as "Table 1, English-German, profile demo"."""
    return f"{spec.title}, {LANGUAGES[common['direction']]}, profile {params.profile}"


def caption(
    params: Params, spec: TableSpec, rows: list[dict[str, Any]], common: dict[str, Any]
) -> str:
    """Return what follows the title.

    Args:
        params: of the profile.
        spec: of the table.
        rows: its cells by the CSV file's columns; in one at least there is a number of ours.
        common: the conditions under which all of ours were scored.
    """
    parts = []
    if spec.published:
        parts.append(f"Paper: {rows[0]['source']}, {rows[0]['paper_set']}.")
    parts += [_ours(spec, rows, common), spec.note]
    if spec.has_bleu:
        parts.append(_bleu(params, spec, rows, common["signature"]))
    if _any(rows, "aer"):
        parts.append(_aer(rows, common))
    parts += _averages(rows)
    if _any(rows, "gain"):
        better = "; below 0 is better" if spec.judged == "aer" else ""
        over = "by the replacement" if spec.gain_over else "over the row above"
        parts.append(f"In brackets the gain {over}{better}.")
    parts += _comparison(spec, rows, common)
    if any(row["model"] is None for row in rows):
        parts.append("Rows without a number of ours are systems that this profile does not train.")
    return " ".join(part for part in parts if part)


def _any(rows: list[dict[str, Any]], column: str) -> bool:
    return any(row.get(column) is not None for row in rows)


def _ours(spec: TableSpec, rows: list[dict[str, Any]], common: dict[str, Any]) -> str:
    parts = [common["set"], f"{common['lines']} sentences"] if spec.has_bleu else []
    seeds = {row["seeds"] for row in rows if row["seeds"]}
    if len(seeds) == 1:
        numbers = seeds.pop().split()
        parts.append(f"{'mean of seeds' if len(numbers) > 1 else 'seed'} {', '.join(numbers)}")
    elif seeds:
        parts.append("means over a model's seeds")
    if spec.has_bleu:
        parts.append(f"beam {common['beam']}")
    return f"Ours: {', '.join(parts)}." if parts else ""


def _bleu(params: Params, spec: TableSpec, rows: list[dict[str, Any]], signature: str) -> str:
    encoding = params.families[next(row["family"] for row in rows if row["family"])].encoding
    text = "detokenised text (mteval-v13a)" if spec.script == "nist" else "Moses tokens"
    case = "lower-cased" if encoding.lowercase else "case kept"
    cut = f", the last {encoding.length} words of a sentence" if encoding.length else ""
    return f"BLEU is on {text}, {case}{cut} ({signature}), with its 95% bootstrap interval."


def _aer(rows: list[dict[str, Any]], common: dict[str, Any]) -> str:
    parts = [
        f"AER is on {common['aligned_set']}, {common['aligned_lines']} sentences with "
        f"{common['sure']} sure and {common['possible']} possible gold links."
    ]
    if "link_step" in common:
        parts.append(
            "References are force-decoded; a word's link is the largest weight of "
            f"{LINKED_BY[common['link_step']]}."
        )
    aligners = [row for row in rows if row["stage"] == "lexicon"]
    return " ".join(parts + [f"Beside the {r['system']} stands {r['model']}." for r in aligners])


def _averages(rows: list[dict[str, Any]]) -> list[str]:
    parts = [f"The ensemble averages {row['average']}." for row in rows if row["average"]]
    if any(_any(rows, f"{metric}_sd") for metric in METRICS):
        parts.append(
            "An interval's bounds are means over the seeds; ± is the deviation between seeds."
        )
    return list(dict.fromkeys(parts))


def _comparison(spec: TableSpec, rows: list[dict[str, Any]], common: dict[str, Any]) -> list[str]:
    """Say what compares with what, and what a verdict is."""
    noise = (
        "within noise where their intervals overlap"
        if METRICS[spec.judged].interval
        else "without intervals none is called noise"
    )
    if not spec.published:
        return [f"Verdict: whether subwords score higher or lower than words; {noise}."]
    if common.get("set") == rows[0]["paper_set"]:
        return [
            "Verdict: whether the paper's BLEU lies in our interval, or ours is higher or lower."
        ]
    but = ": only gains do" if _any(rows, "gain") else ""
    parts = [f"Our text is not the paper's, so no number compares with the paper's beside it{but}."]
    if _any(rows, "verdict"):
        parts.append(
            f"Verdict: whether the two numbers of a gain are in the paper's order; {noise}."
        )
    return parts
