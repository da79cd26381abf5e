"""Every function that a stage runs, and every data file that it reads, counts as its code."""

import json
from pathlib import Path

import pytest
from project import Project

from attnmt.config import load_params
from attnmt.workflow.code import parts_of
from attnmt.workflow.reached import Reached, carries, checks

OF_CARRIERS = {"attnmt.training.stop.handled"}  # by which run_app ends a stage
STAGES = [
    "corpus",
    "tokens",
    "encode",
    "dictionary",
    "train",
    "translate",
    "evaluate",
    "gather",
    "report",
]


def uncounted(project: Project, trace: Path) -> set[str]:
    """Return what a stage ran or read that is not among its code."""
    noted = json.loads(trace.read_text())
    script, _, *key = noted["command"]
    params = load_params(project.folder / "params.yaml", project.folder)
    parts = [parts_of(params, name) for name in key] if script != "stages/encode.py" else []
    every = frozenset[str]().union(*(parts or [parts_of(params, name) for name in params.models]))
    reached = Reached(project.folder / script, parts=every)
    missing = {f"src/attnmt/{name}" for name in noted["data"]} - {
        f"src/{name}" for name in reached.data
    }
    for file, name in noted["functions"]:
        module = ".".join(["attnmt", *Path(file).with_suffix("").parts]).removesuffix(".__init__")
        definition = name.partition(".<locals>")[0]
        if "<" in definition or carries(module) or checks(module, definition):
            continue  # of a constant, or of what does not count
        if definition not in reached.digests.get(module, {}):
            missing.add(f"{module}.{definition}")
    return missing


@pytest.mark.parametrize("stage", STAGES)
def test_what_runs_counts(first_built, stage):
    traces = list((first_built.folder.parent / "traces").glob("*.json"))
    own = [t for t in traces if json.loads(t.read_text())["command"][0] == f"stages/{stage}.py"]
    assert own
    assert set().union(*(uncounted(first_built, trace) for trace in own)) <= OF_CARRIERS
