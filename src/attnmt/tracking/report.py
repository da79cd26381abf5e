"""The report in MLflow: the run of each table carries its files, and one run the page and the model.

Files know their table by their name; what belongs to none stands in the run "Report", and with it the
best model of the experiment, served as serving.py says.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attnmt.config import Params
from attnmt.decoding.best import best_model
from attnmt.layout import Layout
from attnmt.reporting.tables_file import read_tables
from attnmt.serving import save_translator, translator_files
from attnmt.tracking.store import (
    REPORT,
    digest_of,
    log_final,
    model_runs,
    nest,
    replace_artifacts,
    table_run,
)

TRANSLATOR = "translator"  # the logged model
DESCRIPTION = "mlflow.note.content"  # the tag that MLflow shows as Markdown
TAG_LIMIT = 8000  # characters that MLflow keeps of a tag
TABLES_FILE = "tables.json"  # what the page is made of; it says nothing that the tables do not
# The table whose models a figure draws.
FIGURES = {"figure5": "table1", "figure6": "table1", "figure7": "table6", "figure_gru": "table_gru"}
SAMPLES = {"table5": "Table 5"}  # of text, so not in TABLES_FILE
BEST = {"ppl": min, "bleu": max, "bleu_unk": max, "aer": min}  # by columns of tables

SERVE = "attnmt serve --model models:/{}/latest"

Table = Mapping[str, Any]  # an entry of TABLES_FILE


def add_report(client: Any, params: Params) -> bool:
    """Put an experiment's report into MLflow, in the place of the one that is there.

    Returns:
        Whether MLflow lacked any of it; False, too, if there is no report.

    Raises:
        InputError: if a file of the report or of the best model is damaged or missing.
    """
    layout, experiment = Layout(params.experiment), params.experiment
    found = sorted(layout.reports.glob(f"*/{TABLES_FILE}"), reverse=True)  # tables, then cost
    tables = {_run_name(one): one for path in found for one in read_tables(path, experiment)}
    added = []
    files = files_by_run(layout, {one["name"]: run for run, one in tables.items()})
    for run, paths in files.items():
        run_id = table_run(client, experiment, run)
        added.append(_add_files(client, run_id, paths))
        if run in tables:
            added.append(log_final(client, run_id, best_numbers(params, tables[run])))
    added.append(_nest_models(client, experiment, tables))
    if found and any(layout.model("").glob("*/metrics.json")):  # a fresh clone has no models
        added.append(register_best(client, params, table_run(client, experiment, REPORT)))
    return any(added)


def _run_name(table: Table) -> str:
    """Return what is a table's own in its title, "Table 1, English-German, experiment demo"."""
    return str(table["title"]).partition(",")[0]


def files_by_run(layout: Layout, runs: Mapping[str, str]) -> dict[str, list[Path]]:
    """Return the files of a report by the run that carries them.

    Args:
        layout: of the experiment.
        runs: of the tables, by their names.
    """
    known = SAMPLES | dict(runs)
    found: dict[str, list[Path]] = {run: [] for run in runs.values()}
    for path in sorted(layout.reports.rglob("[!.]*.*")):
        if path.name != TABLES_FILE:
            run = known.get(FIGURES.get(path.stem, path.stem), REPORT)
            found.setdefault(run, []).append(path)
    return found


def best_numbers(params: Params, table: Table) -> dict[str, float]:
    """Return the best of our models' numbers in each column, as ``best_bleu``."""
    ours = params.models.keys() | params.ensembles.keys()
    rows = [row["sort"] for row in table["rows"] if not ours.isdisjoint(_models(row))]
    columns = {key: [row[key] for row in rows if row.get(key) is not None] for key in BEST}
    return {f"best_{key}": BEST[key](values) for key, values in columns.items() if values}


def _models(row: Mapping[str, Any]) -> list[str]:
    """Return the models whose numbers a row shows, which differ in their seeds, if any do."""
    return str(row["facts"].get("model", "")).split()


def _add_files(client: Any, run_id: str, paths: Sequence[Path]) -> bool:
    """Give the run of a table its files, the table itself as its description."""
    if not replace_artifacts(client, run_id, paths):
        return False
    for path in paths:
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            shown = text if len(text) <= TAG_LIMIT else text.partition("\n\n")[0]
            client.set_tag(run_id, DESCRIPTION, shown)
    return True


def _nest_models(client: Any, experiment: str, tables: Mapping[str, Table]) -> bool:
    """Place the runs of models below the first table that shows them."""
    shown: dict[str, dict[str, None]] = {}
    for run, table in tables.items():
        for model in (model for row in table["rows"] for model in _models(row)):
            shown.setdefault(model, {})[run] = None
    found = [run for run in model_runs(client, experiment) if run.data.tags["run"] in shown]
    return any([nest(client, experiment, run, list(shown[run.data.tags["run"]])) for run in found])


def register_best(client: Any, params: Params, run_id: str) -> bool:
    """Log the best model of an experiment as an output of run ``run_id``, and register it.

    Returns:
        Whether the latest version in the registry was another model, or none.

    Raises:
        InputError: if a file of the model is missing.
    """
    from mlflow.entities import LoggedModelOutput
    from mlflow.models import Model

    name, registered = best_model(params), f"attnmt-{params.experiment}"
    digest = digest_of(translator_files(params, name))
    versions = client.search_model_versions(f"name = '{registered}'")
    if versions and max(versions, key=lambda v: int(v.version)).tags.get("digest") == digest:
        return False
    tags = {"model": name, "digest": digest}
    experiment = client.get_run(run_id).info.experiment_id
    logged = client.create_logged_model(experiment, TRANSLATOR, run_id, tags)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary, TRANSLATOR)
        described = Model(logged.artifact_location, run_id, model_id=logged.model_id)
        save_translator(params, name, folder, described)
        client.log_model_artifacts(logged.model_id, str(folder))
    client.finalize_logged_model(logged.model_id, "READY")
    client.log_outputs(run_id, [LoggedModelOutput(logged.model_id, step=0)])
    text = f"`{name}`, of experiment {params.experiment}. To serve it: `{SERVE.format(registered)}`"
    if not versions:
        client.create_registered_model(registered)
    client.update_registered_model(registered, f"The best model: {text}")
    client.set_tag(run_id, DESCRIPTION, f"The report is `index.html`. The best model is {text}")
    source = f"models:/{logged.model_id}"
    client.create_model_version(registered, source, run_id, tags, model_id=logged.model_id)
    return True
