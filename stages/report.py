"""Draw the figures, say what the trainings cost, and put everything on one page.

Called by dvc.yaml as `python stages/report.py params.yaml`.

Reads   reports/<profile>/tables/, models/<profile>/, scores/<profile>/, translations/<profile>/
        data/<profile>/{raw, encoded}/, for samples and gold links
Writes  reports/<profile>/figures/<figure>.{svg, pdf, csv} of figure5, figure6, figure7 and figure_gru,
            as far as the profile has something to draw
        reports/<profile>/cost/table_cost.{csv, md, tex}
        reports/<profile>/index.html
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.files import atomic_path, write_text
from attnmt.layout import Layout
from attnmt.reporting.attention import figure7, figure_gru
from attnmt.reporting.cost import cost_table
from attnmt.reporting.curves import figure5, figure6
from attnmt.reporting.draw import write_figure, write_matrices
from attnmt.reporting.page import make_page
from attnmt.reporting.render import write_tables
from attnmt.stage import run_stage
from attnmt.tracking.importing import log_results


def main(params_file: Path) -> None:
    """Write the report of one profile, then show it in MLflow, and the scores with it."""
    params = load_params(params_file)
    reports = Layout(params.profile).reports
    with atomic_path(reports / "figures") as folder:
        folder.mkdir()
        for curves in (figure5(params), figure6(params)):
            if curves is not None:
                write_figure(curves, folder)
        for matrices in (figure7(params), figure_gru(params)):
            if matrices is not None:
                write_matrices(matrices, folder)
    with atomic_path(reports / "cost") as folder:
        folder.mkdir()
        write_tables(params.profile, [cost_table(params)], folder)
    write_text(reports / "index.html", make_page(params))
    log_results(params)


if __name__ == "__main__":
    run_stage(main, __doc__)
