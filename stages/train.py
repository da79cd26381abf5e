"""Train one model, resuming from its last checkpoint if it was interrupted.

Called by dvc.yaml as `python stages/train.py params.yaml base`, which starts machine.train_processes
processes; or as `torchrun --nproc-per-node=2 stages/train.py params.yaml base`.
SIGTERM, SIGUSR1, SIGHUP or Ctrl-C: it saves all and ends with status 75.

Reads   data/<profile>/encoded/<family>/
Writes  models/<profile>/<name>/weights.safetensors  the model, with its configuration
                                config.json, history.csv, metrics.json
                                provenance.json      when, where, how fast
        checkpoints/<profile>/<name>/ until the model is translated with: should the outputs be
                                lost before, it ends again from there
"""

import sys
from pathlib import Path

from attnmt.config import load_params
from attnmt.stage import run_stage
from attnmt.training import ranks
from attnmt.training.run import train_run


def main(params_file: Path, name: str) -> None:
    params = load_params(params_file)
    if params.machine.train_processes > 1 and not ranks.started():
        sys.exit(ranks.start(params.machine.train_processes))
    train_run(params, name)


if __name__ == "__main__":
    run_stage(main, __doc__)
