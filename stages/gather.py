"""Gather every number of an experiment in one table, test the gains, and judge the claims.

Called by dvc.yaml as `python stages/gather.py params.yaml`.

Reads   scores/<experiment>/<name>.{csv, npz} of every model and ensemble, and of what is no model
        models/<experiment>/<name>/ of every model, for curves and costs
        claims.yaml
Writes  reports/<experiment>/scores.csv    every number, ours and the paper's, one a line
        reports/<experiment>/claims.csv    the claims; no line if the experiment can test none of them
Moves   outputs of models that the parameters no longer name to set-aside/, because DVC would count them
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.config.claims import project_claims
from attnmt.layout import Layout
from attnmt.scoring.claim_lines import judge_claims, write_claims
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.gather import gather
from attnmt.scoring.score_table import write_score_table
from attnmt.workflow.leftovers import set_aside
from attnmt.workflow.stage import run_stage

PARAMS = (
    "languages",
    "sets",
    "corpus.kind",
    "families",
    "systems",
    "trainings",
    "ensembles",
    "tables",
    "claims",
    "decoding",
    "evaluation",
)  # those that decide the outputs


def main(params_file: Path) -> None:
    """Write the numbers of one experiment."""
    params, claims = load_params(params_file), project_claims()
    layout = Layout(params.experiment)
    set_aside(params)
    study = ExperimentScores(params)
    numbers = gather(study)
    judged = judge_claims(study, numbers, claims)
    write_score_table(layout.score_table, numbers.lines)
    write_claims(params, judged)


if __name__ == "__main__":
    run_stage(main, __doc__)
