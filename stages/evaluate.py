"""Score the translations and links of a model or an ensemble, and say what each number measures.

Called by dvc.yaml as `python stages/evaluate.py params.yaml base`.

Reads   data/<experiment>/raw/
        data/<experiment>/encoded/<family>/
        models/<experiment>/<name>/metrics.json, if it is a model
        translations/<experiment>/<name>/
Writes  scores/<experiment>/<name>.csv  a line for each number
"""

import attnmt.workflow.early_interrupt  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.files.atomic import check_place
from attnmt.layout import Layout
from attnmt.scoring.evaluate import score_system
from attnmt.scoring.numbers import write_numbers
from attnmt.workflow.stage import run_stage


def main(params_file: Path, name: str) -> None:
    """Write the scores of a model or an ensemble."""
    params = load_params(params_file)
    path = Layout(params.experiment).scores(name)
    check_place(path)
    write_numbers(path, score_system(params, name))


if __name__ == "__main__":
    run_stage(main, __doc__)
