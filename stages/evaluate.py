"""Score the translations and links of a model or an ensemble, and say what each number measures.

Called by dvc.yaml as `python stages/evaluate.py params.yaml base`. Instead of a model or an ensemble,
the name may be that of a baseline: aligner, constant or diagonal.

Reads   data/<experiment>/raw/, tokens/, dictionary/
        data/<experiment>/encoded/<family>/
        models/<experiment>/<name>/metrics.json, if it is a model
        translations/<experiment>/<name>/, if it is a model or an ensemble
Writes  scores/<experiment>/<name>.csv   a line for each number
        scores/<experiment>/<name>.npz   the counts of each sentence behind them, for tests
        scores/<experiment>/<name>.json  a few of the numbers, for `dvc metrics show`; not of baselines
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.scoring.evaluate import evaluate
from attnmt.workflow.stage import run_stage

PARAMS = (
    "languages",
    "sets",
    "translators",
    "their_encoding",
    "tokenize",
    "decoding",
    "evaluation",
)  # those that decide the outputs


def main(params_file: Path, name: str) -> None:
    """Write the scores of a model, of an ensemble, or of what is no model."""
    params = load_params(params_file)
    evaluate(params, name).write(params, name)


if __name__ == "__main__":
    run_stage(main, __doc__)
