"""Digest the code that each stage runs, so that a stage is stale when a line of its code has changed.

Called by dvc.yaml as `python stages/code_digests.py params.yaml`; the Snakefile does the same by itself.
A comment, a docstring or formatting changes no digest (src/attnmt/code.py).

Reads   stages/, src/attnmt/
Writes  code/<experiment>/<stage>.json  digests of the modules and data files that stages/<stage>.py runs
"""

import attnmt.startup  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.code import write_code
from attnmt.config import load_params
from attnmt.layout import Layout
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Write the digests for one experiment."""
    write_code(Path(__file__).parent, Layout(load_params(params_file).experiment).code)


if __name__ == "__main__":
    run_stage(main, __doc__)
