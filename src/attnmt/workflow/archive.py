"""Archives of the small outputs of trainings, without weights, for git.

``reports/<experiment>/outputs/seed<number>.tar.xz`` has the curves, settings, translations, links and
scores of the models with one seed, and of the ensembles whose last member has it. It also has the
entries of dvc.lock for their stages. Another machine goes on from there: it gathers and reports without
training these models again.
"""

import io
import json
import lzma
import tarfile
from collections.abc import Callable
from functools import cache
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
    content_files,
    digest_of_bytes,
    digest_of_files,
    dvc_digest,
    lock_file,
    locked_outputs,
    read_lock,
)

ENTRIES = "stages.json"  # the file in an archive with the entries of dvc.lock
COUNTS = ".npz"  # the stage evaluate counts again in a second what the sentences of a system have
HINT = "restore it with git"
SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
Stages = dict[str, Any]  # entries of dvc.lock, by stage
Output = dict[str, bytes]  # contents by path in the folder; the path of a single file is ""


def folder_of(experiment: str) -> Path:
    """Return the folder of an experiment's archives."""
    return Layout(experiment).reports / "outputs"


class Archived(NamedTuple):
    """What :func:`archive` wrote."""

    files: list[Path]
    kept: list[str]  # models and ensembles that are in the files
    left_out: list[str]  # outputs are missing, or dvc.lock lacks them or has others


class Restored(NamedTuple):
    """What :func:`restore` found in the archives."""

    written: list[str]  # outputs that were missing here
    present: list[str]  # outputs that are already here, and the same
    different: list[str]  # stages that stay, because outputs or their entry in dvc.lock differ here


def archive(params: Params) -> Archived:
    """Write the archives of an experiment.

    First it restores what is archived and missing here, so this stays in the archives. Archived outputs
    that differ from those here do not.

    Raises:
        InputError: if an archive is damaged, or there is no dvc.lock, or the text is not encoded.
    """
    restore(params)
    folder, locked = folder_of(params.experiment), read_lock(params.experiment)
    seeds: dict[int, Stages] = {}
    kept, left_out = list[str](), list[str]()
    for name in [*params.models, *params.ensembles]:
        stages = {stage: locked[stage] for stage in _stages_of(params, name) if stage in locked}
        whole = len(stages) == len(_stages_of(params, name)) and _match_lock(stages)
        (kept if whole else left_out).append(name)
        if whole:
            members = params.translators(name).members
            seed = max(params.model(member).seed for member in members)
            seeds.setdefault(seed, {}).update(stages)
    files = []
    for seed, stages in tqdm(seeds.items(), "archive", unit="seed", disable=None, leave=False):
        files.append(folder / f"seed{seed}.tar.xz")
        write_bytes(files[-1], _packed(stages))
    return Archived(files, kept, left_out)


def restore(params: Params) -> Restored:
    """Write the outputs of the archives that are missing here, and their entries in dvc.lock.

    A stage stays as it is if other outputs of it lie here. It also stays if dvc.lock has another entry
    for it that names the inputs that are here, because that entry may be newer.

    Raises:
        InputError: if the text is not encoded, if an archive is damaged, or if its outputs are not those
            of its entries. Then nothing is written.
    """
    _refuse_missing_text(params)
    stages, outputs = archived(params)
    digest = cache(dvc_digest)  # several stages read a folder
    lock = lock_file(params.experiment)
    locked = read_lock(params.experiment) if lock.exists() else Stages()
    restored, new = Restored([], [], []), Stages()
    for name, stage in tqdm(stages.items(), "compare", unit="stage", disable=None, leave=False):
        small, known = _small_outputs(stage), locked.get(name)
        listed = known is not None and _small_outputs(known) == small
        here = [path for path in small if digest(Path(path)) is not None]
        if any(digest(Path(path)) != small[path] for path in here) or (
            known is not None and not listed and _is_current(known, digest)
        ):
            restored.different.append(name)
            continue
        restored.present.extend(here)
        restored.written.extend(path for path in small if path not in here)
        if not listed:
            new[name] = stage
    for path in tqdm(restored.written, "restore", unit="output", disable=None, leave=False):
        _write(Path(path), outputs[path])
    if new:
        content = {"schema": "2.0", "stages": locked | new}
        write_text(lock, yaml.dump(content, Dumper=SafeDumper, sort_keys=False))
    return restored


