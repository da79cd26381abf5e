"""Set the paper's tables with our scores beside its own.

Called by dvc.yaml as `python stages/tables.py params.yaml`.

Reads   scores/<profile>/<run>.json of every run of the profile
Writes  reports/<profile>/table1.{csv, md, tex}
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.layout import Layout
from attnmt.reporting.tables import table1, write_table
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Write the tables of one profile."""
    params = load_params(params_file)
    write_table(table1(params), Layout(params.profile).reports / "table1")


if __name__ == "__main__":
    run_stage(main, __doc__)
