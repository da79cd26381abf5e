"""The stages of dvc.yaml as DVC itself resolves them, in the form in which the Snakefile uses them.

The only module that knows DVC. What it uses of ``dvc.repo``, which is not DVC's promised interface:
``Repo.status``, ``Repo.index`` (``stages``, ``graph``) and a stage's fields.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import yaml
from dvc.exceptions import NotDvcRepoError
from dvc.repo import Repo
from dvc.scm import SCMError

from attnmt.config import DEMO, load_params
from attnmt.errors import InputError
from attnmt.files import write_text


@dataclass(frozen=True)
class Stage:
    """One stage of a profile. All paths are relative to the project's folder.

    ``inputs`` are sources and declared outputs: for a folder that the stage reads, the outputs that
    lie in it; for a file in an output, that output.
    """

    name: str
    description: str
    command: str
    inputs: list[str]
    outputs: list[str]
    params: dict[str, Any]
    threads: int
    resources: dict[str, int]
    priority: int  # stages that read what this one makes: what most wait for goes first
    settled: bool  # DVC finds nothing changed here nor in any stage before

    def write_stamp(self, path: Path) -> str:
        """Write command and parameters to ``path``, unless they are there, and return it."""
        text = yaml.safe_dump({"command": self.command, "params": self.params}, allow_unicode=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
        return str(path)


def read_stages(profile: str, root: Path = Path(), *, compare: bool = True) -> list[Stage]:
    """Return the stages of a profile, in dvc.yaml's order.

    ``compare`` asks DVC, where there is a dvc.lock, what has changed since it was written; without,
    no stage is settled.

    Raises:
        InputError: if the profile does not exist or its parameters are at fault.
    """
    root = root.resolve()
    file = _dvc_yaml(profile, root)
    load_params(file.with_name("params.yaml"), root)
    with _repository(root) as repo:
        compare = compare and file.with_name("dvc.lock").exists()
        status = repo.status(targets=[str(file)]) if compare else {}
        found = [stage for stage in repo.index.stages if Path(stage.path) == file]
        changed = [stage for stage in found if stage.addressing in status or not compare]
        graph = repo.index.graph  # from a stage to those that it depends on
        outputs = [_path(output, root) for stage in found for output in stage.outs]
        within = _within(outputs)

        @cache
        def values(path: str) -> Any:
            return yaml.safe_load(Path(path).read_text(encoding="utf-8"))

        @cache
        def settled(stage: Any) -> bool:
            return stage not in changed and all(map(settled, graph.successors(stage)))

        return [
            Stage(
                name=stage.name,
                description=stage.desc,
                command=stage.cmd if isinstance(stage.cmd, str) else " && ".join(stage.cmd),
                inputs=_inputs(stage, within, root),
                outputs=[str(_path(output, root)) for output in stage.outs],
                params={
                    name: reduce(getitem, name.split("."), values(group.fs_path))
                    for group in stage.params
                    for name in group.params
                },
                threads=stage.meta.get("threads", 1),
                resources=stage.meta["resources"],
                priority=graph.in_degree(stage),
                settled=settled(stage),
            )
            for stage in found
        ]


def _dvc_yaml(profile: str, root: Path) -> Path:
    path = root / ("dvc.yaml" if profile == DEMO else f"profiles/{profile}/dvc.yaml")
    if not path.exists():
        known = sorted(other.parent.name for other in root.glob("profiles/*/dvc.yaml"))
        raise InputError(f"{path}: no profile {profile!r}; known are {', '.join([DEMO, *known])}")
    return path


def _repository(root: Path) -> Repo:
    try:
        return Repo(str(root))
    except (NotDvcRepoError, SCMError) as error:
        raise InputError(f"{root}: {error}; clone the project with git, run it there") from None


def _path(item: Any, root: Path) -> Path:
    return Path(item.fs_path).relative_to(root)


def _within(outputs: list[Path]) -> Mapping[Path, list[Path]]:
    """Return the outputs that lie in each folder; an output lies in itself, too."""
    within: dict[Path, list[Path]] = defaultdict(list)
    for output in outputs:
        for folder in (output, *output.parents):
            within[folder].append(output)
    return within


def _inputs(stage: Any, within: Mapping[Path, list[Path]], root: Path) -> list[str]:
    """Return what a stage reads, declared outputs standing for folders around and files in them."""
    inputs: list[Path] = []
    for path in (_path(item, root) for item in stage.deps if item not in stage.params):
        around = [folder for folder in path.parents if folder in within.get(folder, ())]
        inputs += within.get(path) or around or [path]
    return list(dict.fromkeys(map(str, inputs)))
