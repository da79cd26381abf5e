"""Train one model, or continue from its last checkpoint if the training was interrupted.

Called by dvc.yaml as `python stages/train.py params.yaml base`.
On SIGTERM, SIGUSR1, SIGHUP or Ctrl-C it saves everything and ends with status 75.

Reads   data/<experiment>/encoded/<family>/
Writes  models/<experiment>/<name>/weights.safetensors  the model, with its configuration
                                   config.json, history.csv, metrics.json
                                   provenance.json      the code and its commits; when, where, how fast
        checkpoints/<experiment>/<name>/  if the outputs are lost, the training restores them from these;
                                          `attnmt commit` deletes them once DVC has the outputs
"""

import attnmt.workflow.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.files.atomic import check_place
from attnmt.layout import CONFIG, HISTORY, METRICS, PROVENANCE, WEIGHTS, Layout
from attnmt.tracking.live import training_run
from attnmt.training.trainer import train_run
from attnmt.workflow.dependencies import code_of, digest_of_code
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

OUTPUTS = (WEIGHTS, CONFIG, HISTORY, METRICS, PROVENANCE)


def main(params_file: Path, name: str) -> None:
    """Train the model ``name`` of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    for output in OUTPUTS:  # before the training, not after it
        check_place(Layout(params.experiment).model(name) / output)
    train_run(params, name, digest_of_code(code_of(Path(__file__).resolve())), training_run)


if __name__ == "__main__":
    run_stage(main, __doc__)
