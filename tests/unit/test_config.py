"""Every experiment loads, and every mistake is named with its place."""

from collections.abc import Callable
from pathlib import Path

import pytest
from demo_values import demo_text
from small_project import ROOT, Project

from attnmt.config import load_params
from attnmt.config.generated import SCHEMAS, SLOTS, models_yaml, schema
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile

DEMO, SYSTEMS, CLAIMS = (ROOT / f"{name}.yaml" for name in ("params", "systems", "claims"))
EXPERIMENTS = [DEMO, *sorted(ROOT.glob("experiments/*/params.yaml"))]
MULTI30K = ROOT / "experiments/multi30k/params.yaml"
VAL = MULTI30K.read_text().partition("    val:\n")[2].partition("    test_2016")[0]
OWN = "experiments/own/params.yaml"
Write = Callable[[str, bytes], Path]


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)
def test_every_experiment_loads(path: Path) -> None:
    params = load_params(path, ROOT)
    assert (ROOT / params.params_file).samefile(path)
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
        ("experiment:", "experment:", "experment", "unknown key; did you mean 'experiment'?"),
        ("  text:", "  txt:", "corpus.txt", "unknown key; did you mean 'text'?"),
        (
            "batch_size: 24",
            "batch_size: many",
            "families.luong.training.batch_size",
            "Input should be a valid integer",
        ),
        ("aligned: [test1]", "aligned: [train]", "sets.aligned.0", "'train' is the training set"),
        ("aligned: [test1]", "aligned: []", "sets.aligned", "List should have at least 1 item"),
        ("aligned: [test1]", "aligned: test1", "sets.aligned", "Input should be a valid list"),
        (
            "aligned: [test1]",
            "aligned: [test1, test1]",
            "sets.aligned.1",
            "'test1' is in this list already; name it once",
        ),
        (
            "target: {code: de,",
            "target: {code: en,",
            "languages.target.code",
            "'en' is the source, too; give the two sides different codes",
        ),
        (
            "target: {code: de,",
            "target: {code: links,",
            "languages.target.code",
            "files with the suffix 'links' hold gold links; choose another code",
        ),
        (
            "target: {code: de,",
            "target: {code: no,",
            "languages.target.code",
            "Input should be a valid string (found False); in YAML yes, no, on and off mean true "
            "and false: put the word into quotes",
        ),
        (
            "target: {code: de,",
            "target: {code: de.at,",
            "languages.target.code",
            "String should match pattern",
        ),
        (
            "name: German, tokenize: moses",
            "name: German, tokenize: mosses",
            "languages.target.tokenize",
            "Input should be 'moses', 'plain', 'characters' or 'none'",
        ),
        (
            "target: {code: de, name: German,",
            "target: {code: de,",
            "languages.target.name",
            "this key is missing",
        ),
        (
            "name: German, ",
            'name: "", ',
            "languages.target.name",
            "String should have at least 1 character",
        ),
        ("n_best: 1", "n_best: 21", "decoding.n_best", "only 20 translations finish"),
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
            "max_length: 50, tokenized: [gold]",
            "tokenize.tokenized.0",
            "'gold' is not in sets",
        ),
        (
            "max_length: 50",
            "max_length: 50, tokenized: [dev, test1]",
            "tokenize.tokenized.1",
            "'test1' is a test set, which is scored",
        ),
        (
            "max_length: 50",
            "max_length: 50, tokenized: [dev, dev]",
            "tokenize.tokenized.1",
            "'dev' is in",
        ),
        (
            "tests: [test1, test2]",
            "tests: [test1, test1]",
            "sets.tests.1",
            "'test1' is in this",
        ),
        ("seeds: 1", "seeds: 0", "seeds", "Input should be greater than 0"),
        ("seeds: 1", "seeds: {base: many}", "seeds.base", "Input should be a valid integer"),
        (
            "seeds: 1",
            "seeds: {bas: 2}",
            "seeds.bas",
            "no system 'bas' is trained; did you mean 'base'?",
        ),
        ("seeds: 1", "systems: [base, revers]", "systems.1", "systems.yaml has no system 'revers'"),
    ],
)
def test_mistakes_in_the_parameters_are_named(
    write: Write, old: str, new: str, key: str, message: str
) -> None:
    refuses(write, "params.yaml", old, new, f"{key}: {message}")


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        (
            "base_reverse: {family: luong, reverse",
            "base_reverse: {family: luong, revers",
            "systems.base_reverse.revers",
            "unknown key; did you mean 'reverse'?",
        ),
        (
            "  global_location: {family: luong, reverse: true, dropout: 0.2, attention: global",
            "  global_location: {family: luong, reverse: true, dropout: 0.2, attention: globl",
            "systems.global_location.attention",
            "no attention 'globl'; did you mean 'global'?",
        ),
        (
            "{family: luong}",
            "{family: lung}",
            "systems.base.family",
            "experiment demo has no family 'lung'; did you mean 'luong'?",
        ),
        ("{family: luong}", "{}", "systems.base.family", "this key is missing"),
        (
            "gru_self: {family: course, attention: global, score: self",
            "gru_self: {family: course, attention: global, score: self, input_feeding: true",
            "systems.gru_self.input_feeding",
            "the context enters a gru's cell, so there is nothing to feed",
        ),
        (
            "gru_self: {family: course, attention: global, score: self",
            "gru_self: {family: course",
            "systems.gru_self",
            "a gru family needs attention",
        ),
        ("  ensemble:\n", "  base:\n", "ensembles.base", "a system has this name; choose another"),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, global_dott_feed",
            "ensembles.ensemble.members.1",
            "no system 'global_dott_feed'; did you mean 'global_dot_feed'?",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, global_location_feed",
            "ensembles.ensemble.members.1",
            "'global_location_feed' is in this list already",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, gru_self",
            "ensembles.ensemble.members.1",
            "'gru_self' is of family 'course'",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, back_global_dot_feed",
            "ensembles.ensemble.members.1",
            "'back_global_dot_feed' differs from the first member in direction",
        ),
        (
            "  base_reverse: {family: luong, reverse: true}",
            "  twin: {family: luong}",
            "systems.twin",
            "is the same as 'base'; for another seed, set seeds",
        ),
        (
            "  base_reverse: {family: luong, reverse: true}",
            "  aligner: {family: luong}",
            "systems.aligner",
            "tables give this name to links that no model makes; rename the system",
        ),
        (
            "  base_reverse: {family: luong, reverse: true}",
            "  diagonal: {family: luong}",
            "systems.diagonal",
            "tables give this name to links that no model makes; rename the system",
        ),
        (
            "members: [global_location_feed, global_dot_feed",
            "members: [global_location_feed, base",
            "ensembles.ensemble.members.1",
            "'base' differs from the first member in reverse",
        ),
        (
            "{label: Base, ",
            "{lable: Base, ",
            "tables.table1.base.lable",
            "unknown key; did you mean 'label'?",
        ),
        (
            "system: base_reverse,",
            "system: base_revers,",
            "tables.table1.reverse.system",
            "no system or ensemble 'base_revers'; did you mean 'base_reverse'?",
        ),
        (
            "system: base_reverse, over: base}",
            "system: base_reverse, over: bas}",
            "tables.table1.reverse.over",
            "table1 has no other row 'bas'; did you mean 'base'?",
        ),
        (
            "system: base_reverse, over: base}",
            "system: base_reverse, over: reverse}",
            "tables.table1.reverse.over",
            "table1 has no other row 'reverse'",
        ),
        (
            "{label: global (dot), ",
            "{label: global (dot), over: global_location, ",
            "tables.table4.global_dot.over",
            "here the gain counts from the same row",
        ),
        (
            "{label: Base, ",
            '{label: "Base {size}", ',
            "tables.table1.base.label",
            "only an ensemble has a {size}",
        ),
        (
            "{label: Base, ",
            '{label: "Base {n}", ',
            "tables.table1.base.label",
            "only {size} may stand in braces",
        ),
    ],
)
def test_mistakes_in_the_systems_are_named(
    write: Write, old: str, new: str, key: str, message: str
) -> None:
    refuses(write, "systems.yaml", old, new, f"{key}: {message}")


