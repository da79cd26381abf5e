"""Which systems and ensembles an experiment trains, and with which seeds."""

from collections.abc import Callable

import pytest
import yaml
from demo_values import ROOT, demo_text
from dvc.utils.cli_parse import to_path_overrides
from dvc.utils.hydra import apply_overrides

from attnmt.config import Params, load_params
from attnmt.config.claims import project_claims
from attnmt.config.generated import models_yaml
from attnmt.config.systems import Systems
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile

STUDY, WMT14 = (ROOT / f"experiments/{name}/params.yaml" for name in ("study", "wmt14"))
SYSTEMS = YamlFile.read(ROOT / "systems.yaml").into(Systems)
BEST = "local_p_general_feed"
LAST = "local_p_additive_feed]\n"  # the end of an ensemble's members
Load = Callable[..., Params]


@pytest.fixture
def load(write) -> Load:
    """Return a function that loads the demo with other seeds and systems."""

    def load(
        seeds: str, systems: str = "", replaced: tuple[str, str] = ("", ""), recipes: str = ""
    ) -> Params:
        text = (ROOT / "systems.yaml").read_text()
        assert replaced[0] in text
        write("systems.yaml", text.replace(*replaced, 1).encode())
        listed = f"systems: [{systems}]\n" if systems else ""
        listed += f"recipes: {{{recipes}}}\n" if recipes else ""
        text = demo_text().replace("seeds: 1\n", f"{listed}seeds: {seeds}\n")
        path = write("params.yaml", text.encode())
        return load_params(path, path.parent)

    return load


def test_without_a_list_everything_is_trained_that_is_not_on_request(load):
    params = load("1")
    assert list(params.models) == [n for n in SYSTEMS.systems if n not in SYSTEMS.on_request]
    assert list(params.ensembles) == [n for n in SYSTEMS.ensembles if n not in SYSTEMS.on_request]


def test_what_is_on_request_is_trained_where_it_is_named(load):
    members = ", ".join(SYSTEMS.ensembles["ensemble"].members)
    params = load("1", f"{members}, global_dot, ensemble_probabilities")
    assert "global_dot" in params.models
    assert list(params.ensembles) == ["ensemble", "ensemble_probabilities"]
    both = params.ensembles.values()
    assert [ensemble.average for ensemble in both] == ["logits", "probabilities"]
    assert len({tuple(ensemble.members) for ensemble in both}) == 1
    assert list(load("1", members).ensembles) == ["ensemble"]


def test_a_number_of_seeds_may_hold_for_all_but_some(load):
    params = load(f"{{default: 2, {BEST}: 3, base: 1}}")
    assert params.seeds_of("base") == ["base"]
    assert params.seeds_of(BEST) == [BEST, f"{BEST}_2", f"{BEST}_3"]
    assert params.seeds_of("gru_self") == params.runs_of("gru_self") == ["gru_self", "gru_self_2"]
    assert params.system_of("gru_self_2") == "gru_self"
    assert [params.models[name].seed for name in params.seeds_of(f"{BEST}_3")] == [1, 2, 3]


def test_an_ensemble_has_the_seeds_that_all_its_members_have(load):
    params = load(f"{{default: 2, {BEST}: 3}}")
    assert params.runs_of("ensemble") == ["ensemble", "ensemble_2"]
    first, second = (params.ensembles[name].members for name in ("ensemble", "ensemble_2"))
    assert second == [f"{member}_2" for member in first]
    assert [params.ensembles[name].seed for name in params.runs_of("ensemble_2")] == [1, 2]
    written = yaml.safe_load(models_yaml(params))["ensembles"]["ensemble_2"]
    assert written["ensemble"] == "ensemble"  # its name in systems.yaml
    assert written["members"][: len(second)] == second
    assert load(f"{{default: 2, {BEST}: 1}}").runs_of("ensemble") == ["ensemble"]


