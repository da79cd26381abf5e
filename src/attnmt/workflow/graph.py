"""The stages of dvc.yaml as DVC itself resolves them, in the form in which the Snakefile uses them.

This is the only module that knows DVC. DVC does not promise to keep these parts of its interface:
``Repo``, ``lock_repo``, ``Index`` (``stages``, ``graph``), ``ProjectFile``, ``load_yaml``,
``modify_yaml``, and the fields and methods of a stage and of its inputs and outputs. ``Repo.index``
and ``Repo.status`` would do more with less code. But the first parses the locks of all experiments,
which takes seconds, and the second parses the parameters again for each
stage.
"""

import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any, NamedTuple

from dvc.config import ConfigError
from dvc.dvcfile import ProjectFile
from dvc.exceptions import DvcException, NotDvcRepoError
from dvc.lock import LockError
from dvc.repo import Repo, lock_repo
from dvc.repo.index import Index
from dvc.scm import SCMError
from dvc.utils.serialize import load_yaml, modify_yaml
from networkx import topological_sort
from tqdm import tqdm

from attnmt.config import DEMO, Params, load_params
from attnmt.config.claims import CLAIMS, project_claims
from attnmt.config.generated import refuse_other_stages, write_models
from attnmt.errors import InputError
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.workflow.code import STAGE, write_code
from attnmt.workflow.kinds import kind_of
from attnmt.workflow.lock import dvc_digest
from attnmt.workflow.record import Order, contradicts, is_of

TRAIN = "train@"  # before a model's name: the stage that trains it


@dataclass(frozen=True)
class Stage(Order):
    """One stage of an experiment. All paths are relative to the project's folder.

    ``inputs`` are sources and declared outputs. If the stage reads a folder that holds outputs, the
    outputs in it are listed instead. If it reads a file in an output, the output is listed instead.
    """

    description: str
    threads: int
    resources: dict[str, int]
    priority: int  # the number of stages that read its outputs; the highest goes first
    # dvc.lock or records say that its outputs, and those of every stage before it, are of what is here
    done: bool = False
    committed: bool = False  # done according to dvc.lock, and DVC's cache has its outputs

    @property
    def kind(self) -> str:
        """What the stage does: train for train@base."""
        return kind_of(self.name)


def read_stages(experiment: str, root: Path = Path()) -> list[Stage]:
    """Return the stages of an experiment, in dvc.yaml's order. Nothing says what is done.

    Raises:
        InputError: if the experiment does not exist, or its parameters or DVC's files are faulty.
    """
    root = root.resolve()
    file = _dvc_yaml(experiment, root)
    _prepare(file, root)
    with _index(file, root) as index:
        return _declared(index, root)


def compare_stages(experiment: str) -> list[Stage]:
    """Return the stages of an experiment here, and which of them are done.

    First this brings models.yaml and the digests of the code up to date. Then DVC (if there is a
    dvc.lock) and the stages' records say what has changed.

    Raises:
        InputError: as :func:`read_stages` does.
    """
    root = Path().resolve()
    file = _dvc_yaml(experiment, root)
    params = _prepare(file, root)
    with _index(file, root) as index:
        stages = _declared(index, root)  # a fault of dvc.yaml is named before anything is written
        write_code(params, root / "stages", Layout(experiment, root).code)
        return _compared(index, stages, Layout(experiment))


def following(stages: Sequence[Stage], asked: Collection[str]) -> set[str]:
    """Return the names of stages and of all that follow; ``asked`` has names of stages or outputs."""
    found = {one.name for one in stages if {one.name, *one.outputs} & {*asked}}
    size = -1
    while len(found) > size:
        size = len(found)
        made = {path for one in stages if one.name in found for path in one.outputs}
        found |= {one.name for one in stages if made & {*one.inputs}}
    return found


class Committed(NamedTuple):
    """The stages of an experiment after a commit, by what dvc.lock says about them."""

    new: list[str]  # dvc.lock did not say before that they are done, or DVC's cache lacked them
    stale: list[str]  # they, or stages before them, have not run, or their inputs have changed
    trained: list[str]  # models whose outputs are in DVC's cache