def refuses(write: Write, name: str, old: str, new: str, message: str) -> None:
    """Check that a file of the demo with something replaced is refused, and its line named."""
    text = demo_text() if name == "params.yaml" else (ROOT / name).read_text()
    assert old in text
    broken = text.replace(old, new, 1)
    path = written(write, **{name.partition(".")[0]: broken})
    with pytest.raises(InputError) as error:
        load_params(path, path.parent)
    place = f"{path.with_name(name)}:{line_of(broken, new)}"
    assert f"{place}: {message}" in str(error.value)


def written(write: Write, params: str | None = None, systems: str | None = None) -> Path:
    """Write both files, the demo's unless given; return the path of the parameters."""
    write("systems.yaml", (SYSTEMS.read_text() if systems is None else systems).encode())
    return write("params.yaml", (demo_text() if params is None else params).encode())


@pytest.mark.parametrize(
    ("old", "again", "key"),
    [
        ("evaluation:", "experiment: demo\n", "experiment"),
        ("      halve_after: 2\n", "      epochs: 9\n", "families.luong.training.epochs"),
        ("init: 0.1", "size: 128, ", "families.luong.shape.size"),
    ],
)
def test_a_key_given_twice_is_refused(write: Write, old: str, again: str, key: str) -> None:
    text = demo_text().replace(old, again + old, 1)
    path = write("params.yaml", text.encode())
    with pytest.raises(InputError) as error:
        load_params(path)
    place = f"{path}:{line_of(text, again + old)}: {key}"
    # named once, though other families have the recipe by its alias
    assert str(error.value) == f"{place}: this key is already in its section; give it once"