def archived(params: Params) -> tuple[Stages, dict[str, Output]]:
    """Return the entries of dvc.lock in all archives of an experiment, and their outputs.

    Raises:
        InputError: if an archive is damaged, or if its outputs are not those of its entries.
    """
    files = sorted(folder_of(params.experiment).glob("*.tar.xz"))
    names = {
        stage for name in (*params.models, *params.ensembles) for stage in _stages_of(params, name)
    }
    stages, outputs = Stages(), dict[str, Output]()
    for file in tqdm(files, "unpack", unit="archive", disable=None, leave=False):
        its_stages, its_outputs = _unpacked(file)
        stages |= {name: stage for name, stage in its_stages.items() if name in names}
        outputs |= its_outputs
    return stages, outputs


def _refuse_missing_text(params: Params) -> None:
    """Refuse to go on where the encoded text or the dictionary is missing.

    Snakemake goes by times. If these stages ran after restore, their outputs would be newer than the
    models, and Snakemake would train again.

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
        return [f"{kind}@{name}" for kind in ("ensemble", "evaluate_ensemble")]
    return [f"{kind}@{name}" for kind in ("train", "translate", "evaluate")]


def _small_outputs(stage: dict[str, Any]) -> dict[str, str]:
    """Return the outputs of a stage except weights and counts of sentences, each with its digest."""
    outputs = locked_outputs({"": stage})
    return {
        path: digest
        for path, digest in outputs.items()
        if PurePosixPath(path).name != WEIGHTS and PurePosixPath(path).suffix != COUNTS
    }


def _is_current(stage: dict[str, Any], digest: Callable[[Path], str | None]) -> bool:
    """Return whether no input here differs from an entry of dvc.lock; inputs may be missing."""
    return all(digest(Path(item["path"])) in (None, item["md5"]) for item in stage.get("deps", []))


def _match_lock(stages: Stages) -> bool:
    outputs = (item for stage in stages.values() for item in _small_outputs(stage).items())
    return all(dvc_digest(Path(path)) == digest for path, digest in outputs)


def _packed(stages: Stages) -> bytes:
    """Return an archive of stages. The same outputs and entries give the same bytes."""
    outputs = (Path(path) for stage in stages.values() for path in _small_outputs(stage))
    files = [file for path in outputs for file in (content_files(path) or {"": path}).values()]
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        _add(tar, ENTRIES, json_text(dict(sorted(stages.items()))).encode())
        # Files with the same name are similar, so neighbours compress well.
        for file in sorted(files, key=lambda file: (file.name, file)):
            _add(tar, file.as_posix(), file.read_bytes())
    return lzma.compress(stream.getvalue(), preset=7)


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)  # its time is 1970, and its owner is nobody
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def _unpacked(file: Path) -> tuple[Stages, dict[str, Output]]:
    """Return the entries of dvc.lock in an archive, and their outputs, whose digests are checked."""
    try:
        with tarfile.open(file, mode="r:xz") as tar:
            contents = {
                member.name: stream.read()
                for member in tar
                if (stream := tar.extractfile(member)) is not None
            }
        stages: Stages = json.loads(contents.pop(ENTRIES))
        digests = {
            path: md5 for one in stages.values() for path, md5 in _small_outputs(one).items()
        }
    except (
        tarfile.TarError,
        lzma.LZMAError,
        EOFError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        why = f"not an archive of attnmt, or damaged ({error})"
        raise InputError(f"{file}: {why}; {HINT}") from None
    outputs: dict[str, Output] = {path: {} for path in digests}
    for member, content in contents.items():
        for path in map(str, (PurePosixPath(member), *PurePosixPath(member).parents)):
            if path in outputs:
                outputs[path][member.removeprefix(path).removeprefix("/")] = content
    for path, inside in outputs.items():
        made = digest_of_bytes(inside[""]) if "" in inside else digest_of_files(inside)
        if made != digests[path]:
            raise InputError(f"{file}: {path} in it is not what {ENTRIES} says; {HINT}")
    return stages, outputs


def _write(path: Path, inside: Output) -> None:
    """Write one output, a file or a folder."""
    if "" in inside:
        write_bytes(path, inside[""])
        return
    with atomic_folder(path) as folder:
        for name, content in inside.items():
            write_bytes(folder / name, content)
