"""The stages of dvc.yaml as DVC itself resolves them, in the form in which the Snakefile uses them.

This is the only module that knows DVC. DVC does not promise to keep these parts of its interface:
``Repo``, ``lock_repo``, ``Index`` (``stages``, ``graph``), ``ProjectFile``,
``hash_file``, and the fields and methods of a stage and of its inputs and outputs. ``Repo.index`` would
do more with less code, but it parses the locks of all experiments.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from dvc.config import ConfigError
from dvc.dvcfile import ProjectFile
from dvc.exceptions import DvcException, NotDvcRepoError
from dvc.fs import LocalFileSystem
from dvc.lock import LockError
from dvc.repo import Repo, lock_repo
from dvc.repo.index import Index
from dvc.scm import SCMError
from dvc_data.hashfile.hash import hash_file
from networkx import topological_sort
from tqdm import tqdm

from attnmt.config import load_params, params_file
from attnmt.config.generated import refuse_other_stages, write_trainings
from attnmt.errors import InputError
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.workflow.dependencies import STAGE, write_dependencies
from attnmt.workflow.leftovers import put_back
from attnmt.workflow.record import (
    NO_RECORD,
    Digest,
    Run,
    Task,
    changes,
    dvc_digest,
    file_digest,
    read_record,
    write_record,
)

TRAIN = "train@"  # before a model's name: the stage that trains it


@dataclass(frozen=True, kw_only=True)
class Stage(Task):
    """One stage of an experiment. All paths are relative to the project's folder."""

    # The inputs as dvc.lock has them. In place of a folder of outputs, ``inputs`` has these outputs, so
    # that nothing else there counts.
    deps: list[str]
    description: str
    threads: int
    resources: dict[str, int]
    before: list[str]  # the stages whose outputs it reads
    priority: int  # the number of stages that read its outputs; the highest goes first
    committed: bool = False  # done according to dvc.lock, and DVC's cache has its outputs
    why: Sequence[str] = ()  # what has changed; nothing where only stages before it are not done

    @property
    def kind(self) -> str:
        """What the stage does: train for train@base."""
        return self.name.partition("@")[0]


def read_stages(experiment: str) -> list[Stage]:
    """Return the stages of an experiment here, in dvc.yaml's order. Nothing says what is done."""
    with _index(experiment) as index:
        return _declared(index)


def compare_stages(experiment: str) -> list[Stage]:
    """Return the stages of an experiment here, and which of them are done.

    First this brings trainings.yaml and the dependencies of the stages up to date.
    """
    with _index(experiment) as index:
        stages = _declared(index)  # a fault of dvc.yaml is named before anything is written
        write_dependencies(load_params(params_file(experiment)))
        return _compared(index, stages, Layout(experiment))


class Committed(NamedTuple):
    """The stages of an experiment after a commit, by what dvc.lock says about them."""

    new: list[str]  # dvc.lock did not say before that they are done, or DVC's cache lacked them
    stale: list[str]  # they, or stages before them, have not run, or their inputs have changed
    trained: list[str]  # models whose outputs were read back from DVC's cache


def commit(experiment: str) -> Committed:
    """Write to dvc.lock what was made, for every stage whose record proves it."""
    stages, layout = compare_stages(experiment), Layout(experiment)
    done = [stage for stage in stages if stage.done]
    with _index(experiment) as index:
        cached = {stage.name: stage for stage in index.stages}
        names = [one.name.removeprefix(TRAIN) for one in done if one.name.startswith(TRAIN)]
        trained = [name for name in names if layout.checkpoints(name).exists()]
        unsafe = {TRAIN + name for name in trained if _damaged(cached[TRAIN + name])}
        new = [one.name for one in done if not one.committed or one.name in unsafe]
        if new:
            with lock_repo(index.repo):
                for name in tqdm(new, "commit", unit="stage", disable=None, leave=False, delay=1):
                    for path in _damaged(cached[name]):
                        path.unlink(missing_ok=True)  # so that it is written again
                    cached[name].save()
                    cached[name].commit()
                file = cached[new[0]].dvcfile
                file.dump_stages([cached[name] for name in new], update_pipeline=False)
                _show_to_dvc(experiment, index.repo)
        trained = [name for name in trained if not _damaged(cached[TRAIN + name])]
    return Committed(new, [stage.name for stage in stages if not stage.done], trained)


def _dvc_yaml(experiment: str) -> Path:
    return params_file(experiment).with_name("dvc.yaml").absolute()


class _AnyFile(ProjectFile):  # type: ignore[misc]  # DVC has no types
    """A dvc.yaml that is read even if .dvcignore hides it from DVC's own commands."""

    def exists(self) -> bool:
        return Path(self.path).exists()


@contextmanager
def _index(experiment: str) -> Iterator[Index]:
    """Yield the stages of an experiment as DVC resolves them. First trainings.yaml is written.

    DVC would accept faulty parameters, so they are checked, too.
    """
    root, file = Path().resolve(), _dvc_yaml(experiment)
    params = load_params(params_file(experiment))
    refuse_other_stages(params)
    write_trainings(params)  # dvc.yaml reads it, and systems may have other names than before
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


