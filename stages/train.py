"""Train one model with one seed, resuming from its last checkpoint if it was interrupted.

Called by dvc.yaml as `python stages/train.py params.yaml base 1`.

Reads   data/<profile>/prepared/
Writes  models/<profile>/<run>/{weights.safetensors, config.json, history.csv, metrics.json}
                               provenance.json  when, where, how fast
        checkpoints/<profile>/<run>/ while it runs
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.stage import run_stage
from attnmt.training.run import train_run


def main(params_file: Path, model: str, seed: int) -> None:
    train_run(load_params(params_file), model, seed)


if __name__ == "__main__":
    run_stage(main, __doc__)