def test_a_key_given_twice_in_a_list_is_refused(write: Write) -> None:
    text = MULTI30K.read_text()
    text = text.replace("          digest:", "          url: x\n          digest:", 1)
    with pytest.raises(InputError, match=r"corpus\.files\.train\.en\.0\.url: this key is already"):
        load_params(write("params.yaml", text.encode()))


def test_a_system_given_twice_is_refused(write: Write) -> None:
    text = SYSTEMS.read_text().replace(
        "  base_reverse:", "  base: {reverse: true}\n  base_reverse:", 1
    )
    path = written(write, systems=text)
    with pytest.raises(InputError, match=r"systems\.yaml:\d+: systems\.base: this key is already"):
        load_params(path, path.parent)


def test_a_copied_experiment_must_get_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / OWN
    path.parent.mkdir(parents=True)
    (tmp_path / "systems.yaml").write_text(SYSTEMS.read_text())
    text = demo_text()
    path.write_text(text)
    line = line_of(text, "experiment: demo")
    with pytest.raises(InputError) as error:
        load_params(path, tmp_path)
    assert f"{path}:{line}: experiment: 'demo' belongs in experiments/demo/params" in str(
        error.value
    )
    path.write_text(text.replace("experiment: demo", "experiment: own"))
    params = load_params(path, tmp_path)
    assert (params.experiment, params.params_file) == ("own", OWN)


def test_parameters_are_read_only_in_their_own_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="and run in the project's folder"):
        load_params(DEMO)


@pytest.mark.parametrize(
    ("old", "section", "key"),
    [
        ("      clip_norm: 5.0\n", "    training:", "families.luong.training.clip_norm"),
        ("  kind: local\n", "corpus:", "corpus.kind"),
        (", init: 0.1", "    shape:", "families.luong.shape.init"),
        ("vocabulary: 600", "    encoding:", "families.luong.encoding.vocabulary"),
    ],
)
def test_a_missing_key_is_named(write: Write, old: str, section: str, key: str) -> None:
    text = demo_text().replace(old, "", 1)
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
    text = SYSTEMS.read_text()
    text = text.replace("  base: {family: luong}", "  base: &base {family: luong, dropout: 2}")
    text = text.replace("  base_reverse: {family: luong, ", "  base_reverse: {<<: *base, ")
    path = written(write, systems=text)
    with pytest.raises(InputError) as error:
        load_params(path, path.parent)
    place = f"{path.with_name('systems.yaml')}:{line_of(text, 'dropout: 2}')}"
    for name in ("base", "base_reverse"):
        assert f"{place}: systems.{name}.dropout: Input should be less than 1" in str(error.value)


VAL_DE = VAL[VAL.index("      de:") :]  # the German files of the development set
MORE_DE = VAL_DE.partition("\n")[2].replace("val.de", "more.de")


