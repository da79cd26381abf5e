"""Write what the outputs of each stage depend on besides its inputs: its code and its parameters.

Called by dvc.yaml as `python stages/depends.py params.yaml`; the Snakefile does the same by itself.
Also check that trainings.yaml agrees with systems.yaml and params.yaml. If not, write it and stop DVC.
An experiment whose dvc.yaml is no copy of the project's is refused.

Reads   stages/, src/attnmt/, dvc.yaml, params.yaml, systems.yaml, claims.yaml
Writes  depends/<experiment>/<stage>.json, <stage>/<system>.json  (src/attnmt/workflow/dependencies.py)
        trainings.yaml  beside params.yaml: the models that the experiment trains
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import SYSTEMS, load_params
from attnmt.config.generated import TRAININGS, refuse_other_stages, write_trainings
from attnmt.errors import InputError
from attnmt.workflow.dependencies import write_dependencies
from attnmt.workflow.stage import run_stage


def main(params_file: Path) -> None:
    """Write the dependencies of one experiment's stages, and its trainings.yaml."""
    params = load_params(params_file)
    refuse_other_stages(params)
    write_dependencies(params)
    if write_trainings(params):
        raise InputError(
            f"{params_file.with_name(TRAININGS)}: it did not match {SYSTEMS} and {params_file}, and has "
            f"been written again; repeat your command"
        )


if __name__ == "__main__":
    run_stage(main, __doc__)
