"""The stages of dvc.yaml as DVC itself resolves them, in the form in which the Snakefile uses them.

This is the only module that knows DVC. DVC does not promise to keep these parts of its interface:
``Repo``, ``lock_repo``, ``Index.from_file`` (``stages``, ``graph``), ``load_yaml``, and the fields and
methods of a stage and of its inputs and outputs. ``Repo.index`` and ``Repo.status`` would do more with
less code. But the first parses the locks of all experiments, which takes ten seconds for the study's
alone, and the second parses the parameters again for each stage.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any, NamedTuple

from dvc.config import ConfigError
from dvc.exceptions import DvcException, NotDvcRepoError
from dvc.repo import Repo, lock_repo
from dvc.repo.index import Index
from dvc.scm import SCMError
from dvc.utils.serialize import load_yaml
from tqdm import tqdm

from attnmt.config import DEMO, load_params
from attnmt.config.written import write_models
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.workflow import code
from attnmt.workflow.record import Order, contradicts, digest_of_path, is_of

TRAIN = "train@"  # before a model's name: the stage that trains it


@dataclass(frozen=True)
class Stage(Order):
    """One stage of an experiment. All paths are relative to the project's folder.

    ``inputs`` are sources and declared outputs. If the stage reads a folder that holds outputs, they are
    listed instead of the folder. If it reads a file in an output, the output is listed instead.
    """

    description: str
    threads: int
    resources: dict[str, int]
    priority: int  # the number of stages that read its outputs; the highest goes first
    done: bool  # dvc.lock or the record says that the outputs were made from the present inputs
    settled: bool  # done, as is every stage before it
    committed: bool  # dvc.lock says that it is done, and no record says that other code made it


def read_stages(
    experiment: str, root: Path = Path(), *, compare: bool = True, look: bool = False
) -> list[Stage]:
    """Return the stages of an experiment, in dvc.yaml's order.

    ``compare`` writes models.yaml and the digests of the code as they are now. Then it finds
    out what has changed, from DVC (if there is a dvc.lock) and from the stages' records. Without
    ``compare`` no stage counts as done. With ``look``, no digests are written for an experiment that has
    none yet. None of its stages has run here, and none counts as done.

    Raises:
        InputError: if the experiment does not exist, or its parameters or DVC's files are faulty.
    """
    root = root.resolve()
    file = _dvc_yaml(experiment, root)
    params = load_params(file.with_name("params.yaml"), root)
    layout = Layout(experiment, root)
    if compare:
        write_models(params, root)  # the graph needs it
        compare = layout.code.exists() or not look
    if compare:
        code.write_code(root / "stages", layout.code)
    with _index(file, root) as index:
        declared = index.stages
        _check(file, declared)
        locked = compare and file.with_name("dvc.lock").exists()
        graph = index.graph  # from a stage to those that it depends on
        within = _within([_path(output, root) for stage in declared for output in stage.outs])

        @cache
        def digest(path: str) -> str | None:
            return digest_of_path(root / path)

        @cache
        def values(path: str) -> Any:
            return load_yaml(path)

        @cache
        def order(stage: Any) -> Order:
            return Order(
                name=stage.name,
                command=stage.cmd if isinstance(stage.cmd, str) else " && ".join(stage.cmd),
                params={
                    f"{_path(group, root)}:{name}": reduce(
                        getitem, name.split("."), values(group.fs_path)
                    )
                    for group in stage.params
                    for name in group.params
                },
                inputs=_inputs(stage, within, root),
                outputs=[str(_path(output, root)) for output in stage.outs],
            )

        @cache
        def committed(stage: Any) -> bool:
            # Someone may have forced DVC to lock what other code made; then the record is right.
            record = layout.record(stage.name)
            return (
                locked
                and not stage.cmd_changed
                and order(stage).params == _locked_params(stage, root)
                and not any(item.status() for item in (*_read_by(stage), *stage.outs))
                and not contradicts(record, order(stage), digest)
            )

        @cache
        def done(stage: Any) -> bool:
            proven = stage.name == code.STAGE or is_of(
                layout.record(stage.name), order(stage), digest
            )
            return compare and (committed(stage) or proven)

        @cache
        def settled(stage: Any) -> bool:
            return done(stage) and all(map(settled, graph.successors(stage)))

        return [
            Stage(
                **vars(order(stage)),
                description=stage.desc,
                threads=stage.meta.get("threads", 1),
                resources=stage.meta["resources"],
                priority=graph.in_degree(stage),
                done=done(stage),
                settled=settled(stage),
                committed=committed(stage),
            )
            for stage in tqdm(declared, "compare", disable=None, leave=False, delay=1)
        ]


def find_order(experiment: str, command: str) -> Order:
    """Return the definition of the stage that runs a command, alone or among others.

    Raises:
        InputError: if no stage of the experiment runs it.
    """
    for stage in read_stages(experiment, compare=False):
        if command in stage.commands:
            return stage
    raise InputError(f"{_dvc_yaml(experiment, Path())}: no stage runs `{command}`")


class Committed(NamedTuple):
    """The stages of an experiment after a commit, by what dvc.lock says about them."""

    new: list[str]  # dvc.lock did not say before that they are done
    stale: list[str]  # they have not run, or their inputs have changed; their old entries stay
    trained: list[str]  # models whose outputs are in DVC's cache


def commit(experiment: str) -> Committed:
    """Write to dvc.lock what was made, for every stage whose record proves it."""
    stages = read_stages(experiment)
    file = _dvc_yaml(experiment, Path().resolve())
    new = [stage.name for stage in stages if stage.done and not stage.committed]
    stale = [stage.name for stage in stages if not stage.done]
    with _index(file, Path().resolve()) as index, lock_repo(index.repo):
        made = [stage for stage in index.stages if stage.name in new]
        for stage in tqdm(made, "commit", unit="stage", disable=None, leave=False, delay=1):
            stage.save()
            stage.commit()
        if made:
            made[0].dvcfile.dump_stages(made, update_pipeline=False)
    # DVC's cache now has the outputs of every stage that is done. The commit above put the new ones
    # there, and DVC's status calls an output changed if its cache lacks it.
    trainings = [stage.name for stage in stages if stage.done and stage.name.startswith(TRAIN)]
    return Committed(new, stale, [name.removeprefix(TRAIN) for name in trainings])


def _dvc_yaml(experiment: str, root: Path) -> Path:
    path = root / ("dvc.yaml" if experiment == DEMO else f"experiments/{experiment}/dvc.yaml")
    if not path.exists():
        known = sorted(other.parent.name for other in root.glob("experiments/*/dvc.yaml"))
        raise InputError(
            f"{path}: no experiment {experiment!r}; the known ones are {', '.join([DEMO, *known])}"
        )
    return path


@contextmanager
def _index(file: Path, root: Path) -> Iterator[Index]:
    """Yield the stages of one dvc.yaml."""
    try:
        with Repo(str(root)) as repo:
            yield Index.from_file(repo, str(file))
    except (NotDvcRepoError, SCMError) as error:
        raise InputError(
            f"{root}: {error}; clone the project with git, and run the command there"
        ) from None
    except DvcException as error:  # it names the faulty file, unless that is DVC's configuration
        place = root / ".dvc/config" if isinstance(error, ConfigError) else root
        why = " ".join(str(error).split())
        raise InputError(f"{place}: {why}; repair that file, or restore it with git") from None


def _check(file: Path, stages: list[Any]) -> None:
    """Refuse a dvc.yaml that DVC accepts but that lacks what Snakemake needs."""
    if not stages:
        raise InputError(f"{file}: has no stages; restore it with git")
    for stage in stages:
        if "resources" not in (stage.meta or {}):
            raise InputError(f"{file}: stages: {stage.name}: meta: resources are missing; add them")


def _path(item: Any, root: Path) -> Path:
    return Path(item.fs_path).relative_to(root)


def _within(outputs: list[Path]) -> Mapping[Path, list[Path]]:
    """Return the outputs that lie in each folder; each output also lies in itself."""
    within: dict[Path, list[Path]] = defaultdict(list)
    for output in outputs:
        for folder in (output, *output.parents):
            within[folder].append(output)
    return within


def _read_by(stage: Any) -> list[Any]:
    return [item for item in stage.deps if item not in stage.params]


def _locked_params(stage: Any, root: Path) -> dict[str, Any]:
    return {
        f"{_path(group, root)}:{name}": value
        for group in stage.params
        for name, value in (group.hash_info.value or {}).items()
    }


def _inputs(stage: Any, within: Mapping[Path, list[Path]], root: Path) -> list[str]:
    """Return what a stage reads, as sources and declared outputs (:class:`Stage`)."""
    inputs: list[Path] = []
    for path in (_path(item, root) for item in _read_by(stage)):
        output_around = [folder for folder in path.parents if folder in within.get(folder, ())]
        inputs += within.get(path) or output_around or [path]
    return list(dict.fromkeys(map(str, inputs)))
