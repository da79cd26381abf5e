"""Draw the figures, say what the trainings cost, and put everything on one page.

Called by dvc.yaml as `python stages/report.py params.yaml`.

Reads   reports/<experiment>/tables/, models/<experiment>/, scores/<experiment>/,
        translations/<experiment>/; data/<experiment>/encoded/ for gold links;
        data/<experiment>/dictionary/ for the model that MLflow registers
Writes  reports/<experiment>/figures/<figure>.{svg, pdf, csv}, for figure5, figure6, figure7 and
            figure_gru, where the experiment has something to draw
        reports/<experiment>/cost/table_cost.{csv, md, tex}
        reports/<experiment>/index.html
"""

import attnmt.workflow.early_interrupt  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.files.atomic import atomic_folder, check_place
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.reporting.draw import write_figure, write_matrices
from attnmt.reporting.page import make_page
from attnmt.reporting.render import write_tables
from attnmt.reporting.report import make_report
from attnmt.tracking.importing import log_results
from attnmt.workflow.stage import run_stage


def main(params_file: Path) -> None:
    """Write the report of one experiment, then put it and the scores into MLflow."""
    params = load_params(params_file)
    reports = Layout(params.experiment).reports
    for name in ("figures", "cost", "index.html"):  # before any of them is written
        check_place(reports / name, folder="." not in name)
    report = make_report(params)
    page = make_page(params, report)  # every file has been read before the first is written
    with atomic_folder(reports / "cost") as folder:
        write_tables(params.experiment, [report.costs], folder)
    with atomic_folder(reports / "figures") as folder:
        for figure in report.figures:
            write_figure(figure, folder)
        for matrices in report.matrices:
            write_matrices(matrices, folder)
    write_text(reports / "index.html", page)
    log_results(params)


if __name__ == "__main__":
    run_stage(main, __doc__)
