"""``attnmt archive`` and ``attnmt restore``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError
from attnmt.workflow import archive as archives


def archive(experiment: Experiment = DEMO) -> None:
    """Pack what the trainings left, but for their weights, into files that are small enough for git.

    These are curves, settings, translations, links and scores, and what dvc.lock says about them. Run
    attnmt commit before. The files lie in reports/<experiment>/outputs, one for each seed. Another
    machine takes them by attnmt restore.

    Examples: attnmt archive --experiment study; then: git add reports/study/outputs
    """
    params = load_params(params_file(experiment))
    made = archives.archive(params)
    if not made.kept:
        why = "dvc.lock has no model of it whose outputs are here; run attnmt commit first"
        raise InputError(f"{experiment}: {why}")
    size = sum(file.stat().st_size for file in made.files)
    left = f"; {len(made.left_out)} are not finished" if made.left_out else ""
    what = f"{len(made.kept)} models and ensembles, {size / 1e6:.1f} MB{left}"
    typer.echo(f"{archives.folder_of(experiment)}: {what}")


def restore(experiment: Experiment = DEMO) -> None:
    """Unpack what attnmt archive packed, where it is missing here.

    Afterwards Snakemake trains only what is not in the archives. It trains a model again if its weights
    are needed, because parameters or code of its translations have changed.

    Example: attnmt restore --experiment study; then: snakemake -j2 --config experiment=study
    """
    params = load_params(params_file(experiment))
    archives.refuse_missing_text(params)
    found = archives.restore(params)
    if not any(found):
        raise InputError(f"{archives.folder_of(experiment)}: no archives of {experiment}")
    there = f"; {len(found.there)} were here" if found.there else ""
    typer.echo(f"{experiment}: {len(found.written)} outputs restored{there}")
    if found.different:
        first = ", ".join(found.different[:3])
        typer.echo(f"{len(found.different)} are different here, and stay as they are: {first}")
