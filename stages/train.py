"""Train one model, or continue from its last checkpoint if the training was interrupted.

Called by dvc.yaml as `python stages/train.py params.yaml base`.
On SIGTERM, SIGUSR1, SIGHUP or Ctrl-C it saves everything and ends with status 75.

Reads   data/<experiment>/encoded/<family>/
Writes  models/<experiment>/<name>/weights.safetensors  the model, with its configuration
                                   config.json, history.csv, metrics.json
        runs/<experiment>/<name>.json     the code and its commits; when, where, how fast
        checkpoints/<experiment>/<name>/  if the outputs are lost, the training restores them from these;
                                          `attnmt commit` deletes them once DVC has the outputs
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.files.atomic import check_place
from attnmt.layout import CONFIG, HISTORY, METRICS, WEIGHTS, Layout
from attnmt.tracking.runs import LiveRun
from attnmt.training.trainer import train_run
from attnmt.workflow.dependencies import digest_of_training
from attnmt.workflow.stage import run_stage

PARAMS = (
    "languages",
    "sets.train",
    "sets.dev",
    "sets.tests",
    "training",
    "machine.cpu_isa",
    "machine.train_threads",
)  # those that decide the outputs

OUTPUTS = (WEIGHTS, CONFIG, HISTORY, METRICS)


def main(params_file: Path, name: str) -> None:
    """Train the model ``name`` of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    layout = Layout(params.experiment)
    for path in (*(layout.model(name) / output for output in OUTPUTS), layout.provenance(name)):
        check_place(path)  # before the training, not after it
    code = digest_of_training(Path(__file__).resolve(), params, name)
    train_run(params, name, code, LiveRun)


if __name__ == "__main__":
    run_stage(main, __doc__)
