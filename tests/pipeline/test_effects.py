"""Every function that a stage runs, and every data file that it reads, counts as its code."""

import json
from pathlib import Path

import pytest
from project import Project

from attnmt.config import Params, load_params
from attnmt.workflow.code import parts_of
from attnmt.workflow.reached import Reached, counts, is_section, module_of

DECIDES_NOTHING = {
    "attnmt.training.stop.handled",  # by which run_app ends a stage
    "attnmt.files.text_file.write_text",  # by which write_json writes; who writes text itself names it
    "attnmt.scoring.metric.Metric.key",  # for a table that metrics.py makes, and gather alone reads
}
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


def parts(params: Params, key: list[str]) -> frozenset[str]:
    """Return the parts of what a stage runs for: of one model or ensemble, or of all."""
    known = params.models.keys() | params.ensembles.keys()
    return frozenset().union(*(parts_of(params, name) for name in {*key} & known or known))


def checks_values(module: str, definition: str) -> bool:
    """Return whether a method checks a section, whose values count: pydantic calls it, or such a one."""
    kind, _, method = definition.partition(".")
    section = module_of(module).definitions.get(kind)
    called = section is not None and definition in section.words
    return is_section(module) and (called or method.startswith("_"))


def uncounted(project: Project, trace: Path) -> set[str]:
    """Return what a stage ran or read that is not among its code."""
    noted = json.loads(trace.read_text())
    script, _, *key = noted["command"]
    params = load_params(project.folder / "params.yaml", project.folder)
    reached = Reached(project.folder / script, parts=parts(params, key))
    missing = {f"src/attnmt/{name}" for name in noted["data"] if counts(dotted(name))} - {
        f"src/{name}" for name in reached.data
    }
    for file, name in noted["functions"]:
        module, definition = dotted(file), name.partition(".<locals>")[0]
        if "<" in definition or not counts(f"{module}.{definition}"):
            continue  # of a constant, or of what does not count
        if definition not in reached.digests.get(module, {}) and not checks_values(
            module, definition
        ):
            missing.add(f"{module}.{definition}")
    return missing


def dotted(file: str) -> str:
    """Return the name of a module, or of a data file as if it were one."""
    return ".".join(["attnmt", *Path(file).with_suffix("").parts]).removesuffix(".__init__")


@pytest.mark.parametrize("stage", STAGES)
def test_what_runs_counts(first_built, stage):
    traces = list((first_built.folder.parent / "traces").glob("*.json"))
    own = [t for t in traces if json.loads(t.read_text())["command"][0] == f"stages/{stage}.py"]
    assert own
    assert set().union(*(uncounted(first_built, trace) for trace in own)) <= DECIDES_NOTHING
