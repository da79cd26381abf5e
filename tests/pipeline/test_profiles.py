"""Every profile is the same graph: what dvc.yaml declares holds whichever parameters fill it."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from project import ROOT

from attnmt.config import load_params
from attnmt.graph import Stage, read_stages

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:dvc")
PROFILES = ["demo", *sorted(file.parent.name for file in ROOT.glob("profiles/*/dvc.yaml"))]
DECLARED: dict[str, Any] = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]


def params_file(profile: str) -> str:
    return "params.yaml" if profile == "demo" else f"profiles/{profile}/params.yaml"


def definitions(profile: str) -> set[tuple[str, ...]]:
    """Return the stages of a profile with its own names taken out of them."""
    params = load_params(ROOT / params_file(profile), ROOT)
    return {definition(stage, profile, params.run.models) for stage in read_stages(profile, ROOT)}


def definition(stage: Stage, profile: str, models: list[str]) -> tuple[str, ...]:
    kind, _, instance = stage.name.partition("@")
    model, _, seed = instance.rpartition("-")

    def general(text: str) -> str:
        text = text.replace(params_file(profile), "<params>").replace(f"/{profile}", "/<profile>")
        if instance:
            return text.replace(instance, "<run>").replace(f"{model} {seed}", "<model> <seed>")
        for name in sorted(models, key=len, reverse=True):  # a stage that gathers names every run
            text = text.replace(name, "<model>")
        return text

    keys = [key.replace(f"models.{model}", "models.<model>") for key in stage.params]
    texts = [kind, stage.command, *stage.inputs, *stage.outputs, *keys, str(stage.resources)]
    return tuple(dict.fromkeys(map(general, texts)))


@pytest.mark.parametrize("profile", PROFILES[1:])
def test_profiles_resolve_to_the_same_stages(profile: str) -> None:
    assert definitions(profile) == definitions("demo")


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_share_one_declaration(profile: str) -> None:
    file = ROOT / Path(params_file(profile)).with_name("dvc.yaml")
    assert file.resolve() == (ROOT / "dvc.yaml").resolve()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_says_truly_where_it_lies(profile: str) -> None:
    file = ROOT / params_file(profile)
    params = load_params(file, ROOT)
    assert params.profile == profile
    assert params.params_file == params_file(profile)
    assert (file.parent / params.root).resolve() == ROOT


@pytest.mark.parametrize("profile", PROFILES)
def test_every_parameter_that_a_stage_names_exists(profile: str) -> None:
    for stage in read_stages(profile, ROOT):
        (names,) = DECLARED[stage.name.partition("@")[0]]["params"][0].values()
        assert len(stage.params) == len(names), f"{stage.name} names {names}"


@pytest.mark.parametrize("name", DECLARED)
def test_every_stage_is_described_and_says_what_it_needs(name: str) -> None:
    stage = DECLARED[name]
    assert stage["desc"]
    assert stage["meta"]["resources"].keys() >= {"mem_mb", "runtime"}


@pytest.mark.parametrize("name", DECLARED)
def test_every_stage_has_its_file_and_depends_on_it(name: str) -> None:
    assert DECLARED[name]["deps"][0] == f"stages/{name}.py"
    assert DECLARED[name]["cmd"].startswith(f"python stages/{name}.py ${{params_file}}")


def test_only_tables_are_kept_in_git() -> None:
    for stage in read_stages("demo", ROOT):
        roots = {Path(output).parts[0] for output in stage.outputs}
        assert ("reports" in roots) == (stage.name == "tables")
