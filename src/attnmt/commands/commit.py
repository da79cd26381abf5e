"""``attnmt commit``."""

from typing import Annotated

import typer

from attnmt.commands.model_choice import Experiment
from attnmt.commands.options import of_the_extra
from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError
from attnmt.layout import Layout

NAMED = 5  # stages that are out of date; the others are counted


def commit(
    experiment: Experiment = DEMO,
    publish: Annotated[
        bool, typer.Option("--publish", help="Also write reports/<experiment>/runs.csv, for git.")
    ] = False,
) -> None:
    """Tell DVC which stages were run by Snakemake or by hand, if their outputs are up to date.

    Each stage records the code, parameters and inputs that it used. The record is compared with the
    present files. (dvc commit --force would also accept outputs of older code, parameters or inputs.)
    Then the checkpoints of each model that is now in DVC's cache are deleted.

    runs.csv has the machine, commit, time, speed and memory of each training. The report shows them when
    it is made again.

    Examples:

    attnmt commit

    attnmt commit --experiment wmt14; dvc push
    """
    if publish:
        from attnmt.training import provenance  # here, because it takes a second to load

        provenance.publish(load_params(params_file(experiment)))
    with of_the_extra("attnmt commit tells DVC what was made"):
        from attnmt.workflow import graph
    committed = graph.commit(experiment)
    layout = Layout(experiment)
    for name in committed.trained:
        if layout.checkpoints(name).exists():
            from attnmt.training.checkpoint import discard  # here, because torch takes seconds

            discard(layout.checkpoints(name), layout.model(name))
    if committed.new:
        typer.echo(f"Stages committed: {len(committed.new)}.")
    if committed.stale:
        others = len(committed.stale) - NAMED
        more = f" and {others} more" * (others > 0)
        raise InputError(
            f"{experiment}: these stages are out of date: {', '.join(committed.stale[:NAMED])}{more}; "
            f"run snakemake -j2 --config experiment={experiment}, then attnmt commit again"
        )
    if not committed.new:
        typer.echo("DVC has everything already.")
