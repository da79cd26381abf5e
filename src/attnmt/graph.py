"""The stages of dvc.yaml as DVC itself resolves them, in the form in which the Snakefile uses them.

The only module that knows DVC. What it uses of ``dvc.repo``, which is not DVC's promised interface:
``Repo.status``, ``Repo.index`` (``stages``, ``graph``), a stage's fields and ``read_params``.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from dvc.repo import Repo

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
    with Repo(str(root)) as repo:
        compare = compare and file.with_name("dvc.lock").exists()
        status = repo.status(targets=[str(file)]) if compare else {}
        found = [stage for stage in repo.index.stages if Path(stage.path) == file]
        changed = [stage for stage in found if stage.addressing in status or not compare]
        graph = repo.index.graph  # from a stage to those that it depends on
        outputs = [_path(output, root) for stage in found for output in stage.outs]

        @cache
        def settled(stage: Any) -> bool:
            return stage not in changed and all(map(settled, graph.successors(stage)))

        return [
            Stage(
                name=stage.name,
                description=stage.desc,
                command=stage.cmd if isinstance(stage.cmd, str) else " && ".join(stage.cmd),
                inputs=_inputs(stage, outputs, root),
                outputs=[str(_path(output, root)) for output in stage.outs],
                params={k: v for group in stage.params for k, v in group.read_params().items()},
                threads=stage.meta.get("threads", 1),
                resources=stage.meta["resources"],
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


def _path(item: Any, root: Path) -> Path:
    return Path(item.fs_path).relative_to(root)


def _inputs(stage: Any, outputs: list[Path], root: Path) -> list[str]:
    """Return what a stage reads, declared outputs standing for folders around and files in them."""
    inputs: list[Path] = []
    for path in (_path(item, root) for item in stage.deps if item not in stage.params):
        inputs += [
            out for out in outputs if out.is_relative_to(path) or path.is_relative_to(out)
        ] or [path]
    return list(dict.fromkeys(map(str, inputs)))
