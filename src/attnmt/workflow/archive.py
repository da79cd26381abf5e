"""Archives of the small outputs of trainings, without weights, for git.

``reports/<experiment>/outputs/seed<number>.tar.xz`` has the curves, settings, translations, links and
scores of the models with one seed, and of the ensembles whose last member has it. dvc.lock, which is in
git, too, has their digests. Another machine goes on from there: it gathers and reports without training
these models again.
"""

import io
import lzma
import tarfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tqdm import tqdm

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import write_bytes
from attnmt.layout import Layout
from attnmt.workflow.lock import (
    WEIGHTS,
    content_files,
    digest_of_bytes,
    digest_of_files,
    dvc_digest,
    locked_outputs,
    read_lock,
)

COUNTS = ".npz"  # the stage evaluate counts again in a second what the sentences of a system have
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
    """The outputs that were missing here, as :func:`restore` found them in the archives."""

    written: list[str]
    different: list[str]  # dvc.lock lacks them or has others


def archive(params: Params) -> Archived:
    """Write the archives of an experiment; what is archived and missing here stays in them.

    Raises:
        InputError: if an archive is damaged, or there is no dvc.lock, or the text is not encoded.
    """
    restore(params)
    seeds: dict[int, list[str]] = {}
    kept, left_out = list[str](), list[str]()
    for name, outputs in _locked(params).items():
        whole = all(dvc_digest(Path(path)) == digest for path, digest in outputs.items())
        (kept if outputs and whole else left_out).append(name)
        if kept[-1:] == [name]:
            members = params.translators(name).members
            seed = max(params.model(member).seed for member in members)
            seeds.setdefault(seed, []).extend(outputs)
    files = []
    for seed, paths in tqdm(seeds.items(), "archive", unit="seed", disable=None, leave=False):
        files.append(folder_of(params.experiment) / f"seed{seed}.tar.xz")
        write_bytes(files[-1], _packed(paths))
    return Archived(files, kept, left_out)


def restore(params: Params) -> Restored:
    """Write the outputs of the archives that are missing here and that dvc.lock has.

    Raises:
        InputError: if the text is not encoded, or there is no dvc.lock, or an archive is damaged. Then
            nothing is written.
    """
    _refuse_missing_text(params)
    digests = {path: md5 for outputs in _locked(params).values() for path, md5 in outputs.items()}
    restored = Restored([], [])
    for path, inside in archived(params).items():
        if Path(path).exists():
            continue
        made = digest_of_bytes(inside[""]) if "" in inside else digest_of_files(inside)
        if made != digests[path]:
            restored.different.append(path)
            continue
        restored.written.append(path)
        if "" in inside:
            write_bytes(Path(path), inside[""])
        else:
            with atomic_folder(Path(path)) as folder:
                for name, content in inside.items():
                    write_bytes(folder / name, content)
    return restored


def archived(params: Params) -> dict[str, Output]:
    """Return the outputs in all archives of an experiment, as far as dvc.lock names them.

    Raises:
        InputError: if an archive is damaged.
    """
    known = {path for paths in _locked(params).values() for path in paths}
    outputs: dict[str, Output] = {}
    files = sorted(folder_of(params.experiment).glob("*.tar.xz"))
    for file in tqdm(files, "unpack", unit="archive", disable=None, leave=False):
        for member, content in _unpacked(file).items():
            for path in map(str, (PurePosixPath(member), *PurePosixPath(member).parents)):
                if path in known:
                    inside = member.removeprefix(path).removeprefix("/")
                    outputs.setdefault(path, {})[inside] = content
    return outputs


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


def _locked(params: Params) -> dict[str, dict[str, str]]:
    """Return the outputs in dvc.lock of each model and ensemble, except weights and counts of sentences.

    There are none if dvc.lock lacks one of its stages.
    """
    locked, found = read_lock(params.experiment), dict[str, dict[str, str]]()
    for name in (*params.models, *params.ensembles):
        kinds = ["train", "translate", "evaluate"]
        if name in params.ensembles:
            kinds = ["ensemble", "evaluate_ensemble"]
        stages = {stage: locked[stage] for kind in kinds if (stage := f"{kind}@{name}") in locked}
        outputs = locked_outputs(stages) if len(stages) == len(kinds) else {}
        found[name] = {
            path: digest
            for path, digest in outputs.items()
            if PurePosixPath(path).name != WEIGHTS and PurePosixPath(path).suffix != COUNTS
        }
    return found


def _packed(outputs: list[str]) -> bytes:
    """Return an archive of files and folders. The same outputs give the same bytes."""
    paths = map(Path, outputs)
    files = [file for path in paths for file in (content_files(path) or {"": path}).values()]
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        # Files with the same name are similar, so neighbours compress well.
        for file in sorted(files, key=lambda file: (file.name, file)):
            info = tarfile.TarInfo(file.as_posix())  # its time is 1970, and its owner is nobody
            info.size = file.stat().st_size
            tar.addfile(info, io.BytesIO(file.read_bytes()))
    return lzma.compress(stream.getvalue(), preset=7)


def _unpacked(file: Path) -> dict[str, bytes]:
    """Return the contents of the files in an archive, by their paths."""
    try:
        with tarfile.open(file, mode="r:xz") as tar:
            return {
                member.name: stream.read()
                for member in tar
                if (stream := tar.extractfile(member)) is not None
            }
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        why = f"not an archive of attnmt, or damaged ({error})"
        raise InputError(f"{file}: {why}; restore it with git") from None
