"""Every experiment loads; every mistake is named with its place."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from small_project import ROOT, Project

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.yaml_file import YamlFile

DEMO = ROOT / "params.yaml"
EXPERIMENTS = [DEMO, *sorted(ROOT.glob("experiments/*/params.yaml"))]
OWN = "experiments/own/params.yaml"
Write = Callable[[str, bytes], Path]


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)
def test_experiments_load(path: Path) -> None:
    params = load_params(path, ROOT)
    assert (ROOT / params.params_file).samefile(path)
    assert (path.parent / params.root).samefile(ROOT)
    for name in params.models:
        assert params.recipe(name).epochs > 0
    for name, ensemble in params.ensembles.items():
        assert params.translators(name) is ensemble


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        (
            "clip_norm",
            "clipnorm",
            "families.luong.training.clipnorm",
            "unknown key; did you mean 'clip_norm'?",
        ),
        (
            "threshold:",
            "treshold:",
            "families.luong_bpe.encoding.pieces.treshold",
            "unknown key; did you mean 'threshold'?",
        ),
        (
            "base_reverse: {family: luong, reverse",
            "base_reverse: {family: luong, revers",
            "models.base_reverse.revers",
            "unknown key; did you mean 'reverse'?",
        ),
        ("experiment", "experment", "experment", "unknown key; did you mean 'experiment'?"),
        ("  seed:", "  sed:", "corpus.sed", "unknown key; did you mean 'seed'?"),
        (
            "batch_size: 64",
            "batch_size: many",
            "families.luong.training.batch_size",
            "Input should be a valid integer",
        ),
        (
            "attention: global",
            "attention: globl",
            "models.global_location.attention",
            "no attention 'globl'; did you mean 'global'?",
        ),
        ("train: 20000", "train: -1", "corpus.sizes.train", "Input should be greater than 0"),
        (
            "{family: luong}",
            "{family: lung}",
            "models.base.family",
            "no family 'lung'; did you mean 'luong'?",
        ),
        ("{family: luong}", "{}", "models.base.family", "this key is missing"),
        (
            "gru_self: {family: course, attention: global, score: self",
            "gru_self: {family: course, attention: global, score: self, input_feeding: true",
            "models.gru_self.input_feeding",
            "the context enters a gru's cell, so there is nothing to feed",
        ),
        (
            "gru_self: {family: course, attention: global, score: self",
            "gru_self: {family: course",
            "models.gru_self",
            "a gru family needs attention",
        ),
        ("  ensemble:\n", "  base:\n", "ensembles.base", "a model has this name; choose another"),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, global_dott_feed",
            "ensembles.ensemble.members.1",
            "no model 'global_dott_feed'; did you mean 'global_dot_feed'?",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, global_location_feed",
            "ensembles.ensemble.members.1",
            "'global_location_feed' stands in this list already",
        ),
        (
            "members: [global_location_feed,",
            "members: [",
            "ensembles.ensemble.members",
            "List should have at least 8 items",
        ),
        (
            "members: [global_location_feed,",
            "members: [global_location_feed, base,",
            "ensembles.ensemble.members",
            "List should have at most 8 items",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, gru_self",
            "ensembles.ensemble.members.1",
            "'gru_self' is of family 'course'",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, de_en_global_dot_feed",
            "ensembles.ensemble.members.1",
            "'de_en_global_dot_feed' differs from the first member in direction",
        ),
        ("aligned: test1", "aligned: train", "sets.aligned", "'train' is the training set"),
        (
            "  base_reverse: {family: luong, reverse: true}",
            "  base_2: {family: luong}",
            "models.base_2",
            "differs from 'base' in nothing; give it another seed",
        ),
        (
            "  base_reverse: {family: luong, reverse: true}",
            "  aligner: {family: luong, seed: 2}",
            "models.aligner",
            "tables give this name to links that no model makes; rename the model",
        ),
        (
            "  base_reverse: {family: luong, reverse: true}",
            "  diagonal: {family: luong, seed: 2}",
            "models.diagonal",
            "tables give this name to links that no model makes; rename the model",
        ),
        ("n_best: 1", "n_best: 21", "decoding.n_best", "only 20 translations finish"),
        (
            "    family: luong\n    members",
            "    family: luon\n    members",
            "ensembles.ensemble.family",
            "no family 'luon'; did you mean 'luong'?",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, base",
            "ensembles.ensemble.members.1",
            "'base' differs from the first member in reverse",
        ),
        ("{train: train", "{train: trian", "sets", "the corpus has no set 'trian'; did you mean"),
        ("dev: dev", "dev: train", "sets.dev", "'train' is the training set"),
        (
            "tests: [test1, test2]",
            "tests: [test1, train]",
            "sets.tests.1",
            "'train' is the training set",
        ),
        ("tests: [test1, test2]", "tests: [dev]", "sets.tests.0", "'dev' is the dev set"),
        (
            "max_length: 50",
            "max_length: 50, tokenised: [gold]",
            "tokenise.tokenised.0",
            "no set 'gold'",
        ),
        (
            "max_length: 50",
            "max_length: 50, tokenised: [dev, test1]",
            "tokenise.tokenised.1",
            "'test1' is a test set, which is scored",
        ),
        (
            "max_length: 50",
            "max_length: 50, tokenised: [dev, dev]",
            "tokenise.tokenised.1",
            "'dev' stands",
        ),
        (
            "tests: [test1, test2]",
            "tests: [test1, test1]",
            "sets.tests.1",
            "'test1' stands in this",
        ),
        (
            "{train: train, dev: dev",
            "{train: dev, dev: train",
            "sets.train",
            "the training set of a grammar is named 'train'",
        ),
    ],
)
def test_mistakes(write: Write, old: str, new: str, key: str, message: str) -> None:
    text = DEMO.read_text()
    assert old in text
    broken = text.replace(old, new, 1)
    path = write("params.yaml", broken.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    assert f"{path}:{line_of(broken, new)}: {key}: {message}" in str(error.value)


@pytest.mark.parametrize(
    ("old", "again", "key"),
    [
        ("evaluation:", "experiment: demo\n", "experiment"),
        ("      halve_after: 3\n", "      epochs: 9\n", "families.luong.training.epochs"),
        ("init: 0.1", "size: 128, ", "families.luong.shape.size"),
        ("  base_reverse:", "  base: {reverse: true}\n", "models.base"),
        ("attention: global, score: self}", "score: dot, ", "models.gru_self.score"),
    ],
)
def test_a_key_given_twice(write: Write, old: str, again: str, key: str) -> None:
    text = DEMO.read_text().replace(old, again + old, 1)
    path = write("params.yaml", text.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    place = f"{path}:{line_of(text, again + old)}: {key}"
    # once, though other families have the recipe by its alias
    assert str(error.value) == f"{place}: this key stands in its section already; give it once"


def test_a_key_given_twice_in_a_list(write: Write) -> None:
    text = (ROOT / "experiments/multi30k/params.yaml").read_text()
    text = text.replace("          digest:", "          url: x\n          digest:", 1)
    with pytest.raises(InputError, match=r"corpus\.files\.train\.en\.0\.url: this key stands"):
        load_params(write("params.yaml", text.encode()))


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({}, "root", "names {own}, not {root}; run in the project's folder; "),
        ({"experiment": "own"}, "root", "names {own}, not {root}; "),
        ({"root": "../.."}, "params_file", "names {root}/params.yaml, not {own}/params.yaml; "),
        (
            {"params_file": OWN},
            "params_file",
            "experiment 'demo' lies in experiments/demo/params.yaml ",
        ),
        ({"experiment": "own", "params_file": OWN}, "root", "names {own}, not {root}; "),
        ({"experiment": "own", "root": "../.."}, "params_file", "names {root}/params.yaml, not "),
        (
            {"root": "../..", "params_file": OWN},
            "params_file",
            "experiment 'demo' lies in experiments/",
        ),
    ],
)
def test_a_copied_experiment_must_say_that_it_is_another(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    key: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / OWN
    path.parent.mkdir(parents=True)
    params = yaml.safe_load(DEMO.read_text())
    path.write_text(yaml.safe_dump(params | changes))
    with pytest.raises(InputError) as error:
        load_params(path)
    line = line_of(path.read_text(), f"\n{key}:") + 1
    place = message.format(root=tmp_path, own=path.parent)
    assert str(error.value).startswith(f"{path}:{line}: {key}: {place}")
    assert "a copied experiment needs its own experiment, root and params_file" in str(error.value)
    mended = {"experiment": "own", "root": "../..", "params_file": OWN}
    path.write_text(yaml.safe_dump(params | mended))
    assert load_params(path).experiment == "own"


def test_parameters_are_of_the_project_in_whose_folder_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"params\.yaml:\d+: root: names .*; run in the project's"):
        load_params(DEMO)


@pytest.mark.parametrize(
    ("old", "section", "key"),
    [
        ("      clip_norm: 5.0\n", "    training:", "families.luong.training.clip_norm"),
        ("  kind: grammar\n", "corpus:", "corpus.kind"),
        (", init: 0.1", "    shape:", "families.luong.shape.init"),
        ("vocabulary: 1000", "    encoding:", "families.luong.encoding.vocabulary"),
    ],
)
def test_missing_key(write: Write, old: str, section: str, key: str) -> None:
    text = DEMO.read_text().replace(old, "", 1)
    path = write("params.yaml", text.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    place = f"{path}:{line_of(text, section)}: {key}"
    assert str(error.value).splitlines()[0] == f"{place}: this key is missing"


@pytest.mark.parametrize("merge", ["<<: *shared", "<<: [{layers: 2}, *shared]", "<<: *again"])
def test_a_merged_key_is_named_where_it_is_written(write: Write, merge: str) -> None:
    text = f"""
