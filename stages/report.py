"""Print the numbers as tables, draw the figures, and put everything on one page.

Called by dvc.yaml as `python stages/report.py params.yaml`.

Reads   reports/<experiment>/{scores.csv, claims.csv}
        reports/<experiment>/runs.csv, if the experiment is published
        models/<experiment>/ for learning curves; translations/<experiment>/ and data/<experiment>/ for
            samples, attention and gold links
Writes  reports/<experiment>/tables/<table>.{csv, md, tex}, for each table in which the experiment has a
            number
        reports/<experiment>/figures/<figure>.{svg, pdf, csv}, for each figure that it can draw;
            claims.csv has the numbers of the claims' figure
        reports/<experiment>/index.html
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.reporting.claims_figure import write_claims_figure
from attnmt.reporting.draw import write_figure, write_matrices
from attnmt.reporting.page import make_page
from attnmt.reporting.report import make_report
from attnmt.reporting.tables import write_tables
from attnmt.tracking.importing import log_results
from attnmt.workflow.stage import run_stage

PARAMS = (
    "languages",
    "sets",
    "corpus.kind",
    "tokenize",
    "families",
    "overrides",
    "systems",
    "trainings",
    "ensembles",
    "tables",
    "decoding",
    "evaluation",
    "runs",
)  # those that decide the outputs


def main(params_file: Path) -> None:
    """Write the report of one experiment, then put trainings and scores into MLflow."""
    params = load_params(params_file)
    reports = Layout(params.experiment).reports
    report = make_report(params)
    page = make_page(params, report)  # every file has been read before the first is written
    with atomic_folder(reports / "tables") as folder:
        write_tables(params.experiment, report.tables, folder)
    with atomic_folder(reports / "figures") as folder:
        for figure in report.figures:
            write_figure(figure, folder)
        if report.figure7:
            write_matrices(report.figure7, folder / "figure7")
        write_claims_figure(report.claims, folder)
    write_text(reports / "index.html", page)
    log_results(params)


if __name__ == "__main__":
    run_stage(main, __doc__)
