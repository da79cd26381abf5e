"""Digest what decides the outputs of each stage, so that a stage is stale when that has changed.

Also check that models.yaml agrees with systems.yaml and params.yaml. If not, write it and stop DVC. An
experiment whose dvc.yaml is no copy of the project's is refused.

Called by dvc.yaml as `python stages/code_digests.py params.yaml`; the Snakefile does the same by itself.
A comment, a docstring or formatting changes no digest (src/attnmt/workflow/code.py).

Reads   stages/, src/attnmt/, dvc.yaml, params.yaml, systems.yaml
Writes  code/<experiment>/<stage>.json           digests of the code that stages/<stage>.py runs, by
                                                 module and data file, and of sections of the parameters
                          <stage>/<system>.json  of what counts for one system (family, ensemble) alone
        models.yaml  beside params.yaml: the models that the experiment trains
"""

import attnmt.workflow.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import SYSTEMS, load_params
from attnmt.config.generated import MODELS, refuse_other_stages, write_models
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.workflow.code import write_code
from attnmt.workflow.stage import run_stage


def main(params_file: Path) -> None:
    """Write the digests and models.yaml of one experiment."""
    params = load_params(params_file)
    refuse_other_stages(params)
    write_code(params, Path(__file__).parent, Layout(params.experiment).code)
    if write_models(params):
        raise InputError(
            f"{params_file.with_name(MODELS)}: it did not match {SYSTEMS} and {params_file}, and has "
            f"been written again; repeat your command"
        )


if __name__ == "__main__":
    run_stage(main, __doc__)
