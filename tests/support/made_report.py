"""An experiment ready for its report: tables, scores, histories, translations, attention."""

import shutil
from pathlib import Path
from typing import Any

import made_records
import yaml
from demo_values import demo_values
from made_scores import scores_of
from papers import paper_rows

from attnmt.config import LINKS, Params, load_params
from attnmt.files.text_file import write_json, write_lines, write_text
from attnmt.layout import Layout
from attnmt.reporting.page import make_page
from attnmt.reporting.report import make_report
from attnmt.reporting.samples import make_samples

ROOT = Path(__file__).parents[2]
MODELS = (
    *("base", "base_reverse_dropout", "global_location_feed", "local_m_general_feed"),
    *("local_p_general_feed", "back_base_reverse", "back_global_dot_feed", "gru_additive"),
)
NASTY = (
    "</script><b/title='x'>&\"é"  # a word that would end a script, open a tag, close an attribute
)
TEXT = {"en": ["a", "red", NASTY, "."], "de": ["ein", "rotes", NASTY, "."]}
LINES = 3
LONG = "a rather long name of a system, as names in tables are, with more words at its end"
COMMIT = "89abcdef01234567" * 2 + "89abcdef"


def write_report(models: tuple[str, ...] = MODELS) -> Params:
    """Write the files into the working folder; return the parameters."""
    values = demo_values()
    write_text(
        Path("params.yaml"), yaml.safe_dump(values | {"systems": list(models)}, sort_keys=False)
    )
    shutil.copy(ROOT / "systems.yaml", "systems.yaml")
    params = load_params(Path("params.yaml"))
    layout = Layout(params.experiment)
    for test in params.sets.tests:
        for language, words in TEXT.items():
            for folder in (layout.raw, layout.tokens):
                write_lines(folder / f"{test}.{language}", [" ".join(words)] * LINES)
        write_lines(layout.tokens / f"{test}.{LINKS}", ["0-0 1-1 2-2"] * LINES)
    for family in params.families:
        _write_data(params, layout.encoded(family))
    for number, name in enumerate(models):
        _write_model(params, layout, name, number)
    write_json(layout.reports / "tables" / "tables.json", made_tables(params))
    return params


def page_of(params: Params) -> str:
    """Return the page that the report stage makes."""
    return make_page(params, make_report(params))


def made_tables(params: Params) -> dict[str, Any]:
    """Return Tables 1 and 6 with our numbers, a table that the page does not know, and samples."""
    return {
        "experiment": params.experiment,
        "tables": [
            _table(params, "table1", "Table 1", "bleu"),
            _table(params, "table6", "Table 6", "aer"),
            {
                "name": "table_made",
                "short": "Made up",
                "about": "",
                "lead": f"A table of {NASTY}.",
                "rest": "Ours: test1.",
                "columns": [_column("system"), _column("value", numeric=True)],
                "rows": [
                    _row(f"{i}", f"{LONG} {i}", {"value": f"{i}"}, {}, model="base")
                    for i in (2, 10)
                ],
            },
        ],
        "samples": [sample.model_dump() for sample in make_samples(params)],
    }


def _table(params: Params, name: str, title: str, metric: str) -> dict[str, Any]:
    """Return one of the paper's tables; our numbers are 10, 11, 12 and so on."""
    columns = [_column("system"), _column(f"paper_{metric}", True), _column(metric, True)]
    rows = []
    for number, row in enumerate(paper_rows(name, params)):
        cells = {f"paper_{metric}": row.printed.get(metric, ""), metric: "", "verdict": ""}
        facts = {}
        if row.model in params.models:
            cells |= {metric: f"{10 + number}.0 (+1.0)", "verdict": "same order"}
            facts = {"stage": "evaluate", "signature": f"made|{NASTY}"}
        rows.append(_row(row.key, row.system, cells, facts, model=row.model or ""))
    return {
        "name": name,
        "short": title,
        "about": "English-German",
        "lead": "Ours: test1, 3 sentences.",
        "rest": "How it was measured. How to read it.",
        "columns": [*columns, _column("verdict")],
        "rows": rows,
    }


def _column(key: str, numeric: bool = False) -> dict[str, Any]:
    roles = {"system": "name", "verdict": "detail"}
    role = "paper" if key.startswith("paper_") else roles.get(key, "ours")
    return {"key": key, "heading": key.replace("_", " "), "numeric": numeric, "role": role}


def _row(
    key: str, system: str, cells: dict[str, str], facts: dict[str, str], model: str
) -> dict[str, Any]:
    numbers = {column: _number(text) for column, text in cells.items()}
    return {
        "key": key,
        "cells": {"system": system} | cells,
        "sort": {"system": None} | numbers,
        "facts": {"model": model} | facts,
    }


def _number(text: str) -> float | None:
    try:
        return float(text.split()[0])
    except (IndexError, ValueError):
        return None


def _write_data(params: Params, folder: Path) -> None:
    sets = {params.sets.train: 20000, **dict.fromkeys(params.sets.tests, LINES)}
    write_json(folder / "summary.json", made_records.summary(sets))
    for language, words in TEXT.items():
        write_lines(folder / f"{params.sets.aligned[0]}.{language}.tok", [" ".join(words)] * LINES)


def _write_model(params: Params, layout: Layout, name: str, number: int) -> None:
    """Write a model's files: costs that fall toward ``number``, and attention to word ``number``."""
    model, test = params.models[name], params.sets.tests[0]
    source, target = params.sides(name)
    folder, own = layout.model(name), {"family": model.family}
    costs = "".join(f"{step},9,{number + 1000 / step:.3f}\n" for step in (100, 200, 300))
    write_text(folder / "history.csv", f"step,target_words,{test}_cost\n{costs}")
    trained = made_records.provenance(name, **own, seconds=3600.0, commits=[COMMIT])
    write_json(folder / "provenance.json", trained)
    perplexity = 9.0 - number / 10  # each model is better than the one before
    metrics = made_records.metrics(*params.sets.tests, dev_perplexity=perplexity)
    write_json(folder / "metrics.json", metrics)
    made_records.save_weights(folder, made_records.config_of(params, name))
    groups = [{"max_length": 5 * k, "before": 10.0 + k, "after": 11.0 + k} for k in (1, 2, 3)]
    scores = scores_of(params, name, 10.0 + number)
    lengths = [group | {"lines": 1} for group in groups]
    scores["sets"][test] |= {"lines": LINES, "lengths": lengths}
    write_json(layout.scores(name), scores)
    folder = layout.translations(name)
    for one in params.sets.tests:
        write_lines(folder / f"{one}.txt", [" ".join(TEXT[target])] * LINES)
    if model.attention != "none":
        forced, own = (_attention(source, target, number, turned) for turned in (0, 1))
        write_json(folder / f"{test}.forced.attention.json", forced)
        write_json(folder / f"{test}.attention.json", own)


def _attention(source: str, target: str, number: int, turned: int) -> list[dict[str, Any]]:
    """Return matrices that give target word t a weight of 0.6 on source word t + number + turned."""
    words, size = TEXT[source], len(TEXT[source])
    spot = [(t + number + turned) % size for t in range(size + 1)]
    weights = [[0.6 if s == at else 0.4 / (size - 1) for s in range(size)] for at in spot]
    sample = {"source": words, "target": [*TEXT[target], "</s>"], "weights": weights}
    return [{"line": line} | sample for line in range(LINES)]
