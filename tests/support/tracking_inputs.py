"""What tracking reads: a training that runs, and the files that stages leave."""

from pathlib import Path

import made_records

from attnmt.files.text_file import write_json, write_text
from attnmt.layout import Layout
from attnmt.tracking import runs

STARTED = "2026-01-02T03:04:05+00:00"
CONFIG = made_records.config("base")
FACTS = {"commits": "abc def", "code": "c1", "device": "cpu"}
FACTS |= {"fingerprint": "f1", "started": STARTED}


def training(model="base", after=0.0, **facts):
    """Return what logs a training that runs."""
    return runs.LiveRun(CONFIG | {"model": model}, FACTS | facts, after)


def write_training(model="base", fingerprint="f1"):
    """Write the files of a finished training of 60 seconds, and its scores."""
    layout, own = Layout("demo"), {"fingerprint": fingerprint}
    folder = layout.model(model)
    write_json(folder / "config.json", made_records.config(model, **own))
    header = "step,epoch,learning_rate,target_words,train_cost,dev_cost,test1_cost"
    rows = "10,1,1.0,100,5.5,5.25,5.5\n20,1,0.5,200,4.5,5.0,4.75\n"
    write_text(folder / "history.csv", f"{header}\n{rows}")
    write_json(folder / "metrics.json", made_records.metrics("test1"))
    measured = {"seconds": 60.0, "target_words_per_second": 99.5, "peak_memory_mb": 400}
    provenance = made_records.provenance(model, **FACTS | own | measured)
    write_json(layout.provenance(model), provenance)
    write_scores(model)


def write_scores(name, value=20.5, **more):
    """Write what evaluate tells DVC of a model."""
    scores = {"ppl": 8.5, "bleu": value, "bleu_unk": value, **more}
    write_json(Path(Layout("demo").metrics(name)), {"test1": scores})
