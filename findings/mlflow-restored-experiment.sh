#!/usr/bin/env bash
# MLflow 3.17.2, SQLite: an experiment that is deleted and restored also has the runs that were deleted before.
#
# One would guess: restoring an experiment undoes its deletion. A run that somebody had deleted by itself, for
# example one that went wrong, stays deleted.
# What happens: deleting an experiment marks all of its runs as deleted, and restoring it marks all of them as
# active. Nothing remembers which of them had been deleted before.
# Why it matters here: `attnmt track` restores an experiment that was deleted, because MLflow keeps its name
# taken. A second run of a training may come back with it, so the project looks for doubles each time
# (src/attnmt/tracking/runs.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlflow==3.17.2
cd "$folder"
MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true venv/bin/python - <<'PYTHON'
from mlflow import MlflowClient

client = MlflowClient("sqlite:///mlflow.db")
experiment = client.create_experiment("study")
kept, deleted = (client.create_run(experiment, run_name=name).info for name in ("kept", "deleted"))
client.delete_run(deleted.run_id)


def names():
    return sorted(run.info.run_name for run in client.search_runs([experiment]))


assert names() == ["kept"], names()
client.delete_experiment(experiment)
client.restore_experiment(experiment)
print("after the experiment was deleted and restored:", names())
assert names() == ["deleted", "kept"], names()
PYTHON
