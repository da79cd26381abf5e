"""What decides the outputs of a stage besides its inputs, as digests: its code, and what it is set to.

The folder ``code/<experiment>/`` has them. ``<stage>.json`` has what counts for all that a stage makes.
``<stage>/<system>.json`` has what counts only for one system, or for one family or ensemble: the code of
its parts. Both also have a digest of each section of the configuration that the stage has as a parameter
in dvc.yaml, with all defaults in it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, reduce
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from attnmt.config import Params
from attnmt.config.experiment import under
from attnmt.config.model import Model, TrainedEnsemble
from attnmt.files.text_file import json_text, update_text
from attnmt.files.yaml_file import yaml_faults
from attnmt.workflow.definitions import digest_of_bytes
from attnmt.workflow.reached import SOURCE, Reached, remember

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
STAGE, SCRIPT = "code", "code_digests"  # the stage that writes these digests, and its file
OTHER_NAMES = {"other_recipes": "recipes", "tables": "rows"}  # of parameters, in Params

Code = dict[str, str]  # digests by the names of modules, data files and sections
_reached = cache(Reached)


@cache
def code_of(*scripts: Path, parts: frozenset[str] = frozenset()) -> Code:
    """Return the digest of what scripts run of every module and data file, by name.

    Args:
        parts: the scores, windows and the like that count, by the names that systems give them.

    Raises:
        InputError: if one of the files is not Python.
    """
    reached = _reached(*scripts, parts=parts)
    code = {_shown(module): digest_of(found) for module, found in reached.digests.items()}
    return dict(sorted({**code, **reached.data}.items()))


def _only_with(script: Path, parts: frozenset[str]) -> Code:
    """Return the digests of what a script runs only because of some parts."""
    common = _reached(script, parts=frozenset()).digests
    own = {
        module: {name: one for name, one in found.items() if name not in common.get(module, {})}
        for module, found in _reached(script, parts=parts).digests.items()
    }
    return {module: digest_of(found) for module, found in sorted(own.items()) if found}


def _shown(module: str) -> str:
    """Return the name of a module, or of a script relative to the project's folder."""
    return "/".join(Path(module).parts[-2:]) if module.endswith(".py") else module


def digest_of(code: Mapping[str, str]) -> str:
    """Return one digest of code."""
    return digest_of_bytes(json.dumps(code, sort_keys=True).encode())


def parts_of(params: Params, name: str) -> frozenset[str]:
    """Return the names of the parts that a model has, or the members of an ensemble have."""
    parts = set[str | None]()
    for member in params.translators(name).members:
        model = params.model(member)
        cell = params.families[model.family].shape.cell
        parts |= {
            model.attention,
            model.score,
            model.encoder,
            cell,
            params.recipe(member).optimizer,
        }
    return frozenset(part for part in parts if part)


def code_files(params: Params, script: Path) -> dict[Path, Code]:
    """Return what the files of digests of a script hold, by their paths in the folder of all.

    Raises:
        InputError: if a file is not Python, or dvc.yaml is not YAML.
    """
    stages = _declared(script.parents[1] / "dvc.yaml")
    names, loops = _param_names(stages.get(script.stem, {})), _loops(stages, script.stem)
    every = frozenset[str]().union(*(parts_of(params, model) for model in params.models))
    common = code_of(script, parts=frozenset() if "models" in loops else every)
    files = {Path(f"{script.stem}.json"): common | _values(params, names, {})}
    for loop in loops:
        for key, item in _entries(params, loop):
            own = {} if loop == "families" else _only_with(script, parts_of(params, key))
            path = Path(script.stem, f"{item['code']}.json")
            files[path] = own | _values(params, names, {"key": key, **item})
    return files


def files_of_run(params: Params, script: Path, key: str | None) -> dict[Path, Code]:
    """Return those files of digests that decide one run of a script, and what they hold.

    Args:
        key: what the script runs for: a model, an ensemble or a family.
    """
    names = {Path(f"{script.stem}.json")}
    if key is not None:
        names.add(Path(script.stem, f"{name_in_code(params, key)}.json"))
    return {path: code for path, code in code_files(params, script).items() if path in names}


