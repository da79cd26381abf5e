"""Archives of what trainings left apart from their weights: small files, which can lie in git.

``reports/<experiment>/outputs/seed<number>.tar.xz`` has the curves, settings, translations, links and
scores of the models with one seed, and the entries that dvc.lock has for their stages. Another machine
goes on from there: it gathers, scores and reports without training a model again.
"""

import io
import json
import lzma
import tarfile
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import yaml
from tqdm import tqdm

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import json_text, write_bytes, write_text
from attnmt.layout import Layout
from attnmt.workflow.lock import (
    WEIGHTS,
    digest_of_bytes,
    digest_of_files,
    dvc_digest,
    lock_file,
    locked_outputs,
    read_lock,
)

STAGES = "stages.json"  # the member that has the entries of dvc.lock
AGAIN = "restore it with git"
SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
Stages = dict[str, Any]  # entries of dvc.lock, by stage
Contents = dict[PurePosixPath, bytes]


def folder_of(experiment: str) -> Path:
    """Return the folder of an experiment's archives."""
    return Layout(experiment).reports / "outputs"


class Archived(NamedTuple):
    """What :func:`archive` wrote."""

    files: list[Path]
    kept: list[str]  # models and ensembles that are in the files
    left_out: list[str]  # those whose outputs are missing, or not those of dvc.lock


class Restored(NamedTuple):
    """What :func:`restore` found in the archives."""

    written: list[str]  # outputs that were missing here
    there: list[str]  # outputs that are here already, and the same
    different: list[str]  # outputs that are different here, and stay


def archive(params: Params) -> Archived:
    """Write the archives of an experiment. What they have and this machine has not stays in them.

    Raises:
        InputError: if an archive is damaged, or there is no dvc.lock.
    """
    restore(params)
    folder, locked = folder_of(params.experiment), read_lock(params.experiment)
    seeds: dict[int, Stages] = {}
    kept, left_out = list[str](), list[str]()
    for name in [*params.models, *params.ensembles]:
        stages = {stage: locked[stage] for stage in _stages_of(params, name) if stage in locked}
        whole = len(stages) == len(_stages_of(params, name)) and _is_here(stages)
        (kept if whole else left_out).append(name)
        if whole:
            members = params.translators(name).members
            last = max(params.model(member).seed for member in members)
            seeds.setdefault(last, {}).update(stages)
    files = []
    for seed, stages in tqdm(seeds.items(), "archive", unit="seed", disable=None, leave=False):
        files.append(folder / f"seed{seed}.tar.xz")
        write_bytes(files[-1], _packed(stages))
    return Archived(files, kept, left_out)


def restore(params: Params) -> Restored:
    """Write the outputs of the archives that are missing here, and their entries in dvc.lock.

    Raises:
        InputError: if an archive is damaged, or if it has outputs that are not those of its own entries.
    """
    restored, found = Restored([], [], []), Stages()
    files = sorted(folder_of(params.experiment).glob("*.tar.xz"))
    names = {
        stage for name in (*params.models, *params.ensembles) for stage in _stages_of(params, name)
    }
    for file in tqdm(files, "restore", unit="archive", disable=None, leave=False):
        stages, contents = _unpacked(file)
        for stage in stages.keys() & names:
            found[stage] = stages[stage]
            for path, digest in _small_outputs(stages[stage]).items():
                here = dvc_digest(Path(path))
                if here is None:
                    _write(file, PurePosixPath(path), digest, contents)
                    restored.written.append(path)
                elif here == digest:
                    restored.there.append(path)
                else:
                    restored.different.append(path)
                    found.pop(stage, None)
    if found:
        _add_to_lock(params.experiment, found)
    return restored


def refuse_missing_text(params: Params) -> None:
    """Refuse to go on where the stages before training have not run.

    Snakemake goes by times. It would take their later outputs for new ones, and train again.

    Raises:
        InputError: naming the command that runs them.
    """
    layout, before = Layout(params.experiment), [f"encode@{family}" for family in params.families]
    needed = [*map(layout.encoded, params.families), layout.dictionary]
    if missing := [path for path in needed if not path.exists()]:
        stages = " ".join([*before, "dictionary"])
        command = f"snakemake -j2 --config experiment={params.experiment} --until {stages}"
        raise InputError(f"{missing[0]}: no such folder; first run {command}")


def _stages_of(params: Params, name: str) -> list[str]:
    """Return the stages that make the outputs of a model or an ensemble."""
    if name in params.ensembles:
        return [f"ensemble@{name}"]
    return [f"{kind}@{name}" for kind in ("train", "translate", "evaluate")]


def _small_outputs(stage: dict[str, Any]) -> dict[str, str]:
    """Return the outputs of a stage but for weights, each with its digest."""
    outputs = locked_outputs({"": stage})
    return {path: digest for path, digest in outputs.items() if PurePosixPath(path).name != WEIGHTS}


def _is_here(stages: Stages) -> bool:
    outputs = (item for stage in stages.values() for item in _small_outputs(stage).items())
    return all(dvc_digest(Path(path)) == digest for path, digest in outputs)


def _packed(stages: Stages) -> bytes:
    """Return an archive of the outputs of stages. The same outputs give the same bytes."""
    outputs = (Path(path) for stage in stages.values() for path in _small_outputs(stage))
    files = [file for path in outputs for file in ([*path.iterdir()] if path.is_dir() else [path])]
    files = [file for file in files if not file.name.startswith(".")]
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        _add(tar, STAGES, json_text(dict(sorted(stages.items()))).encode())
        # Files of one name are alike, so they are packed one after another.
        for file in sorted(files, key=lambda file: (file.name, file)):
            _add(tar, file.as_posix(), file.read_bytes())
    return lzma.compress(stream.getvalue(), preset=7)


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)  # its time is 1970, and its owner is nobody
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def _unpacked(file: Path) -> tuple[Stages, Contents]:
    """Return the entries of dvc.lock in an archive, and the contents of its other members."""
    try:
        with tarfile.open(file, mode="r:xz") as tar:
            contents = {
                PurePosixPath(member.name): stream.read()
                for member in tar
                if (stream := tar.extractfile(member)) is not None
            }
        return json.loads(contents.pop(PurePosixPath(STAGES))), contents
    except (tarfile.TarError, lzma.LZMAError, EOFError, KeyError, ValueError) as error:
        why = f"not an archive of attnmt, or damaged ({error})"
        raise InputError(f"{file}: {why}; {AGAIN}") from None


def _write(file: Path, path: PurePosixPath, digest: str, contents: Contents) -> None:
    """Write one output, a file or a folder, from an archive."""
    inside = {name.name: content for name, content in contents.items() if name.parent == path}
    content = contents.get(path, b"")
    if digest != (digest_of_files(inside) if inside else digest_of_bytes(content)):
        raise InputError(f"{file}: its {path} is not what its {STAGES} says; {AGAIN}")
    if not inside:
        write_bytes(Path(path), content)
        return
    with atomic_folder(Path(path)) as folder:
        for name, content in inside.items():
            (folder / name).write_bytes(content)


def _add_to_lock(experiment: str, found: Stages) -> None:
    """Write entries into dvc.lock, unless it has one of the same outputs, which may be newer."""
    path = lock_file(experiment)
    locked = read_lock(experiment) if path.exists() else {}
    new = {
        name: stage
        for name, stage in found.items()
        if name not in locked or _small_outputs(locked[name]) != _small_outputs(stage)
    }
    if new:
        content = {"schema": "2.0", "stages": locked | new}
        write_text(path, yaml.dump(content, Dumper=SafeDumper, sort_keys=False))
