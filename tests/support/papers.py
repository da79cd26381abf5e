"""Only the paper's systems and rows, with one seed.

So nothing that somebody adds to systems.yaml or to seeds breaks a test.
"""

from pathlib import Path

from attnmt.config import Params, load_params
from attnmt.reporting.paper import Row, table_rows

ROOT = Path(__file__).parents[2]
TABLES = ("table1", "table2", "table3", "table4", "table6", "table_gru")
# These are in none of the paper's tables.
VARIANTS = {"local_p_general_feed_bpe", "fault_general_gradient", "fault_unmasked_padding"}
VARIANTS |= {"fault_position_gradient", "faults_together"}


def paper_params(file: str = "params.yaml") -> Params:
    """Return an experiment's parameters with only the first seed of the paper's systems and variants."""
    params = load_params(ROOT / file, ROOT)
    rows = {
        table: {row.key: params.rows[table][row.key] for row in paper_rows(table, params)}
        for table in TABLES
    }
    kept = {row.system for keyed in rows.values() for row in keyed.values()} | VARIANTS
    return params.model_copy(
        update={
            "rows": rows,
            "models": {name: model for name, model in params.models.items() if name in kept},
            "ensembles": {name: one for name, one in params.ensembles.items() if name in kept},
        }
    )


def paper_rows(table: str, params: Params | None = None) -> list[Row]:
    """Return the published rows of a table."""
    params = params or load_params(ROOT / "params.yaml", ROOT)
    return [row for row in table_rows(params, table) if row.source]
