"""The paper's Table 1 with our scores beside its own: as data, as Markdown, as LaTeX."""

from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pandas as pd

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files import read_json, write_text
from attnmt.layout import Layout, run_name
from attnmt.reporting.paper import PaperRow, paper_rows

DIGEST_DIGITS = 12  # of a SHA-256, as shown in tables
PROVENANCE = (
    *("model", "seeds", "set", "lines", "reference_sha256", "dataset_digest"),
    *("beam", "signature", "stage", "number"),
)

_LATEX_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


@dataclass(frozen=True)
class Table:
    """One table of one profile: its caption and a row for each row of the paper's.

    A row maps the columns of the CSV file to their cells; None is an empty cell.
    """

    title: str
    caption: str
    rows: list[dict[str, Any]]


def table1(params: Params) -> Table:
    """Put the scores of a profile's runs into Table 1: perplexity and tokenised BLEU.

    A number of ours is the mean over the seeds. ``bleu_low`` and ``bleu_high`` are the means of the
    seeds' bootstrap bounds, so they tell of the choice of sentences; ``bleu_sd``, the standard
    deviation between seeds, tells of the choice of seed and is empty where there is one.

    Raises:
        InputError: if a run of the profile has no scores of the first test set, or two runs were
            not scored alike.
    """
    test, published = params.sets.tests[0], paper_rows("Table 1")
    models = [model for model in params.run.models if any(row.model == model for row in published)]
    runs = {
        model: [_read_scores(params, model, seed) for seed in params.run.seeds] for model in models
    }
    rows: list[dict[str, Any]] = []
    for row in published:
        above = rows[-1] if rows else {}
        rows.append(_row(row, runs.get(row.model or "", []), test, above))
    title = f"Table 1, English-German, profile {params.profile}"
    return Table(title, _caption(params, published[0].set, _conditions(runs, test)), rows)


def write_table(table: Table, stem: Path) -> None:
    """Write ``<stem>.csv``, ``.md`` and ``.tex``; the same table gives the same bytes."""
    frame = pd.DataFrame(table.rows, dtype=object)
    write_text(stem.with_suffix(".csv"), frame.to_csv(index=False, lineterminator="\n"))
    write_text(stem.with_suffix(".md"), markdown(table))
    write_text(stem.with_suffix(".tex"), latex(table, label=f"tab:{stem.name}"))


def markdown(table: Table) -> str:
    """Return the caption and the table for a README or a page."""
    cells = _shown(table.rows)
    rules = ["---"] + ["--:"] * (len(cells.columns) - 1)
    lines = [list(cells.columns), rules, *cells.to_numpy().tolist()]
    body = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return f"**{table.title}.** {table.caption}\n\n{body}"


def latex(table: Table, label: str) -> str:
    """Return a floating table that needs the package booktabs and no other."""
    cells = _shown(table.rows)
    styler = (
        cells.style.hide(axis="index").format(escape="latex").format_index(escape="latex", axis=1)
    )
    return styler.to_latex(
        hrules=True,
        column_format="l" + "r" * (len(cells.columns) - 1),
        position_float="centering",
        caption=f"{table.title}. {table.caption}".translate(_LATEX_ESCAPES),
        label=label,
    )


def _read_scores(params: Params, model: str, seed: int) -> dict[str, Any]:
    path = Layout(params.profile).scores(run_name(model, seed))
    scores: dict[str, Any] = read_json(path)
    if params.sets.tests[0] not in scores["sets"]:
        raise InputError(f"{path}: no scores of {params.sets.tests[0]!r}; run evaluate again")
    return scores


def _conditions(runs: dict[str, list[dict[str, Any]]], test: str) -> dict[str, Any] | None:
    """Return what all runs were scored on and how, or None if there is no run.

    Raises:
        InputError: naming two runs that differ; their numbers would not compare.
    """
    common: dict[str, Any] | None = None
    for run in (run for seeds in runs.values() for run in seeds):
        own = {
            "lines": run["sets"][test]["lines"],
            "reference": run["sets"][test]["reference_sha256"],
            "dataset": run["dataset_digest"],
            "beam": run["beam"],
            "signature": run["sets"][test]["before"]["tokenised"]["signature"],
        }
        common, first = common or own, next(iter(runs.values()))[0]
        for key, value in own.items():
            if value != common[key]:
                raise InputError(
                    f"scores of {run_name(run['model'], run['seed'])} and of "
                    f"{run_name(first['model'], first['seed'])} differ in {key}: {value} against "
                    f"{common[key]}; run the stage evaluate of both again"
                )
    return common


