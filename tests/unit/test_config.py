"""Every profile loads; every mistake is named with its place."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Project

from attnmt.config import load_params
from attnmt.errors import InputError

DEMO = ROOT / "params.yaml"
PROFILES = [DEMO, *sorted(ROOT.glob("profiles/*/params.yaml"))]
OWN = "profiles/own/params.yaml"
Write = Callable[[str, bytes], Path]


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.parent.name)
def test_profiles_load(path: Path) -> None:
    params = load_params(path, ROOT)
    assert (ROOT / params.params_file).samefile(path)
    assert (path.parent / params.root).samefile(ROOT)
    for name in params.run.models:
        assert params.recipe(name).epochs > 0


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ("clip_norm", "clipnorm", "training.clipnorm", "unknown key; did you mean 'clip_norm'?"),
        (
            "base_reverse: {reverse",
            "base_reverse: {revers",
            "models.base_reverse.revers",
            "unknown key; did you mean 'reverse'?",
        ),
        ("profile", "profle", "profle", "unknown key; did you mean 'profile'?"),
        ("  seed:", "  sed:", "corpus.sed", "unknown key; did you mean 'seed'?"),
        ("size: 64", "size: many", "training.batch_size", "Input should be a valid integer"),
        (
            "attention: global",
            "attention: globl",
            "models.global_location.attention",
            "Input should be 'none', 'global'",
        ),
        ("train: 20000", "train: -1", "corpus.sizes.train", "Input should be greater than 0"),
        ("seeds: [1]", "seeds: [1, x]", "run.seeds.1", "Input should be a valid integer"),
        ("models: [base,", "models: [bse,", "run.models.0", "no model 'bse'; did you mean 'base'?"),
        (
            "attentional: [global_location,",
            "attentional: [",
            "run.attentional",
            "those of run.models with attention are ['global_location', ",
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
            "tests: [test1, test2]",
            "tests: [test1, test1]",
            "sets.tests.1",
            "'test1' stands in this",
        ),
        ("seeds: [1]", "seeds: [1, 2, 1]", "run.seeds.2", "1 stands in this list already"),
        ("models: [base,", "models: [base, base,", "run.models.1", "'base' stands in this list"),
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
        ("evaluation:", "profile: demo\n", "profile"),
        ("  threads: 1\n", "  epochs: 9\n", "training.epochs"),
        ("init: 0.1", "size: 128, ", "model.size"),
        ("  base_reverse:", "  base: {reverse: true}\n", "models.base"),
    ],
)
def test_a_key_given_twice(write: Write, old: str, again: str, key: str) -> None:
    text = DEMO.read_text().replace(old, again + old, 1)
    path = write("params.yaml", text.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    line = line_of(text, again + old)
    assert str(error.value).startswith(f"{path}:{line}: {key}: this key stands in its section")


def test_a_key_given_twice_in_a_list(write: Write) -> None:
    text = (ROOT / "profiles/multi30k/params.yaml").read_text()
    text = text.replace("          digest:", "          url: x\n          digest:", 1)
    with pytest.raises(InputError, match=r"corpus\.files\.train\.en\.0\.url: this key stands"):
        load_params(write("params.yaml", text.encode()))


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({}, "root", "names {own}, not {root}; run in the project's folder; "),
        ({"profile": "own"}, "root", "names {own}, not {root}; "),
        ({"root": "../.."}, "params_file", "names {root}/params.yaml, not {own}/params.yaml; "),
        ({"params_file": OWN}, "params_file", "profile 'demo' lies in profiles/demo/params.yaml "),
        ({"profile": "own", "params_file": OWN}, "root", "names {own}, not {root}; "),
        ({"profile": "own", "root": "../.."}, "params_file", "names {root}/params.yaml, not "),
        ({"root": "../..", "params_file": OWN}, "params_file", "profile 'demo' lies in profiles/"),
    ],
)
def test_a_copied_profile_must_say_that_it_is_another(
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
    assert "a copied profile needs its own profile, root and params_file" in str(error.value)
    mended = {"profile": "own", "root": "../..", "params_file": OWN}
    path.write_text(yaml.safe_dump(params | mended))
    assert load_params(path).profile == "own"


def test_parameters_are_of_the_project_in_whose_folder_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"params\.yaml:\d+: root: names .*; run in the project's"):
        load_params(DEMO)


@pytest.mark.parametrize(
    ("old", "section", "key"),
    [
        ("  clip_norm: 5.0\n", "training:", "training.clip_norm"),
        ("  kind: grammar\n", "corpus:", "corpus.kind"),
        (", init: 0.1", "model: {", "model.init"),
    ],
)
def test_missing_key(write: Write, old: str, section: str, key: str) -> None:
    text = DEMO.read_text().replace(old, "", 1)
    path = write("params.yaml", text.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    assert str(error.value) == f"{path}:{line_of(text, section)}: {key}: this key is missing"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("digest:", "digst:", "corpus.files.train.en.0.digst: unknown key; did you mean 'digest'?"),
        ("sha256:d", "sha256:", "corpus.files.train.en.0.digest: String should match pattern"),
        ("  de:", "  dee:", "corpus.files.train.dee: unknown key; did you mean 'de'?"),
        ("raw/val.en.gz", "raw/train.en.gz", "two different files are named 'train.en.gz'"),
    ],
)
def test_mistakes_in_downloads(write: Write, old: str, new: str, message: str) -> None:
    text = (ROOT / "profiles/multi30k/params.yaml").read_text()
    assert old in text
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", text.replace(old, new, 1).encode()))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("{attention: global}", "models.base: score must be given with attention"),
        ("{score: dot}", "models.base: score must be given with attention"),
        ("{attention: local_p, score: location}", "models.base: score 'location' is defined"),
        ("{dropout: 1}", "models.base.dropout: Input should be less than 1"),
    ],
)
def test_systems_that_are_none(write: Write, system: str, message: str) -> None:
    text = DEMO.read_text().replace("base: {}", f"base: {system}", 1)
    with pytest.raises(InputError, match=r"params\.yaml:\d+: " + message):
        load_params(write("params.yaml", text.encode()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "params.yaml:1: the file: "),
        (b"a: [", "params.yaml: not YAML"),
        (b"\xff", "params.yaml: not YAML"),
    ],
)
def test_what_is_no_parameter_file(write: Write, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", content))
    assert message in str(error.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.yaml: cannot read the parameters: No such file"):
        load_params(tmp_path / "x.yaml")


def test_unknown_model() -> None:
    with pytest.raises(InputError, match=r"params\.yaml: no model 'bas'; did you mean 'base'\?"):
        load_params(DEMO, ROOT).system("bas")


def test_a_model_has_its_own_recipe() -> None:
    params = load_params(ROOT / "profiles/wmt14/params.yaml", ROOT)
    recipes = [params.recipe(name) for name in ("base", "base_reverse_dropout")]
    assert [(recipe.epochs, recipe.halve_after) for recipe in recipes] == [(10, 5), (12, 8)]


@pytest.mark.parametrize("stage", ["corpus", "preprocess", "lexicon"])
def test_stages_name_the_mistake(corpus: Project, stage: str) -> None:
    corpus.params["lexicon"]["iteration"] = 5
    message = corpus.fail(stage)
    assert "lexicon.iteration: unknown key; did you mean 'iterations'?" in message
    assert not (corpus.folder / "data").exists()