def other(suffix: str, end: str = "gz") -> str:
    """Return the lines of one more file of the development set."""
    return VAL_DE.replace("de:", f"{suffix}:").replace("val.de.gz", f"val.{suffix}.{end}")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("digest:", "digst:", "corpus.files.train.en.0.digst: unknown key; did you mean 'digest'?"),
        ("sha256:d", "sha256:", "corpus.files.train.en.0.digest: String should match pattern"),
        ("  de:", "  dee:", "corpus.files.train.dee: no such language; did you mean 'de'?"),
        ("raw/val.en.gz", "raw/train.en.gz", "two different files are named 'train.en.gz'"),
        (
            "raw/val.en.gz",
            "raw/val.de.gz",
            "corpus.files.val: two of these texts are the same: val",
        ),
        (VAL_DE, "", "corpus.files.val: Dictionary should have at least 2 items"),
        (VAL_DE, VAL_DE.replace("de", "de.2", 1), "files.val: there are no files of 'de', only of"),
        (VAL_DE, VAL_DE.replace("de", "fr", 1), "corpus.files.val.fr: no such language; the known"),
        (VAL_DE, VAL_DE.replace("de", "de.1", 1), "corpus.files.val.de.1.[key]: String should"),
        (VAL_DE, VAL_DE + other("links.2"), "corpus.files.val.links.2: no such language"),
        (VAL_DE, VAL_DE + other("fr.2"), "corpus.files.val.fr.2: no such language"),
        (VAL_DE, VAL_DE + other("de.2", "sgm"), "files.val: only one side is SGM: val.en.gz, val"),
        (VAL_DE, VAL_DE + other("de.2") * 2, "corpus.files.val.de.2: this key is already in"),
        (VAL_DE, VAL_DE + MORE_DE, "corpus.files.val: 1 files of en and 2 of de; there must be"),
        (
            "  kind: download\n",
            "  kind: download\n  expected: {pairs: 1, words: {en: 1, fr: 1}, raw_bytes: 1, bytes: 1}\n",
            "corpus.expected.words: say how many words en and de have",
        ),
        (
            "train.en.gz\n",
            "train.en.gz\n          encoding: cp1252\n",
            "train.en.gz is compressed;",
        ),
    ],
)
def test_mistakes_in_downloads_are_named(write: Write, old: str, new: str, message: str) -> None:
    text = MULTI30K.read_text()
    assert old in text
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", text.replace(old, new, 1).encode()))
    assert message in str(error.value)


def test_a_set_may_have_other_references_and_links(write: Write, tmp_path: Path) -> None:
    text = MULTI30K.read_text().replace(VAL_DE, VAL_DE + other("de.2") + other("links", "talp"), 1)
    write("systems.yaml", SYSTEMS.read_bytes())
    (tmp_path / "experiments/multi30k").mkdir(parents=True)
    params = load_params(write("experiments/multi30k/params.yaml", text.encode()), tmp_path)
    assert params.source is not None
    assert list(params.source.files["val"]) == ["en", "de", "de.2", "links"]


