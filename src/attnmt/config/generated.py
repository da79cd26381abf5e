"""The files that follow from others: trainings.yaml and dvc.yaml for DVC, and JSON schemas for editors.

DVC cannot work out what an experiment trains, so ``trainings.yaml`` beside its params.yaml lists
them. Every experiments/<name>/dvc.yaml is a copy of the dvc.yaml in the project's folder.
"""

import json
from pathlib import Path

import yaml

from attnmt.config.claims import Claims
from attnmt.config.experiment import Experiment
from attnmt.config.params import Params, experiments, load_params, params_file
from attnmt.config.systems import SLOTS, Systems
from attnmt.errors import InputError
from attnmt.files.text_file import update_text
from attnmt.layout import HISTORY, Layout

TRAININGS, STAGES = "trainings.yaml", "dvc.yaml"
SCHEMAS: dict[str, type[Experiment | Systems | Claims]] = {
    "params": Experiment,
    "systems": Systems,
    "claims": Claims,
}
HEAD = (
    "# Written by `make format` from systems.yaml and params.yaml: what is trained, for dvc.yaml.\n"
)


def trainings_yaml(params: Params) -> str:
    """Return the content of an experiment's ``trainings.yaml``."""
    file = Path(params.params_file)
    up = Path(*[".."] * len(file.parent.parts))
    dev_cost = f"{params.sets.dev}_cost"
    histories = [Layout(params.experiment).model(name) / HISTORY for name in params.trainings]
    depends = Layout(params.experiment).depends / "corpus.json"
    content = {
        "root": up.as_posix(),
        "params_file": file.as_posix(),
        # DVC depends on that file anyway, so an experiment without local text names it here.
        "local_text": (params.local_text or depends).as_posix(),
        "trainings": {name: {"family": one.family} for name, one in params.trainings.items()},
        "ensembles": {
            # Every slot that is left over repeats the first member. DVC counts it only once.
            name: {"family": one.family, "members": (one.members + SLOTS * one.members[:1])[:SLOTS]}
            for name, one in params.ensembles.items()
        },
        "curves": {(up / path).as_posix(): dev_cost for path in histories},
    }
    return HEAD + yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=1000)


def write_trainings(params: Params) -> bool:
    """Bring an experiment's ``trainings.yaml`` up to date; return whether it changed."""
    return update_text(Path(params.params_file).with_name(TRAININGS), trainings_yaml(params))


def refuse_other_stages(params: Params) -> None:
    """Refuse an experiment whose ``dvc.yaml`` is no copy of the project's, as after an update of it.

    Raises:
        InputError: naming it.
    """
    project, own = Path(STAGES), Path(params.params_file).with_name(STAGES)
    if project.is_file() and own.is_file() and project.read_bytes() != own.read_bytes():
        raise InputError(
            f"{own}: differs from {STAGES}, of which it is a copy. To copy it again: python -m "
            f"attnmt.config.generated. A change of your own belongs in {STAGES}"
        )


def schema(name: str) -> str:
    """Return a JSON schema for editors. ``name`` is a key of SCHEMAS."""
    return json.dumps(SCHEMAS[name].model_json_schema(), indent=1) + "\n"


def main() -> None:
    """Write all these files. Run ``python -m attnmt.config.generated`` in the project's folder."""
    for name in SCHEMAS:
        update_text(Path("schema", f"{name}.json"), schema(name))
    for experiment in experiments():
        file = params_file(experiment)
        write_trainings(load_params(file))
        update_text(file.with_name(STAGES), Path(STAGES).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