def commit(experiment: str) -> Committed:
    """Write to dvc.lock what was made, for every stage whose record proves it."""
    stages = compare_stages(experiment)
    new = [stage.name for stage in stages if stage.done and not stage.committed]
    if new:
        root = Path().resolve()
        with _index(_dvc_yaml(experiment, root), root) as index, lock_repo(index.repo):
            made = [stage for stage in index.stages if stage.name in new]
            for stage in tqdm(made, "commit", unit="stage", disable=None, leave=False, delay=1):
                stage.save()
                stage.commit()
            made[0].dvcfile.dump_stages(made, update_pipeline=False)
            _drop_from_lock(made[0].dvcfile, {stage.name for stage in index.stages})
            _show_to_dvc(experiment, index.repo)
    done = [stage.name for stage in stages if stage.done]  # DVC's cache now has their outputs
    trained = [name.removeprefix(TRAIN) for name in done if name.startswith(TRAIN)]
    return Committed(new, [stage.name for stage in stages if not stage.done], trained)


def _dvc_yaml(experiment: str, root: Path) -> Path:
    path = root / ("dvc.yaml" if experiment == DEMO else f"experiments/{experiment}/dvc.yaml")
    if not path.exists():
        known = sorted(other.parent.name for other in root.glob("experiments/*/dvc.yaml"))
        raise InputError(
            f"{path}: no experiment {experiment!r}; the known ones are {', '.join([DEMO, *known])}"
        )
    return path


def _prepare(file: Path, root: Path) -> Params:
    """Check the parameters and the claims, because DVC would accept faulty ones; write models.yaml."""
    params = load_params(file.with_name("params.yaml"), root)
    if (root / CLAIMS).exists():
        project_claims(root)
    refuse_other_stages(params, root)
    write_models(params, root)  # dvc.yaml reads it, and systems may have other names than before
    return params


class _AnyFile(ProjectFile):  # type: ignore[misc]  # DVC has no types
    """A dvc.yaml that is read even if .dvcignore hides it from DVC's own commands."""

    def exists(self) -> bool:
        return Path(self.path).exists()


def _drop_from_lock(file: ProjectFile, known: set[str]) -> None:
    """Remove the entries of stages that are no longer declared. DVC itself keeps them for ever."""
    if file.lockfile_contents.get("stages", {}).keys() - known:
        with modify_yaml(Path(file.path).with_suffix(".lock")) as lock:
            for name in lock["stages"].keys() - known:
                del lock["stages"][name]


def _show_to_dvc(experiment: str, repo: Repo) -> None:
    """Let DVC's own commands see an experiment that has run here, even if .dvcignore hides it."""
    file = _dvc_yaml(experiment, Path().resolve())
    if repo.dvcignore.is_ignored_file(str(file)):
        write_text(file.with_name(".dvcignore"), f"!{file.name}\n")


@contextmanager
def _index(file: Path, root: Path) -> Iterator[Index]:
    """Yield the stages of one dvc.yaml as DVC resolves them."""
    try:
        with Repo(str(root)) as repo:
            stages = list(_AnyFile(repo, str(file)).stages.values())
            if not stages:
                raise InputError(f"{file}: has no stages; restore it with git")
            yield Index(repo, stages)
    except LockError:
        raise InputError(f"{root}: another DVC command runs here; wait for it") from None
    except (NotDvcRepoError, SCMError) as error:
        raise InputError(
            f"{root}: {error}; clone the project with git, and run the command there"
        ) from None
    except sqlite3.Error as error:  # DVC keeps digests of files in a database
        why = "free some space there, or allow larger files (ulimit -f)"
        raise InputError(f"{root}: DVC's notes cannot be written: {error}; {why}") from None
    except DvcException as error:  # it names the faulty file, unless that is DVC's configuration
        place = root / ".dvc/config" if isinstance(error, ConfigError) else root
        why = " ".join(str(error).split())
        raise InputError(f"{place}: {why}; repair that file, or restore it with git") from None


