"""``attnmt commit``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO
from attnmt.errors import InputError


def commit(experiment: Experiment = DEMO) -> None:
    """Tell DVC about the stages that Snakemake or you have run, as far as their outputs are up to date.

    Such a stage notes what its outputs were made of, and this is compared with what lies here now.
    (dvc commit --force would accept outputs that other code, parameters or inputs made.)

    Examples: attnmt commit; attnmt commit --experiment wmt14; then: dvc push
    """
    try:
        from attnmt.workflow import graph
    except ModuleNotFoundError as error:
        raise InputError(
            f"attnmt commit tells DVC what was made, and {error.name} is not installed; in the "
            f"project's folder: pip install -e '.[workflow]'"
        ) from None
    committed = graph.commit(experiment)
    typer.echo(
        f"Committed: {', '.join(committed)}." if committed else "DVC has everything already."
    )