SLOW = "slow: {base: {learning_rate: 0.5}, gru_self: {}, gru_additive: {optimizer: adam}}"


def test_a_system_is_trained_by_each_recipe_that_changes_something(load):
    params = load("{default: 2, base_slow: 3}", recipes=SLOW)
    assert params.seeds_of("base") == ["base", "base_2"]
    assert params.seeds_of("base_slow_2") == ["base_slow", "base_slow_2", "base_slow_3"]
    assert params.system_of("base_slow_2") == "base_slow"
    rates = [params.recipe(name).learning_rate for name in ("base", "base_slow")]
    assert rates == [1.0, 0.5]
    assert params.models["base"].system == params.models["base_slow"].system
    assert params.recipe("gru_additive_slow").optimizer == "adam"
    names = ["base", "gru_self", "gru_multiplicative", "ensemble"]
    under_slow = [params.system_under("slow", name) for name in names]
    assert under_slow == ["base_slow", "gru_self", None, None]
    assert "gru_self_slow" not in params.models  # {} changes nothing
    written = yaml.safe_load(models_yaml(params))["models"]
    slow = {"name": "slow", "learning_rate": 0.5}
    assert written["base_slow_2"] == written["base_2"] | {"recipe": slow, "code": "base_slow"}


def test_the_recipe_family_changes_the_familys_own_and_trains_nothing_beside_it(load):
    members = SYSTEMS.ensembles["ensemble"].members
    changed = ", ".join(f"{name}: {{learning_rate: 0.5, epochs: 5}}" for name in members)
    own, slow = {"learning_rate": 0.5, "epochs": 5}, {"optimizer": "adam", "learning_rate": 0.01}
    adam = f"adam: {{{BEST}: {{optimizer: adam, learning_rate: 0.01}}, base: {{}}}}"
    plain, params = load("2"), load("2", recipes=f"family: {{{changed}}}, {adam}")
    assert [*params.models] == [*plain.models, f"{BEST}_adam", f"{BEST}_adam_2"]
    assert [*params.ensembles] == [*plain.ensembles]
    for name in plain.models:
        rate, epochs = (0.5, 5) if params.models[name].entry in members else (1.0, 4)
        assert params.models[name].recipe is None
        assert (params.recipe(name).learning_rate, params.recipe(name).epochs) == (rate, epochs)
    other = params.recipe(f"{BEST}_adam_2")  # what another recipe leaves out is as in the family's
    assert (other.optimizer, other.learning_rate, other.epochs) == ("adam", 0.01, 5)
    assert params.system_under("adam", "base") == "base"
    assert {params.system_under("family", name) for name in ("base", BEST, "ensemble")} == {None}
    before, written = (yaml.safe_load(models_yaml(one))["models"] for one in (plain, params))
    assert written[f"{BEST}_2"] == before[f"{BEST}_2"] | {"recipe": {"name": "family", **own}}
    assert written[f"{BEST}_adam"]["recipe"] == {"name": "adam", **own, **slow}
    assert written["base_2"] == before["base_2"]


def test_an_ensemble_has_a_recipe_that_all_its_members_have(load):
    members = SYSTEMS.ensembles["ensemble"].members
    entries = dict.fromkeys(members, "{}") | {BEST: "{learning_rate: 0.5}"}
    text = ", ".join(f"{name}: {own}" for name, own in entries.items())
    params = load("2", ", ".join(members), recipes=f"slow: {{{text}}}")
    assert params.runs_of("ensemble") == ["ensemble", "ensemble_2"]
    assert params.runs_of("ensemble_slow") == ["ensemble_slow", "ensemble_slow_2"]
    assert params.system_under("slow", "ensemble") == "ensemble_slow"
    slow = params.ensembles["ensemble_slow_2"].members
    assert [f"{name}_2" for name in members if name != BEST] == [n for n in slow if "slow" not in n]
    assert f"{BEST}_slow_2" in slow
    same = load(
        "1", ", ".join(members), recipes=f"slow: {{{text.replace('learning_rate: 0.5', '')}}}"
    )
    assert list(same.ensembles) == ["ensemble"]
    assert same.system_under("slow", "ensemble") == "ensemble"