def _declared(index: Index, root: Path) -> list[Stage]:
    """Return the stages as they are declared. Each parameter file is parsed once."""
    # The outputs in each folder; an output lies also in itself. A file of digests stands for itself.
    within: dict[Path, list[Path]] = defaultdict(list)
    makers = (stage for stage in index.stages if stage.name != STAGE)
    outputs = dict.fromkeys(_path(item, root) for stage in makers for item in stage.outs)
    _refuse_links_outside({output.parts[0] for output in outputs}, root)
    for output in outputs:
        for folder in (output, *output.parents):
            within[folder].append(output)
    files = {group.fs_path for stage in index.stages for group in stage.params}
    values = {path: load_yaml(path) for path in files}
    stages = []
    for stage in index.stages:
        if "resources" not in (stage.meta or {}):
            file = stage.dvcfile.path
            raise InputError(f"{file}: stages: {stage.name}: meta: resources are missing; add them")
        try:
            params = {
                f"{_path(group, root)}:{name}": reduce(
                    getitem, name.split("."), values[group.fs_path]
                )
                for group in stage.params
                for name in group.params
            }
        except (KeyError, TypeError) as error:
            file = stage.dvcfile.path
            why = f"its parameters name {error}, which is in none of the files"
            raise InputError(f"{file}: stages: {stage.name}: {why}; correct the name") from None
        read = [_path(item, root) for item in _inputs(stage)]
        inputs = [path for item in read for path in _sources_and_outputs(item, within, outputs)]
        stages.append(
            Stage(
                name=stage.name,
                command=stage.cmd if isinstance(stage.cmd, str) else " && ".join(stage.cmd),
                params=params,
                inputs=list(dict.fromkeys(map(str, inputs))),
                outputs=[str(_path(output, root)) for output in stage.outs],
                description=stage.desc,
                threads=stage.meta.get("threads", 1),
                resources=stage.meta["resources"],
                priority=index.graph.in_degree(stage),
            )
        )
    return stages


def _path(item: Any, root: Path) -> Path:
    return Path(os.path.relpath(item.fs_path, root))  # a text may lie outside the project


def _inputs(stage: Any) -> list[Any]:
    """Return DVC's inputs of a stage without its parameters."""
    return [item for item in stage.deps if item not in stage.params]


def _refuse_links_outside(folders: Iterable[str], root: Path) -> None:
    """Refuse folders of outputs that are links to somewhere else, because DVC would not follow them.

    Raises:
        InputError: naming one.
    """
    for folder in folders:
        if not (root / folder).resolve().is_relative_to(root.resolve()):
            raise InputError(
                f"{root / folder}: a link that leads out of the project, where DVC finds no output; put "
                f"a folder in its place. What is large lies in the cache: dvc cache dir moves that"
            )


def _sources_and_outputs(
    path: Path, within: Mapping[Path, list[Path]], outputs: Container[Path]
) -> Iterable[Path]:
    """Return what an input means: the outputs in it, the output around it, or itself, a source."""
    around = [folder for folder in path.parents if folder in outputs]
    return within.get(path) or around or [path]


def _compared(index: Index, declared: list[Stage], layout: Layout) -> list[Stage]:
    """Return the declared stages with what is done, according to dvc.lock and the records."""
    declared_by_name = {stage.name: stage for stage in declared}
    digest = cache(dvc_digest)  # several stages read a file
    changed: dict[tuple[Any, ...], bool] = {}
    done, committed = set[str](), set[str]()
    # DVC's edges go from a stage to those that it depends on, and these are compared first.
    order = [*topological_sort(index.graph)][::-1]
    for found in tqdm(order, "compare", disable=None, leave=False, delay=1):
        stage, record = declared_by_name[found.name], layout.record(found.name)
        # Someone may have forced DVC to lock what other code made; then the record is right.
        is_locked = _is_locked(found, stage, changed) and not contradicts(record, stage, digest)
        if is_locked and not any(out.changed_cache() for out in found.outs if out.use_cache):
            committed.add(stage.name)
        before = {other.name for other in index.graph.successors(found)}
        if (is_locked or stage.name == STAGE or is_of(record, stage, digest)) and before <= done:
            done.add(stage.name)
    return [
        replace(stage, done=stage.name in done, committed=stage.name in done & committed)
        for stage in declared
    ]


def _is_locked(found: Any, stage: Stage, changed: dict[tuple[Any, ...], bool]) -> bool:
    """Return whether dvc.lock has this command, these parameters and the present files.

    Args:
        changed: what DVC has said so far of inputs and outputs, each asked once.
    """
    locked = {
        f"{_path(group, Path().resolve())}:{name}": value
        for group in found.params
        for name, value in (group.hash_info.value or {}).items()
    }
    if found.cmd_changed or stage.params != locked:
        return False
    for item in (*_inputs(found), *found.outs):
        key = type(item), item.fs_path, item.hash_info.value
        if key not in changed:
            changed[key] = bool(item.workspace_status())
        if changed[key]:
            return False
    return True
