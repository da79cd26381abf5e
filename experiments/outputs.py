"""Keep what the trainings of a seed have made, and make the report from it without a model.

    python experiments/outputs.py pack captions 1    # writes experiments/captions/outputs/seed1.tar.xz
    python experiments/outputs.py report captions    # reads all archives and the text (or ATTNMT_MIRROR)

An archive has what the stages evaluate, gather and report read of the systems and ensembles with a seed:
translations, learning curves and, of the first seed, attention. In place of <set>.replaced and <set>.txt
it has <set>.unk, the words that replace <unk>; the command report writes both from it. The same outputs
give the same archive, to the byte.
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

import lzma
import shlex
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import typer

from attnmt.config import Params, load_params
from attnmt.config.params import params_file
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import CONFIG, HISTORY, METRICS, WEIGHTS, Layout
from attnmt.program import run_app
from attnmt.text.tokenizer import tokenizer
from attnmt.text.vocabulary import SPECIAL, UNK
from attnmt.workflow.graph import read_stages

UNKNOWN = SPECIAL[UNK]
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
    contents = dict[Path, bytes]()
    for name, one in {**params.trainings, **params.ensembles}.items():
        if one.seed == seed:
            for test in params.sets.tests:
                out, replaced = (
                    layout.translations(name) / f"{test}.{e}" for e in ("out", "replaced")
                )
                contents[out.with_suffix(".unk")] = _replacements(out, replaced).encode()
                contents[out] = out.read_bytes()
            patterns = ["*.forced.scores", "*.forced.links", layout.offset(name).name]
            if seed == 1:  # the report shows no other seed's attention
                patterns.append("*.attention.json")
            files = [file for one in patterns for file in layout.translations(name).glob(one)]
            if name in params.trainings:
                files += (layout.model(name) / file for file in (CONFIG, HISTORY, METRICS))
            contents |= {file: file.read_bytes() for file in files}
    if not contents:
        raise InputError(f"{params.params_file}: no training has the seed {seed}")
    path = archives(experiment) / f"seed{seed}.tar.xz"
    path.parent.mkdir(exist_ok=True)
    with (
        atomic_path(path) as partial,
        lzma.LZMAFile(partial, "wb", preset=9 | lzma.PRESET_EXTREME) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for file in sorted(contents, key=lambda file: (file.name, file)):  # alike beside alike
            entry = tarfile.TarInfo(file.as_posix())
            entry.size = len(contents[file])
            archive.addfile(entry, BytesIO(contents[file]))
    print(f"{path}: {len(contents)} files, {path.stat().st_size / 2**20:.1f} MiB")


def _replacements(out: Path, replaced: Path) -> str:
    """Return the words that replace <unk>, a line for each sentence."""
    pairs = zip(read_lines(out, True), read_lines(replaced, True), strict=True)
    words = (
        [b for a, b in zip(o.split(), r.split(), strict=True) if a == UNKNOWN] for o, r in pairs
    )
    return "".join(f"{' '.join(line)}\n" for line in words)


def _restore(params: Params, name: str) -> None:
    """Write the files .replaced and .txt of a system's or an ensemble's translations again."""
    target = params.languages.sides(params.direction(name))[1]
    rule = tokenizer(target, params.tokenize.split_hyphens)
    for test in params.sets.tests:
        out = Layout(params.experiment).translations(name) / f"{test}.out"
        lines = list[list[str]]()
        for line, unknown in zip(
            read_lines(out, True), read_lines(out.with_suffix(".unk"), True), strict=True
        ):
            words = iter(unknown.split())
            lines.append([next(words) if word == UNKNOWN else word for word in line.split()])
        write_lines(out.with_suffix(".replaced"), map(" ".join, lines))
        write_lines(out.with_suffix(".txt"), map(rule.detokenize, lines))


@app.command()
def report(experiment: str) -> None:
    """Unpack all archives and run the stages that need no model, one after the other."""
    found = sorted(archives(experiment).glob("seed*.tar.xz"))
    if not found:
        raise InputError(f"{archives(experiment)}: no archive seed*.tar.xz is here")
    params = load_params(params_file(experiment))
    for name in params.trainings:
        if (weights := Layout(experiment).model(name) / WEIGHTS).exists():
            raise InputError(f"{weights}: trained here; make this report in another clone")
    for path in found:
        shutil.unpack_archive(path)
    for name in (*params.trainings, *params.ensembles):
        _restore(params, name)
    for stage in read_stages(experiment):
        if stage.name.partition("@")[0] not in LEFT_OUT:
            print(stage.command, flush=True)
            ended = subprocess.run([sys.executable, *shlex.split(stage.command)[1:]])
            if ended.returncode:  # the stage has said why
                sys.exit(ended.returncode)


if __name__ == "__main__":
    run_app(app)
