"""What tracking reads: a training that runs, and the files that stages leave."""

import json
from pathlib import Path

import made_records

from attnmt.files.csv_file import read_csv
from attnmt.layout import Layout
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.score_table import ScoreRow, write_score_table
from attnmt.tracking import live

STARTED = "2026-01-02T03:04:05+00:00"
CONFIG = made_records.config("base")
FACTS = {"commits": ["abc", "def"], "code": "c1", "device": "cpu"}
FACTS |= {"fingerprint": "f1", "started": STARTED}


def training(model="base", after=0.0, **facts):
    """Return what logs a training that runs."""
    return live.training_run(CONFIG | {"model": model}, FACTS | facts, after)


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
    provenance = made_records.provenance(model, **FACTS | own)
    provenance |= {"seconds": 60.0}
    provenance |= {"target_words_per_second": 99.5, "peak_memory_mb": 400}
    write(f"{folder}/provenance.json", json.dumps(provenance))
    write_scores(model)


def write_scores(name, value=20.5, aer=None):
    """Write the numbers of a model into scores.csv, in place of earlier ones.

    Scripts have ``value``, 1 less, 2 less and so on. With ``aer`` both of the demo's aligned sets have
    an error rate.
    """
    path = Layout("demo").score_table
    lines = read_csv(path, ScoreRow, "") if path.exists() else []
    common = {"kind": "training", "system": name, "model": name, "trainings": 1, "lines": 3}
    own = [{"set": "test1", "metric": "ppl", "value": 8.5}]
    own.append({"set": "dev", "lines": None, "metric": "ppl", "value": 9.5})
    for i, metric in enumerate(METRICS.values()):
        bounds = {"value": value - i, "low": value - i - 0.5, "high": value - i + 0.5}
        for replacement in ("before", "after"):
            keys = {"metric": metric.metric, "script": metric.script, "replacement": replacement}
            own.append({"set": "test1"} | keys | bounds)
    for aligned in ("test2", "test1") if aer is not None else ():
        bounds = {"value": aer, "low": aer - 0.125, "high": aer + 0.125}
        own.append({"set": aligned, "metric": "aer"} | bounds)
    lines = [line for line in lines if line.model != name]
    write_score_table(path, [*lines, *(ScoreRow.model_validate(common | keys) for keys in own)])