def test_sources_that_are_not_chosen_are_checked_too(write: Write) -> None:
    text = (ROOT / "experiments/wmt14/params.yaml").read_text()
    begin = text.index("    stanford:")
    text = text[:begin] + text[begin:].replace("          en:", "          fr:", 1)
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", text.encode()))
    line = line_of(text, "          fr:")
    place = f"params.yaml:{line}: corpus.sources.stanford.files.train.fr"
    assert f"{place}: no such language" in str(error.value)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("attention: global", "systems.base: score must be given with attention"),
        ("score: dot", "systems.base: score must be given with attention"),
        ("attention: local_p, score: location", "systems.base: score 'location' is defined"),
        ("faults: [general_gradient]", "systems.base: fault 'general_gradient' exists only with"),
        ("faults: [unmasked_padding]", "systems.base: fault 'unmasked_padding' exists only with"),
        ("dropout: 1", "systems.base.dropout: Input should be less than 1"),
        ("direction: en-fr", "systems.base.direction: Input should be 'forward' or 'backward'"),
    ],
)
def test_systems_that_do_not_exist_are_named(write: Write, system: str, message: str) -> None:
    text = SYSTEMS.read_text().replace("{family: luong}", f"{{family: luong, {system}}}", 1)
    path = written(write, systems=text)
    with pytest.raises(InputError, match=r"systems\.yaml:\d+: " + message):
        load_params(path, path.parent)


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
def test_a_file_without_parameters_is_refused(write: Write, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", content))
    assert message in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.yaml: cannot be read: No such file"):
        load_params(tmp_path / "x.yaml")


def test_a_model_has_the_settings_of_its_system_and_family() -> None:
    model = load_params(DEMO, ROOT).model("back_global_dot_feed")
    assert (model.family, model.attention, model.score) == ("luong", "global", "dot")
    assert load_params(DEMO, ROOT).sides("back_global_dot_feed") == ("de", "en")
    assert (model.reverse, model.input_feeding, model.dropout, model.seed) == (True, True, 0.2, 1)
    assert model.system.score == "dot"
    assert "family" not in model.system.model_dump()


@pytest.mark.parametrize("method", ["model", "recipe", "translators", "seeds_of"])
def test_an_unknown_model_is_named(method: str) -> None:
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


def test_a_name_stands_for_one_model_or_an_ensembles_members() -> None:
    params = load_params(DEMO, ROOT)
    members = params.translators("ensemble").members
    assert len(set(members)) == 8
    assert members[0] == "global_location_feed"
    alone = params.translators("gru_self")
    assert (alone.members, alone.family, alone.average) == (["gru_self"], "course", "logits")
    with pytest.raises(InputError, match="no model or ensemble 'ensembl'; did you mean 'ensemble'"):
        params.translators("ensembl")


@pytest.mark.parametrize(("seeds", "reverse"), [("3", 3), ("{base: 3}", 1)])
def test_seeds_are_models_of_their_own(write: Write, seeds: str, reverse: int) -> None:
    path = written(write, demo_text().replace("seeds: 1", f"seeds: {seeds}"))
    params = load_params(path, path.parent)
    assert params.seeds_of("base") == ["base", "base_2", "base_3"]
    assert [params.models[name].seed for name in params.seeds_of("base_3")] == [1, 2, 3]
    assert len(params.seeds_of("base_reverse")) == reverse
    assert params.system_of("base_3") == "base"
    assert params.runs_of("base") == params.seeds_of("base")


def test_a_seed_may_not_take_the_name_of_a_system(write: Write) -> None:
    systems = SYSTEMS.read_text().replace(
        "  base_reverse: {", "  base_2: {family: luong, dropout: 0.7}\n  base_reverse: {", 1
    )
    path = written(write, demo_text().replace("seeds: 1", "seeds: {base: 2}"), systems)
    with pytest.raises(InputError, match="seeds: 'base_2' is seed 2 of 'base', but"):
        load_params(path, path.parent)


def test_an_ensemble_has_any_size_and_its_label_says_it(write: Write) -> None:
    text = SYSTEMS.read_text()
    begin = text.index("    members: [", text.index("\n  ensemble:\n"))
    end = text.index("]", begin)
    members = "base_reverse, base_reverse_2, global_dot_feed"
    systems = text[:begin] + f"    members: [{members}" + text[end:]
    path = written(write, demo_text().replace("seeds: 1", "seeds: 2"), systems)
    params = load_params(path, path.parent)
    assert params.translators("ensemble").members == members.split(", ")
    assert params.rows["table1"]["ensemble"].label == "Ensemble of 3 models + unk replace"
    path = written(write, systems=systems)  # nothing has a second seed
    assert "ensemble" not in load_params(path, path.parent).ensembles


def test_an_experiment_trains_only_the_models_that_it_names() -> None:
    params = load_params(ROOT / "experiments/multi30k-short/params.yaml", ROOT)
    assert list(params.models) == ["base_reverse_dropout", "local_p_general_feed"]
    assert params.ensembles == {}


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)
def test_models_yaml_agrees_with_the_parameters(path: Path) -> None:
    """`make format` writes models.yaml; if it were out of date, DVC would run other models."""
    params = load_params(path, ROOT)
    assert path.with_name("models.yaml").read_text() == models_yaml(params)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_agree_with_the_parameters(name: str) -> None:
    assert (ROOT / f"schema/{name}.json").read_text() == schema(name)
    for file in [DEMO, SYSTEMS, CLAIMS, *EXPERIMENTS]:
        first = file.read_text().partition("\n")[0]
        named = first.removeprefix("# yaml-language-server: $schema=")
        expected = file.stem if file in (SYSTEMS, CLAIMS) else "params"
        assert (file.parent / named).resolve() == ROOT / f"schema/{expected}.json"


def test_an_ensemble_has_at_most_as_many_members_as_dvc_yaml_has_slots(write: Write) -> None:
    stage = (ROOT / "dvc.yaml").read_text()
    assert all(f"${{item.members[{slot}]}}" in stage for slot in range(SLOTS))
    assert f"${{item.members[{SLOTS}]}}" not in stage
    params = load_params(DEMO, ROOT)
    members = [f"m{i}" for i in range(SLOTS + 1)]
    large = params.ensembles["ensemble"].model_copy(update={"members": members})
    with pytest.raises(InputError, match=r"ensembles\.ensemble\.members: dvc\.yaml has 16 slots"):
        models_yaml(params.model_copy(update={"ensembles": {"ensemble": large}}))


@pytest.mark.parametrize(
    "command", [["corpus"], ["tokens"], ["encode", "luong"]], ids=lambda command: command[0]
)
def test_stages_name_a_mistake_in_the_parameters(corpus: Project, command: list[str]) -> None:
    corpus.params["dictionary"]["min_counts"] = 5
    message = corpus.fail(*command)
    assert "dictionary.min_counts: unknown key; did you mean 'min_count'?" in message
    assert not (corpus.folder / "data").exists()
