"""Set the paper's tables with our scores beside its own.

Called by dvc.yaml as `python stages/tables.py params.yaml`.

Reads   scores/<profile>/<name>.json of every model and ensemble that a table shows
        data/<profile>/lexicon/aligner.json
Writes  reports/<profile>/tables/<table>.{csv, md, tex} of table1, table2, table3, table4, table6,
        table_gru and table_bpe, as far as the profile has a number in them
"""

import logging
from pathlib import Path

from attnmt.config import load_params
from attnmt.files import atomic_path
from attnmt.layout import Layout
from attnmt.reporting.compare import make_tables
from attnmt.reporting.render import write_table
from attnmt.stage import run_stage

logger = logging.getLogger(__name__)


def main(params_file: Path) -> None:
    """Write the tables of one profile."""
    params = load_params(params_file)
    tables = make_tables(params)
    with atomic_path(Layout(params.profile).reports / "tables") as folder:
        folder.mkdir()
        for table in tables:
            write_table(table, folder)
    logger.info("tables: %s", ", ".join(table.spec.name for table in tables) or "none")


if __name__ == "__main__":
    run_stage(main, __doc__)