def _row(
    row: PaperRow, runs: list[dict[str, Any]], test: str, above: dict[str, Any]
) -> dict[str, Any]:
    """Put a row together; ``runs`` are our model's scores, one a seed, ``above`` the last row."""
    when = "after" if row.replaced else "before"
    sets = [run["sets"][test] for run in runs]
    bleus = [scores[when]["tokenised"] for scores in sets]
    bleu, low, high = (_mean([b[key] for b in bleus]) for key in ("value", "low", "high"))
    last = above.get("bleu")
    gain = None if bleu is None or last is None or not row.gain else round(bleu - last, 2)
    difference = None if bleu is None or row.bleu is None else round(bleu - row.bleu, 2)
    return {
        "system": row.system,
        "paper_ppl": row.ppl,
        "ppl": _mean([scores["perplexity"] for scores in sets]),
        "paper_bleu": row.bleu,
        "bleu": bleu,
        "bleu_low": low,
        "bleu_high": high,
        "difference": difference,
        "verdict": _verdict(row, test, low, high, gain, above),
        "bleu_sd": round(stdev(b["value"] for b in bleus), 2) if len(bleus) > 1 else None,
        "paper_gain": row.gain or None,
        "gain": gain,
        **_provenance(runs, test, when),
        "paper_set": row.set,
        "source": row.source,
    }


def _provenance(runs: list[dict[str, Any]], test: str, when: str) -> dict[str, Any]:
    """Say what our numbers of a row are; all cells are empty where there is none."""
    if not runs:
        return dict.fromkeys(PROVENANCE)
    first, scores = runs[0], runs[0]["sets"][test]
    cells = [
        first["model"],
        " ".join(str(run["seed"]) for run in runs),
        test,
        scores["lines"],
        scores["reference_sha256"][:DIGEST_DIGITS],
        first["dataset_digest"][:DIGEST_DIGITS],
        first["beam"],
        scores[when]["tokenised"]["signature"],
        first["stage"],
        f"tokenised BLEU, {when} unknown-word replacement",
    ]
    return dict(zip(PROVENANCE, cells, strict=True))


def _mean(values: list[float]) -> float | None:
    return round(mean(values), 2) if values else None


def _verdict(
    row: PaperRow,
    test: str,
    low: float | None,
    high: float | None,
    gain: float | None,
    above: dict[str, Any],
) -> str | None:
    """Say whether ours agrees: on the paper's set in BLEU, elsewhere in the sign of its gain.

    A gain is one only where the intervals of the two rows do not overlap.
    """
    if low is None or high is None or row.bleu is None:
        return None
    if test == row.set:
        return "agrees" if low <= row.bleu <= high else "higher" if low > row.bleu else "lower"
    if gain is None:
        return None
    if low <= above["bleu_high"] and above["bleu_low"] <= high:
        return "within noise"
    return "same order" if (gain > 0) == (float(row.gain) > 0) else "other order"


def _caption(params: Params, paper_set: str, conditions: dict[str, Any] | None) -> str:
    test, seeds = params.sets.tests[0], params.run.seeds
    parts = [f"Paper: Luong et al. 2015, {paper_set}."]
    if conditions is None:
        return " ".join([*parts, "This profile trains none of its models."])
    seed_words = (
        f"seed {seeds[0]}" if len(seeds) == 1 else f"mean of seeds {', '.join(map(str, seeds))}"
    )
    parts += [
        f"Ours: {test}, {conditions['lines']} sentences, {seed_words}, beam {conditions['beam']}.",
        f"BLEU is on Moses tokens, case kept ({conditions['signature']}), with its 95% bootstrap "
        "interval; in brackets the gain over the row above.",
    ]
    if len(seeds) > 1:
        parts.append(
            "The interval's bounds are means over the seeds; ± is the deviation between them."
        )
    if test == paper_set:
        parts.append("Verdict: whether the paper's BLEU lies in our interval.")
    else:
        parts.append(
            "This profile's corpus is not the paper's, so no number compares with the paper's "
            "beside it: only the differences between rows do. "
            "Verdict: whether a gain has the paper's sign; within noise where the interval overlaps "
            "that of the row above."
        )
    return " ".join(
        [*parts, "Rows without a number of ours are systems that this profile does not train."]
    )


def _shown(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the columns that a reader sees, as text."""
    shown = [
        {
            "system": row["system"],
            "paper ppl": _decimal(row["paper_ppl"]),
            "ppl": _decimal(row["ppl"]),
            "paper BLEU": _decimal(row["paper_bleu"]) + _in_brackets(row["paper_gain"]),
            "BLEU": _decimal(row["bleu"])
            + (f" ± {row['bleu_sd']:.1f}" if row["bleu_sd"] is not None else "")
            + _in_brackets(_signed(row["gain"])),
            "95% interval": "–".join(_decimal(row[key]) for key in ("bleu_low", "bleu_high")).strip(
                "–"
            ),
            "difference": _signed(row["difference"]),
            "verdict": row["verdict"] or "",
        }
        for row in rows
    ]
    return pd.DataFrame(shown, dtype=object)


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{round(value, 1) + 0.0:+.1f}"  # + 0.0 turns -0.0 to 0.0


def _in_brackets(text: str | None) -> str:
    return f" ({text})" if text else ""
