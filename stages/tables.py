"""Write the paper's tables, with our scores beside the published ones, and tables of our own.

Called by dvc.yaml as `python stages/tables.py params.yaml`.

Reads   scores/<experiment>/<name>.json of every model and ensemble that a table shows
        translations/<experiment>/<name>/ and data/<experiment>/{raw, tokens, encoded}, for tests of
            gains and for samples
        data/<experiment>/dictionary/
        claims.yaml and, for claims about learning curves, models/<experiment>/<name>/history.csv
Writes  reports/<experiment>/tables/<table>.{csv, md, tex}, for table_dictionary; for table_unknown, if a
            system that reads words has attention; and for those of table1 to table6, table_gru,
            table_scripts, table_bpe, table_faults, table_decides and table_decides_back in which the
            experiment has a number
        reports/<experiment>/tables/claims.{csv, md, tex}, where several seeds test one of the claims
        reports/<experiment>/tables/tables.json, with what the page shows of these tables
Moves   outputs of models that the parameters no longer name to set-aside/, because DVC would count them
"""

import attnmt.workflow.early_interrupt  # isort: skip  # noqa: F401  before all that takes time to load

import logging
from pathlib import Path

from attnmt.config import load_params
from attnmt.config.claims import project_claims
from attnmt.files.atomic import atomic_folder, check_place
from attnmt.layout import Layout
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.compare import make_tables
from attnmt.reporting.dictionary_table import dictionary_table
from attnmt.reporting.render import write_tables
from attnmt.reporting.samples import make_samples, write_samples
from attnmt.reporting.unknown_table import unknown_table
from attnmt.scoring.seed_runs import Study
from attnmt.workflow.leftovers import set_aside
from attnmt.workflow.stage import run_stage

logger = logging.getLogger(__name__)


def main(params_file: Path) -> None:
    """Write the tables of one experiment."""
    params, claims = load_params(params_file), project_claims()
    folder_of_tables = Layout(params.experiment).reports / "tables"
    check_place(folder_of_tables, folder=True)
    set_aside(params)
    study = Study(params)
    judged = claims_table(study, claims)
    samples, tables = make_samples(params), [*make_tables(study), dictionary_table(params)]
    tables += [table for table in (unknown_table(params), judged) if table is not None]
    with atomic_folder(folder_of_tables) as folder:
        write_tables(params.experiment, tables, folder, samples)
        write_samples(params, samples, folder)
    names = [table.name for table in tables] + ["table5"] * bool(samples)
    logger.info("tables: %s", ", ".join(names))


if __name__ == "__main__":
    run_stage(main, __doc__)
