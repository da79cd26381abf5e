"""``attnmt archive`` and ``attnmt restore``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError
from attnmt.workflow import archive as archives


def archive(experiment: Experiment = DEMO) -> None:
    """Pack the small outputs of trainings for git. Weights stay out.

    The small outputs are curves, settings, translations, links and scores, as dvc.lock has them, so run
    attnmt commit first. The archives lie in reports/<experiment>/outputs, one for each seed. What is in
    them and missing here is unpacked. On another machine, attnmt restore does that.

    Example: attnmt archive --experiment study; then: git add reports/study/outputs
    experiments/study/dvc.lock
    """
    params = load_params(params_file(experiment))
    made = archives.archive(params)
    if not made.kept:
        why = "no model has all the outputs that dvc.lock names; run attnmt commit first"
        raise InputError(f"{experiment}: {why}")
    size = sum(file.stat().st_size for file in made.files)
    left = f"; {len(made.left_out)} left out" if made.left_out else ""
    because = ": outputs are missing, or dvc.lock lacks them or has others" if left else ""
    what = f"{len(made.kept)} models and ensembles, {size / 1e6:.1f} MB{left}{because}"
    typer.echo(f"{archives.folder_of(experiment)}: {what}")


def restore(experiment: Experiment = DEMO) -> None:
    """Unpack what is missing here from the archives of attnmt archive.

    Afterwards Snakemake trains the models that no archive has. Archives have no weights. So it trains an
    archived model again if the model or one of its ensembles has to be translated again.

    Example: attnmt restore --experiment study; then: snakemake -j2 --config experiment=study
    """
    params = load_params(params_file(experiment))
    found = archives.restore(params)
    typer.echo(f"{experiment}: {len(found.written)} outputs restored")
    if found.different:
        first = ", ".join([*found.different[:3], *["..."] * (len(found.different) > 3)])
        why = "dvc.lock has others than the archive"
        typer.echo(f"{len(found.different)} outputs stay missing: {why}: {first}")
