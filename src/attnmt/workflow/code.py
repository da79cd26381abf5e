"""What decides the outputs of a stage besides its inputs, as digests: its code, and what it is set to.

The folder ``code/<experiment>/`` has them. ``<stage>.json`` has what counts for all that a stage makes.
``<stage>/<system>.json`` has what differs for one system, or for one family or ensemble, by the code of
its parts. Both also have a digest of each section of the configuration that the stage has as a parameter
in dvc.yaml, with its defaults.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from attnmt.config import Params
from attnmt.config.model import Features
from attnmt.files.text_file import json_text, update_text
from attnmt.files.yaml_file import YamlFile
from attnmt.workflow.definitions import digest_of_bytes
from attnmt.workflow.reached import Reached

STAGE, SCRIPT = "code", "code_digests"  # the stage that writes these digests, and its file
OTHER_NAMES = {"other_recipes": "recipes"}  # of parameters, in Params
ITEM = re.compile(r"\$\{(?:item\.)?(.+?)\}")  # in dvc.yaml: of an entry of a loop

Code = dict[str, str]  # digests by the names of modules, data files and sections


@cache
def code_of(*scripts: Path, parts: frozenset[str] = frozenset()) -> Code:
    """Return the digest of what scripts run of every module and data file, by name.

    Args:
        parts: the scores, windows and the like that count, by the names that systems give them.

    Raises:
        InputError: if one of the files is not Python.
    """
    reached = Reached(*scripts, parts=parts)
    # Of a script's path only the end counts.
    names = {module: "/".join(Path(module).parts[-2:]) for module in reached.digests}
    code = {names[module]: digest_of(found) for module, found in reached.digests.items()}
    return dict(sorted({**code, **reached.data}.items()))


def digest_of(code: Code) -> str:
    """Return one digest of code."""
    return digest_of_bytes(json.dumps(code, sort_keys=True).encode())


def parts_of(params: Params, name: str) -> frozenset[str]:
    """Return the names of the parts that a model has, or the members of an ensemble have."""
    parts = set[str]()
    for member in params.translators(name).members:
        model, recipe = params.model(member), params.recipe(member)
        features = {key for key, value in recipe if key in Features.model_fields and value}
        cell = params.families[model.family].shape.cell
        parts |= {*model.system.parts, cell, recipe.optimizer, *features}
    return frozenset(parts)


def code_files(params: Params, script: Path) -> dict[Path, Code]:
    """Return what the files of digests of a script hold, by their paths in the folder of all.

    Raises:
        InputError: if a file is not Python, or dvc.yaml is not YAML.
    """
    _, loops = _declared(script.parents[1] / "dvc.yaml", script.stem)
    keys = {name_in_code(params, key) for loop in loops for key in dict(params)[loop]}
    files = files_of_run(params, script, None)
    for key in sorted(keys):
        files |= files_of_run(params, script, key)
    return files


def files_of_run(params: Params, script: Path, key: str | None) -> dict[Path, Code]:
    """Return those files of digests that decide one run of a script, and what they hold.

    Args:
        key: what the script runs for: a model, an ensemble, a family, or what is no model.

    Raises:
        InputError: as :func:`code_files` does.
    """
    names, loops = _declared(script.parents[1] / "dvc.yaml", script.stem)
    has_parts = "models" in loops
    counted = () if has_parts else params.models  # otherwise each system's parts count for it alone
    every = frozenset[str]().union(*(parts_of(params, model) for model in counted))
    common = code_of(script, parts=every)
    files = {Path(f"{script.stem}.json"): common | _values(params, names, {})}
    if key is not None and loops:
        item = {"key": name_in_code(params, key)}
        item["family"] = params.translators(key).family if has_parts else key
        own = code_of(script, parts=parts_of(params, key)) if has_parts else common
        differs = dict(own.items() - common.items())
        path = Path(script.stem, f"{item['key']}.json")
        files[path] = dict(sorted(differs.items())) | _values(params, names, item)
    return files


def digest_of_run(files: Iterable[Code]) -> str:
    """Return one digest of the code that decides a run, without sections of the configuration.

    Args:
        files: what its files of digests hold, that of the stage first.
    """
    code = {name: digest for file in files for name, digest in file.items()}
    return digest_of({name: code[name] for name in code if name.startswith(("attnmt", "stages/"))})


def name_in_code(params: Params, name: str) -> str:
    """Return what the files of digests of a model or an ensemble are called: as its first seed is."""
    one = params.models.get(name) or params.ensembles.get(name)
    return one.system_name if one else name  # a family


def write_code(params: Params, stages: Path, folder: Path) -> None:
    """Bring the files of digests of an experiment up to date, for every script in ``stages``.

    Raises:
        InputError: as :func:`code_files` does, or if a file cannot be written.
    """
    found = dict[Path, Code]()
    for script in sorted(stages.resolve().glob("*.py")):
        found |= code_files(params, script) if script.stem != SCRIPT else {}
    for path, code in found.items():
        update_text(folder / path, json_text(code))
    for path in folder.rglob("*.json"):
        if path.relative_to(folder) not in found:
            path.unlink()


@cache
def _declared(dvc_yaml: Path, script: str) -> tuple[list[str], list[str]]:
    """Return the parameters of a stage, and the loops whose entries have files of digests for it."""
    stages = YamlFile.read(dvc_yaml).values["stages"]
    done = {name: stage | stage.get("do", {}) for name, stage in stages.items()}
    groups = done.get(script, {}).get("params", ())
    own = f"code/${{experiment}}/{script}/"
    loops = [
        stage["foreach"][2:-1]
        for stage in done.values()
        if any(path.startswith(own) for path in stage.get("deps", ()))
    ]
    # DVC also takes the name of a parameter of params.yaml alone.
    named = [[group] if isinstance(group, str) else chain(*group.values()) for group in groups]
    return [name for names in named for name in names], loops


def _values(params: Params, names: Iterable[str], item: dict[str, str]) -> Code:
    """Return a digest of each parameter with its defaults: of an entry of a loop, or of no entry."""
    values = Code()
    for name in names:
        place = ITEM.sub(lambda found: item.get(found[1], ""), name)
        if (place != name) == bool(item):
            value: Any = params
            for key in place.split("."):
                inside = dict(value) if isinstance(value, BaseModel | dict) else {}
                value = inside.get(OTHER_NAMES.get(key, key))
            if value is not None:
                values[place] = digest_of_bytes(json.dumps(value, default=_given).encode())
    return values


def _given(value: object) -> Any:
    """Return a section with what is left out of files, but without what is not given.

    So a new key that need not be given changes no digest.
    """
    if isinstance(value, BaseModel):
        return {key: inside for key, inside in value if inside is not None}
    return str(value)
