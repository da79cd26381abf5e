"""Keep what the trainings of a seed have made, and make the report from it without a model.

    python experiments/outputs.py pack captions 1    # writes experiments/captions/outputs/seed1.tar.xz
    python experiments/outputs.py report captions    # reads all archives and the text (or ATTNMT_MIRROR)

An archive has the translations and learning curves of all systems and ensembles with a seed: what the
stages evaluate, gather and report read of them. The same outputs give the same archive, to the byte.
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

import shlex
import subprocess
import sys
import tarfile
from pathlib import Path

import typer

from attnmt.config import load_params
from attnmt.config.params import params_file
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path
from attnmt.layout import CONFIG, HISTORY, METRICS, Layout
from attnmt.program import run_app
from attnmt.workflow.graph import read_stages

# Stages that need a model, and the one that only the engines need
LEFT_OUT = ("depends", "train", "translate", "ensemble")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__)


def archives(experiment: str) -> Path:
    """Return the folder of an experiment's archives."""
    return Path("experiments", experiment, "outputs")


@app.command()
def pack(experiment: str, seed: int) -> None:
    """Write the archive of a seed, whose trainings and ensembles must be done."""
    params, layout = load_params(params_file(experiment)), Layout(experiment)
    files = list[Path]()
    for name, one in {**params.trainings, **params.ensembles}.items():
        if one.seed == seed:
            files += layout.translations(name).glob("[!.]*")  # without what Snakemake puts there
            if name in params.trainings:
                files += (layout.model(name) / file for file in (CONFIG, HISTORY, METRICS))
    if not files:
        raise InputError(f"{params.params_file}: no training has the seed {seed}")
    path = archives(experiment) / f"seed{seed}.tar.xz"
    path.parent.mkdir(exist_ok=True)
    with atomic_path(path) as partial, tarfile.open(partial, "w:xz", preset=9) as archive:
        for file in sorted(files):
            entry = tarfile.TarInfo(file.as_posix())
            entry.size = file.stat().st_size
            with file.open("rb") as content:
                archive.addfile(entry, content)
    print(f"{path}: {len(files)} files, {path.stat().st_size / 2**20:.1f} MiB")


@app.command()
def report(experiment: str) -> None:
    """Unpack all archives and run the stages that need no model, one after the other."""
    found = sorted(archives(experiment).glob("seed*.tar.xz"))
    if not found:
        raise InputError(f"{archives(experiment)}: no archive seed*.tar.xz is here")
    for path in found:
        with tarfile.open(path) as archive:
            archive.extractall(filter="data")
    for stage in read_stages(experiment):
        if stage.name.partition("@")[0] not in LEFT_OUT:
            print(stage.command, flush=True)
            ended = subprocess.run([sys.executable, *shlex.split(stage.command)[1:]])
            if ended.returncode:  # the stage has said why
                sys.exit(ended.returncode)


if __name__ == "__main__":
    run_app(app)