def digest_of_run(files: Iterable[Code]) -> str:
    """Return one digest of the code that decides a run, without sections of the configuration.

    Args:
        files: what its files of digests hold, that of the stage first.
    """
    names = f"{SOURCE.name}.", f"{SOURCE.name}/", "stages/"
    return digest_of(
        {
            f"{name}{'*' * number}": digest  # of one module, both files may have definitions
            for number, code in enumerate(files)
            for name, digest in code.items()
            if name.startswith(names) or name == SOURCE.name
        }
    )


def name_in_code(params: Params, name: str) -> str:
    """Return what the files of digests of a model or an ensemble are called, the same for all seeds."""
    one = params.models.get(name) or params.ensembles.get(name)
    return under(one.recipe, one.entry) if one else name  # a family


def write_code(params: Params, stages: Path, folder: Path) -> None:
    """Bring the files of digests of an experiment up to date, for every script in ``stages``.

    Raises:
        InputError: as :func:`code_files` does, or if a file cannot be written.
    """
    scripts = [path for path in sorted(stages.resolve().glob("*.py")) if path.stem != SCRIPT]
    found = dict(chain.from_iterable(code_files(params, one).items() for one in scripts))
    for path, code in found.items():
        update_text(folder / path, json_text(code))
    for path in folder.rglob("*.json"):
        if path.relative_to(folder) not in found:
            path.unlink()
    remember(stages)


@cache
def _declared(dvc_yaml: Path) -> dict[str, Any]:
    """Return the stages of dvc.yaml; of a loop, what it repeats."""
    with yaml_faults(dvc_yaml):
        stages = yaml.load(dvc_yaml.read_text(encoding="utf-8"), Loader)["stages"]
    return {name: stage | stage.get("do", {}) for name, stage in stages.items()}


def _param_names(stage: Mapping[str, Any]) -> list[str]:
    """Return the parameters that a stage has in dvc.yaml, of whatever file."""
    return [name for group in stage.get("params", ()) for names in group.values() for name in names]


def _loops(stages: Mapping[str, Any], script: str) -> list[str]:
    """Return what those stages of dvc.yaml loop over that read digests of one entry alone."""
    read = f"code/${{experiment}}/{script}/"
    return [
        stage["foreach"][2:-1]
        for stage in stages.values()
        if any(path.startswith(read) for path in stage.get("deps", ()))
    ]


def _entries(params: Params, loop: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the entries of a loop that have files of their own: of several seeds the first."""
    if loop == "families":
        yield from ((family, {"code": family}) for family in params.families)
        return
    known = set[str]()
    entries: dict[str, Model | TrainedEnsemble] = (
        {**params.models} if loop == "models" else {**params.ensembles}
    )
    for name, one in entries.items():
        code = name_in_code(params, name)
        if code not in known:
            known.add(code)
            yield name, {"code": code, "item.family": one.family}


def _values(params: Params, names: Iterable[str], item: Mapping[str, str]) -> Code:
    """Return a digest of each parameter with its defaults: of an entry of a loop, or of no entry."""
    values = Code()
    for name in names:
        place = reduce(lambda text, key: text.replace(f"${{{key}}}", item[key]), item, name)
        if ("${" in name) == bool(item) and "${" not in place:
            for value in _found(params, place.split(".")):
                values[place] = digest_of_bytes(json.dumps(_plain(value)).encode())
    return values


def _found(value: Any, place: list[str]) -> list[Any]:
    """Return what stands in a place of the configuration, if it has such a place."""
    for key in place:
        inside = dict(value) if isinstance(value, BaseModel | dict) else {}
        if (own := OTHER_NAMES.get(key, key)) not in inside:
            return []
        value = inside[own]
    return [value]


def _plain(value: Any) -> Any:
    """Return a value of the configuration as JSON has it, also what is left out of files."""
    if isinstance(value, BaseModel):
        return {key: _plain(inside) for key, inside in value}
    if isinstance(value, dict):
        return {key: _plain(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inside) for inside in value]
    return value if isinstance(value, int | float | str | None) else str(value)