shared: &shared
  size: many
again: &again {{<<: *shared}}
model:
  {merge}
  layers: 2
"""
    file = YamlFile.read(write("x.yaml", text.encode()))
    assert file.values["model"] == {"size": "many", "layers": 2}
    assert file.line(["model", "size"]) == 3
    assert file.line(["model", "layers"]) == 7  # its own comes before a merged one
    assert file.line(["model", "width"]) == 5


def test_the_first_of_merged_sections_counts(write: Write) -> None:
    text = "a: &a\n  k: 1\nb: &b\n  k: 2\nc:\n  <<: [*b, *a]\n"
    file = YamlFile.read(write("x.yaml", text.encode()))
    assert file.values["c"] == {"k": 2}
    assert file.line(["c", "k"]) == 4


def test_every_model_with_a_merged_fault_is_named(write: Write) -> None:
    text = DEMO.read_text()
    text = text.replace("  base: {family: luong}", "  base: &base {family: luong, dropout: 2}")
    text = text.replace("  base_reverse: {family: luong, ", "  base_reverse: {<<: *base, ")
    path = write("params.yaml", text.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    place = f"{path}:{line_of(text, 'dropout: 2}')}"
    for name in ("base", "base_reverse"):
        assert f"{place}: models.{name}.dropout: Input should be less than 1" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("digest:", "digst:", "corpus.files.train.en.0.digst: unknown key; did you mean 'digest'?"),
        ("sha256:d", "sha256:", "corpus.files.train.en.0.digest: String should match pattern"),
        ("  de:", "  dee:", "corpus.files.train.dee: unknown key; did you mean 'de'?"),
        ("raw/val.en.gz", "raw/train.en.gz", "two different files are named 'train.en.gz'"),
        ("raw/val.en.gz", "raw/val.de.gz", "one text is both sides: val.de.gz"),
        (
            "train.en.gz\n",
            "train.en.gz\n          encoding: cp1252\n",
            "train.en.gz is compressed;",
        ),
    ],
)
def test_mistakes_in_downloads(write: Write, old: str, new: str, message: str) -> None:
    text = (ROOT / "experiments/multi30k/params.yaml").read_text()
    assert old in text
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", text.replace(old, new, 1).encode()))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("attention: global", "models.base: score must be given with attention"),
        ("score: dot", "models.base: score must be given with attention"),
        ("attention: local_p, score: location", "models.base: score 'location' is defined"),
        ("faults: [general_gradient]", "models.base: fault 'general_gradient' is one of"),
        ("faults: [unmasked_padding]", "models.base: fault 'unmasked_padding' is one of"),
        ("dropout: 1", "models.base.dropout: Input should be less than 1"),
        ("seed: -1", "models.base.seed: Input should be greater than or equal to 0"),
        ("direction: en-fr", "models.base.direction: Input should be 'en-de' or 'de-en'"),
    ],
)
def test_systems_that_are_none(write: Write, system: str, message: str) -> None:
    text = DEMO.read_text().replace("{family: luong}", f"{{family: luong, {system}}}", 1)
    with pytest.raises(InputError, match=r"params\.yaml:\d+: " + message):
        load_params(write("params.yaml", text.encode()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "params.yaml:1: the file: "),
        (b"a: [", "params.yaml: not YAML"),
        (b"\xff", "params.yaml: not YAML"),
        (b"[" * 5000, "params.yaml: not YAML that can be read: nested too deeply"),
        (b"a: 2001-99-99", "params.yaml: not YAML"),
        (b"a: &a {b: 1, <<: *a}", "params.yaml:1: a: unknown key"),
    ],
)
def test_what_is_no_parameter_file(write: Write, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", content))
    assert message in str(error.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.yaml: cannot read the parameters: No such file"):
        load_params(tmp_path / "x.yaml")


def test_model() -> None:
    model = load_params(DEMO, ROOT).model("de_en_global_dot_feed")
    assert (model.family, model.attention, model.score) == ("luong", "global", "dot")
    assert (model.source, model.target) == ("de", "en")
    assert (model.reverse, model.input_feeding, model.dropout, model.seed) == (True, True, 0.2, 1)
    assert model.system.score == "dot"
    assert "family" not in model.system.model_dump()


@pytest.mark.parametrize("method", ["model", "recipe", "translators", "seeds_of"])
def test_unknown_model(method: str) -> None:
    params = load_params(DEMO, ROOT)
    message = r"params\.yaml: no model( or ensemble)? 'bas'; did you mean 'base'\?"
    with pytest.raises(InputError, match=message):
        getattr(params, method)("bas")


def test_a_model_has_its_own_recipe() -> None:
    params = load_params(ROOT / "experiments/wmt14/params.yaml", ROOT)
    names = ("base", "base_reverse_dropout", "gru_additive")
    recipes = [params.recipe(name) for name in names]
    expected = [(10, 5), (12, 8), (5, 5)]
    assert [(recipe.epochs, recipe.halve_after) for recipe in recipes] == expected
    assert {recipe.batch_size for recipe in recipes} == {128}


def test_what_translates_under_a_name() -> None:
    params = load_params(DEMO, ROOT)
    members = params.translators("ensemble").members
    assert len(set(members)) == 8
    assert members[0] == "global_location_feed"
    alone = params.translators("gru_self")
    assert (alone.members, alone.family, alone.average) == (["gru_self"], "course", "logits")
    with pytest.raises(InputError, match="no model or ensemble 'ensembl'; did you mean 'ensemble'"):
        params.translators("ensembl")


def test_models_that_differ_in_the_seed_alone(corpus: Project) -> None:
    models = corpus.params["models"]
    models["base_2"] = models["base"] | {"seed": 2}
    models["base_longer"] = models["base"] | {"seed": 3, "epochs": 9}
    path = corpus.folder / "params.yaml"
    path.write_text(yaml.safe_dump(corpus.params, sort_keys=False))
    params = load_params(path, corpus.folder)
    assert params.seeds_of("base") == params.seeds_of("base_2") == ["base", "base_2"]
    assert params.seeds_of("base_reverse") == ["base_reverse"]


@pytest.mark.parametrize(
    "command", [["corpus"], ["tokenise"], ["encode", "luong"]], ids=lambda command: command[0]
)
def test_stages_name_the_mistake(corpus: Project, command: list[str]) -> None:
    corpus.params["lexicon"]["min_counts"] = 5
    message = corpus.fail(*command)
    assert "lexicon.min_counts: unknown key; did you mean 'min_count'?" in message
    assert not (corpus.folder / "data").exists()
