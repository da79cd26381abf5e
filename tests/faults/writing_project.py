"""A small project in which all stages have run, and how a test runs a command in a copy of it."""

import os
import shutil
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from project import TINY
from project import Project as Checkout
from small_project import load_stage

from attnmt import cli
from attnmt.workflow.code import write_code
from attnmt.workflow.stage import run_stage

ROOT = Path(__file__).parents[2]
MODEL = "base_reverse"
NOBODY = 65534
CHANGES: dict[str, Any] = TINY | {
    "systems": [MODEL, "local_p_general_feed"],
    "seeds": 1,
}
# Stages with the arguments after the parameter file, in the order in which they run.
RUNS = [
    ("corpus",),
    ("tokens",),
    *(("encode", family) for family in ("luong", "luong_bpe", "course")),
    ("dictionary",),
    *((stage, name) for stage in ("train", "translate", "evaluate") for name in CHANGES["systems"]),
    ("gather",),
    ("report",),
]

Tree = dict[str, bytes | str | None]


STAGES = {name: load_stage(name) for name in dict.fromkeys(run[0] for run in RUNS)}


def build(folder: Path) -> None:
    """Run all stages in a folder, which must be the working folder."""
    for name in ("params.yaml", "systems.yaml", "claims.yaml"):
        shutil.copy(ROOT / name, folder / name)
    Checkout(folder).change(CHANGES)
    Checkout(folder).shorten_text({"train": 60, "dev": 10, "test1": 10, "test2": 10})
    write_code(ROOT / "stages", folder / "code/demo")
    for name, *arguments in RUNS:
        STAGES[name].main(Path("params.yaml"), *arguments)


def run(*command: str) -> int:
    """Run ``attnmt``, or a stage by its name, in the working folder; return the exit status."""
    before = sys.argv
    try:
        if command[0] == "attnmt":
            sys.argv = list(command)
            cli.main()
        else:
            stage = STAGES[command[0]]
            sys.argv = [f"stages/{command[0]}.py", "params.yaml", *command[1:]]
            run_stage(stage.main, stage.__doc__)
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        sys.argv = before
    raise AssertionError("a command ends the process")


def run_as_nobody(*command: str) -> int:
    """Run a command in a fork of this process with the rights of the user nobody."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            status = run(*command)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def output_to(path: str, buffered: bool = True) -> Iterator[None]:
    """Send standard output to a file; unless ``buffered``, each write goes there at once."""
    descriptor, before = os.open(path, os.O_WRONLY), sys.stdout
    sys.stdout = TextIOWrapper(
        os.fdopen(descriptor, "wb", buffering=-1 if buffered else 0), write_through=not buffered
    )
    try:
        yield
    finally:
        sys.stdout = before


def tree(folder: Path) -> Tree:
    """Return everything in a folder: the content of files, the targets of links."""
    entries: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            entries[name] = str(path.readlink())
        else:
            entries[name] = path.read_bytes() if path.is_file() else None
    return entries
