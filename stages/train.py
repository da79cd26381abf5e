"""Train one model, resuming from its last checkpoint if it was interrupted.

Called by dvc.yaml as `python stages/train.py params.yaml base`.

Reads   data/<profile>/encoded/<family>/
Writes  models/<profile>/<name>/weights.safetensors  the model, with its configuration
                                config.json, history.csv, metrics.json
                                provenance.json      when, where, how fast
        checkpoints/<profile>/<name>/ while it runs
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.stage import run_stage
from attnmt.training.run import train_run


def main(params_file: Path, name: str) -> None:
    train_run(load_params(params_file), name)


if __name__ == "__main__":
    run_stage(main, __doc__)
