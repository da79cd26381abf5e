"""How a file in ``stages/`` becomes a command."""

import inspect
import logging
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.text_file import json_text, update_text
from attnmt.layout import Layout
from attnmt.program import run_app
from attnmt.workflow.dependencies import STAGE, dependencies, dependencies_file
from attnmt.workflow.record import Task, changes, dvc_digest, read_plan, read_record, recorded

log = logging.getLogger(__name__)
PLANNED = "ATTNMT_PLANNED"  # set by the Snakefile: the stage runs as a part of its plan


def run_stage(main: Callable[..., Any], description: str | None) -> None:
    """Run ``main`` with arguments from the command line; ``description``, its docstring, is the help.

    A record says afterwards what the outputs were made of (:mod:`attnmt.workflow.record`). An
    InputError ends the process as :func:`run_app` says.
    """
    script = Path(inspect.getfile(main)).name

    @wraps(main)
    def run(params_file: Path, **others: Any) -> None:
        params = load_params(params_file)
        arguments = [str(params_file), *map(str, others.values())]
        command = " ".join(["python", f"stages/{script}", *arguments])
        # To look for a stage writes trainings.yaml, which the stage depends itself has to compare.
        task = None if script == f"{STAGE}.py" else _task(params.experiment, command)
        if task is None:
            main(params_file, **others)
            return
        # Perhaps they have changed since the engine read them. The record is of what runs now.
        now = dependencies(params, task.name)
        update_text(dependencies_file(params.experiment, task.name), json_text(now))
        record = Layout(params.experiment).record(task.name)
        waited = PLANNED in os.environ and not task.done  # one that was done is asked for once more
        if waited and not changes(read_record(record), task, dvc_digest):
            log.info("the inputs have not changed, so the outputs stay")
            return
        with recorded(task, record, now):
            main(params_file, **others)

    logging.basicConfig(format="%(message)s")
    for name in ("attnmt", "__main__"):  # other libraries' warnings are enough
        logging.getLogger(name).setLevel(logging.INFO)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(help=description)(run)
    run_app(app)


def _task(experiment: str, command: str) -> Task | None:
    """Return the stage of a command, as Snakemake planned it or as dvc.yaml declares it.

    Without DVC, or without such a stage in dvc.yaml, no engine here asks for a record.
    """
    if PLANNED in os.environ:
        return read_plan(Layout(experiment).plan, command)
    try:
        from attnmt.workflow.graph import read_stages  # here, because DVC takes a second to load

        stages = read_stages(experiment)
    except (ImportError, InputError, OSError):
        return None
    return next((stage for stage in stages if command == stage.command), None)
