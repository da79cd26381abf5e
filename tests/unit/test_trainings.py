"""Which systems and ensembles an experiment trains, and with which seeds."""

from collections.abc import Callable

import pytest
from demo_values import ROOT, demo_text

from attnmt.config import Params, load_params
from attnmt.config.systems import Systems
from attnmt.files.yaml_file import YamlFile

SYSTEMS = YamlFile.read(ROOT / "systems.yaml").into(Systems)
BEST = "local_p_general_feed"
Load = Callable[..., Params]


@pytest.fixture
def load(write) -> Load:
    """Return a function that loads the demo with other seeds and systems."""

    def load(seeds: str, systems: str = "", overrides: str = "") -> Params:
        write("systems.yaml", (ROOT / "systems.yaml").read_bytes())
        listed = f"systems: [{systems}]\n" if systems else ""
        listed += f"overrides: {{{overrides}}}\n" if overrides else ""
        text = demo_text().replace("seeds: 1\n", f"{listed}seeds: {seeds}\n")
        path = write("params.yaml", text.encode())
        return load_params(path, path.parent)

    return load


def test_without_a_list_everything_is_trained_that_is_not_on_request(load):
    params = load("1")
    assert list(params.trainings) == [n for n in SYSTEMS.systems if n not in SYSTEMS.on_request]
    assert list(params.ensembles) == [n for n in SYSTEMS.ensembles if n not in SYSTEMS.on_request]


def test_what_is_on_request_is_trained_where_it_is_named(load):
    params = load("8", f"{BEST}, gru_self_adam")
    assert {"gru_self_adam", f"{BEST}_8"} < params.trainings.keys()
    assert not params.ensembles
    params = load("9", f"{BEST}, ensemble_of_seeds")
    assert params.runs_of("ensemble_of_seeds") == ["ensemble_of_seeds"]
    assert params.ensembles["ensemble_of_seeds"].members == params.runs_of(BEST)[:8]


def test_overrides_stand_in_place_of_the_settings_of_family_and_system(load):
    before, adam = load("2", "base, gru_self, gru_self_adam"), "gru_self_adam"
    changes = f"base_reverse: {{epochs: 2}}, {adam}: {{learning_rate: 0.1}}"
    params = load("2", f"base, base_reverse, {adam}", overrides=changes)
    family = before.settings("base")
    assert params.settings("base") == family
    assert params.settings("base_reverse_2") == family.model_copy(update={"epochs": 2})
    expected = before.settings(adam).model_copy(update={"learning_rate": 0.1})
    assert params.settings(adam) == expected
    assert expected.optimizer == "adam"


def test_a_number_of_seeds_may_hold_for_all_but_some(load):
    params = load(f"{{default: 2, {BEST}: 3, base: 1}}")
    assert params.runs_of("base") == ["base"]
    assert params.runs_of(BEST) == [BEST, f"{BEST}_2", f"{BEST}_3"]
    assert params.runs_of("gru_self_2") == ["gru_self", "gru_self_2"]
    assert [params.trainings[name].seed for name in params.runs_of(f"{BEST}_3")] == [1, 2, 3]


def test_an_ensemble_has_the_seeds_that_all_its_members_have(load):
    params = load(f"{{default: 2, {BEST}: 3}}")
    assert params.runs_of("ensemble") == ["ensemble", "ensemble_2"]
    first, second = (params.ensembles[name].members for name in ("ensemble", "ensemble_2"))
    assert second == [f"{member}_2" for member in first]
    assert [params.ensembles[name].seed for name in params.runs_of("ensemble_2")] == [1, 2]