@pytest.mark.parametrize("key", ["window_D=5", "numbers.local_p.sigma=3.33", "patience=2"])
def test_dvc_gives_one_system_what_it_did_not_have(load, tmp_path, key):
    """As ``dvc exp run -S`` does; a + before the key says that it is new."""
    before = load("1")
    option = f"{tmp_path}/systems.yaml:+systems.{BEST}.{key}"
    ((path, overrides),) = to_path_overrides([option]).items()
    apply_overrides(path, overrides)
    after = load_params(tmp_path / "params.yaml", tmp_path)
    assert [name for name in after.models if after.models[name] != before.models[name]] == [BEST]
    name, _, value = key.partition("=")
    changed = after.models[BEST].model_dump()
    for part in name.split("."):
        changed = changed[part]
    assert str(changed) == value


def test_what_only_seems_to_have_another_recipe_has_none(load):
    """A system with the name of a training, and an ensemble on request."""
    params = load(
        "1", "base, base_reverse, base_reverse_dropout", recipes="dropout: {base: {epochs: 5}}"
    )
    assert params.system_under("dropout", "base") == "base_dropout"
    assert params.system_under("dropout", "base_reverse") is None
    members = ", ".join(SYSTEMS.ensembles["ensemble_probabilities"].members)
    own = ", ".join(f"{name}: {{learning_rate: 0.5}}" for name in members.split(", "))
    params = load("1", f"{members}, ensemble_probabilities", recipes=f"slow: {{{own}}}")
    assert params.system_under("slow", "ensemble") == "ensemble_slow"
    assert params.system_under("slow", "ensemble_probabilities") is None


def test_an_ensemble_of_trainings_is_one(load):
    params = load("9", f"{BEST}, ensemble_of_seeds")
    assert params.runs_of("ensemble_of_seeds") == ["ensemble_of_seeds"]
    members = params.ensembles["ensemble_of_seeds"].members
    assert members == params.seeds_of(BEST)[:8]


def test_a_seed_of_an_ensemble_may_not_take_the_name_of_another(load):
    another = f"{LAST}  ensemble_2: {{family: luong, members: [base, gru_self]}}\n"
    another = another.replace("gru_self", "base_3")
    with pytest.raises(InputError, match="seeds: 'ensemble_2' would be seed 2 of 'ensemble', but"):
        load("3", replaced=(LAST, another))


ON_CAPTIONS = [  # where attention does not align by itself
    "global_general_feed_both",
    "local_p_general_feed_both",
    "local_p_general_feed_narrow",
    "local_p_general_feed_wide",
    "local_p_general_feed_large",
]


def test_the_study_trains_what_every_claim_and_every_question_needs():
    study = load_params(STUDY, ROOT)
    for key, claim in project_claims(ROOT).claims.items():
        for name in [*claim.systems, *(claim.over or ())]:
            assert len(study.runs_of(name)) == 10, f"{key}: {name}"
    names = ("ablations", "ablations_back")
    rows = [row for name in names for row in study.tables[name].rows.values()]
    missing = {row.system for row in rows if not study.runs_of(row.system)}
    assert missing == {"base_reverse_dropout_short", *ON_CAPTIONS}


def test_dropout_can_be_trained_with_the_schedule_of_the_others():
    """Where they have the same schedule already, the short system would train longer."""
    wmt14, study = (load_params(path, ROOT) for path in (WMT14, STUDY))
    assert wmt14.recipe("base_reverse_dropout_short") == wmt14.recipe("base_reverse")
    assert wmt14.recipe("base_reverse_dropout") != wmt14.recipe("base_reverse")
    assert study.recipe("base_reverse_dropout") == study.recipe("base_reverse")
