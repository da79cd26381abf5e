"""Digest the code that each stage runs, so that a stage is stale when a line of its code has changed.

Also check that models.yaml agrees with systems.yaml and params.yaml. If not, write it and stop DVC.

Called by dvc.yaml as `python stages/code_digests.py params.yaml`; the Snakefile does the same by itself.
A comment, a docstring or formatting changes no digest (src/attnmt/workflow/code.py).

Reads   stages/, src/attnmt/, systems.yaml
Writes  code/<experiment>/<stage>.json  digests of the modules and data files that stages/<stage>.py runs
        models.yaml                     beside params.yaml: the models that the experiment trains
"""

import attnmt.workflow.early_interrupt  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import SYSTEMS, load_params
from attnmt.config.generated import MODELS, write_models
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.workflow.code import write_code
from attnmt.workflow.stage import run_stage


def main(params_file: Path) -> None:
    """Write the digests and models.yaml for one experiment."""
    params = load_params(params_file)
    write_code(Path(__file__).parent, Layout(params.experiment).code)
    if write_models(params):
        raise InputError(
            f"{params_file.with_name(MODELS)}: it did not match {SYSTEMS} and {params_file}, and has "
            f"been written again; repeat your command"
        )


if __name__ == "__main__":
    run_stage(main, __doc__)
