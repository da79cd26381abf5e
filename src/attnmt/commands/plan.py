"""``attnmt plan``."""

from typing import Annotated

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError


def plan(
    experiment: Experiment = DEMO,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Measure the speed: train the largest model here for some seconds, on random words.",
        ),
    ] = False,
    gpus: Annotated[int, typer.Option(min=1, help="How many trainings run at the same time.")] = 1,
) -> None:
    """Show what would run, and about what it takes: hours, disk and downloads.

    Hours are estimated from a measured speed: that of this machine with --measure, and otherwise that of
    finished trainings. No stage runs. The command only brings
    models.yaml up to date, and the digests of the code if they exist.

    Examples: attnmt plan; attnmt plan --experiment wmt14 --gpus 4 --measure
    """
    params = load_params(params_file(experiment))
    try:
        from attnmt.workflow.graph import read_stages
    except ModuleNotFoundError as error:
        raise InputError(
            f"attnmt plan asks DVC what would run, and {error.name} is not installed; in the "
            f"project's folder: pip install -e '.[workflow]'"
        ) from None
    from attnmt.planning import speed
    from attnmt.planning.estimate import make_plan
    from attnmt.planning.shown import plan_text

    planned = make_plan(params, read_stages(experiment, look=True), gpus)
    if measure:
        speeds = [planned.measure(params.machine.train_threads, params.machine.cuda_graphs)]
    else:
        speeds = speed.finished_speeds(experiment)
    typer.echo(plan_text(planned, speeds, speed.paper_speed(), gpus), nl=False)