def _declared(index: Index) -> list[Stage]:
    """Return the stages as they are declared."""
    for stage in index.stages:
        if "resources" not in (stage.meta or {}):
            file = stage.dvcfile.path
            raise InputError(f"{file}: stages: {stage.name}: meta: resources are missing; add them")
    outputs = [_path(item) for stage in index.stages for item in stage.outs]
    _refuse_links_outside({Path(output).parts[0] for output in outputs})

    def inputs(deps: list[str]) -> list[str]:
        inside = ([one for one in outputs if one.startswith(f"{dep}/")] or [dep] for dep in deps)
        return list(dict.fromkeys(chain.from_iterable(inside)))

    return [
        Stage(
            name=stage.name,
            command=stage.cmd,
            inputs=inputs([_path(item) for item in stage.deps]),
            deps=[_path(item) for item in stage.deps],
            outputs=[_path(item) for item in stage.outs],
            description=stage.desc,
            threads=stage.meta.get("threads", 1),
            resources=stage.meta["resources"],
            # DVC's edges go from a stage to those that it depends on.
            before=[other.name for other in index.graph.successors(stage) if other.name != STAGE],
            priority=index.graph.in_degree(stage),
        )
        for stage in index.stages
    ]


def _path(item: Any) -> str:
    return str(os.path.relpath(item.fs_path))  # a text may lie outside the project


def _refuse_links_outside(folders: Iterable[str]) -> None:
    """Refuse folders of outputs that are links to somewhere else, because DVC would not follow them."""
    for folder in folders:
        if not Path(folder).resolve().is_relative_to(Path().resolve()):
            raise InputError(
                f"{Path(folder).absolute()}: a link that leads out of the project, where DVC finds no "
                f"output; put a folder in its place. To have what is large elsewhere: dvc cache dir"
            )


def _compared(index: Index, declared: list[Stage], layout: Layout) -> list[Stage]:
    """Return the declared stages with what is done, according to dvc.lock and the records."""
    stages = {stage.name: stage for stage in declared}
    digest = _digest(index.repo)
    done, committed, why = {STAGE}, set[str](), dict[str, list[str]]()
    # The stages that others depend on come first.
    for found in tqdm([*topological_sort(index.graph)][::-1], "compare", disable=None, leave=False):
        name, stage = found.name, stages[found.name]
        locked = None if found.cmd_changed else _locked(found)
        in_lock = locked, replace(stage, inputs=stage.deps)
        recorded = read_record(layout.record(name)), stage
        for proof in (in_lock, recorded):
            put_back(*proof, layout.set_aside)
        why[name] = changes(*in_lock, digest)
        if not why[name]:
            committed |= {name} if _is_cached(found) else set()
            if changes(*recorded, digest):  # which the stage asks if stages before it run again
                write_record(layout.record(name), stage, digest)
        elif NO_RECORD not in (by_record := changes(*recorded, digest)):
            why[name] = by_record
        if {*stage.before} <= done and (not why[name] or name == STAGE):
            done.add(name)
    return [
        replace(
            one, done=one.name in done, committed=one.name in done & committed, why=why[one.name]
        )
        for one in declared
    ]


def _locked(found: Any) -> Run:
    """Return what dvc.lock says of a stage, in the form of a record."""
    return Run(
        command=found.cmd,
        inputs={_path(item): item.hash_info.value for item in found.deps},
        outputs={_path(item): item.hash_info.value for item in found.outs},
    )


def _digest(repo: Repo) -> Digest:
    """Return a function that gives each digest once; DVC remembers those of files that stay the same."""
    system = LocalFileSystem()

    @cache
    def of_file(path: Path) -> str:
        return str(hash_file(str(path.absolute()), system, "md5", repo.state)[1].value)

    return cache(partial(dvc_digest, of_file=of_file))


def _is_cached(found: Any) -> bool:
    return not any(out.changed_cache() for out in found.outs if out.use_cache)


def _damaged(found: Any) -> list[Path]:
    """Return the files of DVC's cache, for the outputs of a stage, that are missing or cut.

    DVC itself takes the word of their names. It would put a file that was cut in place of a good output.
    """
    digests = dict[str, Any]()
    for out in (out for out in found.outs if out.use_cache):
        path = Path(out.fs_path)
        files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        digests |= {str(dvc_digest(one)): out.cache for one in [path, *files]}
    places = {digest: Path(where.oid_to_path(digest)) for digest, where in digests.items()}
    return [
        path
        for digest, path in places.items()
        if not path.exists() or file_digest(path) != digest.removesuffix(".dir")
    ]


def _show_to_dvc(experiment: str, repo: Repo) -> None:
    """Let DVC's own commands see an experiment that has run here, even if .dvcignore hides it."""
    file = _dvc_yaml(experiment)
    if repo.dvcignore.is_ignored_file(str(file)):
        write_text(file.with_name(".dvcignore"), f"!{file.name}\n")
