"""What tracking reads: a training that runs, and the files that stages leave."""

import json
from pathlib import Path

import made_records
import made_scores

from attnmt.files.text_file import write_json
from attnmt.tracking import live

STARTED = "2026-01-02T03:04:05+00:00"
PARAMS = {"model": {"layers": 2, "size": 8}, "training": {"learning_rate": 1.0}}
TAGS = {
    "commits": ["abc", "def"],
    "code": "c1",
    "dataset_digest": "d" * 64,
    "device": "cpu",
    "processor": "",
}


def training(fingerprint="f1", model="base", started=STARTED, after=0.0):
    return live.training_run(
        experiment="demo",
        model=model,
        seed=1,
        fingerprint=fingerprint,
        started=started,
        params=PARAMS,
        tags=TAGS,
        after=after,
    )


def write(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def write_training(model="base", fingerprint="f1"):
    """Write the files of a finished training, and its scores."""
    folder, own = f"models/demo/{model}", {"fingerprint": fingerprint}
    write(f"{folder}/config.json", json.dumps(made_records.config(model, **own)))
    header = "step,epoch,learning_rate,target_words,train_cost,dev_cost,test1_cost"
    rows = "10,1,1.0,100,5.5,5.25,5.5\n20,1,0.5,200,4.5,5.0,4.75\n"
    write(f"{folder}/history.csv", f"{header}\n{rows}")
    write(f"{folder}/metrics.json", json.dumps(made_records.metrics("test1")))
    provenance = made_records.provenance(model, **own, **TAGS)
    provenance |= {"started": STARTED, "seconds": 60.0}
    provenance |= {"target_words_per_second": 99.5, "peak_memory_mb": 400}
    write(f"{folder}/provenance.json", json.dumps(provenance))
    write_scores(model)


def write_scores(name, value=20.5, aer=0.25, members=None):
    """Write the scores of a model, or of an ensemble if ``members`` are given."""
    scripts = ("tokenized", "nist", "sacrebleu", "chrf", "ter")
    both = {
        script: {
            "value": value - i,
            "low": value - i - 0.5,
            "high": value - i + 0.5,
            "signature": script,
            "lines": 3,
        }
        for i, script in enumerate(scripts)
    }
    result = {"perplexity": None if members else 8.5, "before": both, "after": both, "lines": 3}
    result |= {"lengths": [], "replacements": None}
    result |= dict.fromkeys(("reference", "reference_sha256", "written_reference"), "made")
    by_step = dict.fromkeys(("same", "next"), aer)
    alignment = {"set": "test2", "link_step": "same", "aer": aer, "aer_by_link_step": by_step}
    alignment |= {"low": aer - 0.125, "high": aer + 0.125}
    alignment |= {"lines": 3, "kind": "gold", "sure": 5, "possible": 6}
    other = alignment | {"set": "test1", "kind": "silver", "aer_by_link_step": {"same": aer}}
    scores = {
        "stage": "evaluate",
        "experiment": "demo",
        "name": name,
        "models": members or [name],
        "average": "logits" if members else None,
        "seed": None if members else 1,
        "family": "luong",
        "direction": "forward",
        "beam": 5,
        "dataset_digest": "d" * 64,
        "sets": {"test1": result},
        "alignments": [] if name.startswith("base") else [alignment, other],
        "reading": None if name.startswith("base") else made_scores.READING,
    }
    write(f"scores/demo/{name}.json", json.dumps(scores))


def write_report(*files, tables=None):
    """Write a report: files that hold their own names, and tables whose rows are (models, sort)."""
    titles = {"table1": "Table 1", "table_own": "The author's own table"}
    described = [
        {
            "name": name,
            "short": titles[name],
            "about": "English-German",
            "lead": "How to read it.",
            "rest": "",
            "columns": [{"key": "system", "heading": "system", "numeric": False, "role": "name"}],
            "rows": [
                {
                    "key": f"row {number}",
                    "cells": {"system": models},
                    "sort": {"system": None} | sort,
                    "facts": {"model": models},
                }
                for number, (models, sort) in enumerate(rows)
            ],
        }
        for name, rows in (tables or {}).items()
    ]
    write_json(
        Path("reports/demo/tables/tables.json"),
        {"experiment": "demo", "tables": described, "samples": []},
    )
    for name in files:
        write(f"reports/demo/{name}", name)
