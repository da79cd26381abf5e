"""``attnmt archive`` and ``attnmt restore``."""

import typer

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.errors import InputError
from attnmt.workflow import archive as archives


def archive(experiment: Experiment = DEMO) -> None:
    """Pack the small outputs of trainings for git. Weights stay out.

    These are curves, settings, translations, links and scores, and what dvc.lock says about them. Run
    attnmt commit first. The archives lie in reports/<experiment>/outputs, one for each seed. On another
    machine, attnmt restore unpacks them.

    Examples: attnmt archive --experiment study; then: git add reports/study/outputs
    """
    params = load_params(params_file(experiment))
    made = archives.archive(params)
    if not made.kept:
        why = "no model has all the outputs that dvc.lock names; run attnmt commit first"
        raise InputError(f"{experiment}: {why}")
    size = sum(file.stat().st_size for file in made.files)
    left = f"; {len(made.left_out)} left out" if made.left_out else ""
    why = ": their outputs are missing, or not those of dvc.lock" if left else ""
    what = f"{len(made.kept)} models and ensembles, {size / 1e6:.1f} MB{left}{why}"
    typer.echo(f"{archives.folder_of(experiment)}: {what}")


def restore(experiment: Experiment = DEMO) -> None:
    """Unpack the archives of attnmt archive, where their outputs are missing here.

    Afterwards Snakemake trains only what is not in the archives. If the code or parameters of
    translation change, it trains these models again too, because archives have no weights.

    Example: attnmt restore --experiment study; then: snakemake -j2 --config experiment=study
    """
    params = load_params(params_file(experiment))
    found = archives.restore(params)
    if not any(found):
        raise InputError(f"{archives.folder_of(experiment)}: no archives of {experiment}'s models")
    there = f"; {len(found.there)} were already here" if found.there else ""
    typer.echo(f"{experiment}: {len(found.written)} outputs restored{there}")
    if found.other:
        first = ", ".join(found.other[:3])
        typer.echo(f"Of {len(found.other)} stages, other outputs are here or in dvc.lock: {first}")
