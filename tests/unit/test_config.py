"""Every experiment loads, and every mistake is named with its place."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from demo_values import demo_text
from dvc.utils.serialize import dump_yaml, load_yaml, parse_yaml_for_update
from small_project import ROOT

from attnmt.config import Decoding, load_params
from attnmt.config.claims import project_claims
from attnmt.config.generated import SCHEMAS, SLOTS, models_yaml, schema
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile

DEMO, SYSTEMS, CLAIMS = (ROOT / f"{name}.yaml" for name in ("params", "systems", "claims"))
EXPERIMENTS = [DEMO, *sorted(ROOT.glob("experiments/*/params.yaml"))]
MULTI30K = ROOT / "experiments/multi30k/params.yaml"
VAL = MULTI30K.read_text().partition("    val:\n")[2].partition("    test_2016")[0]
OWN = "experiments/own/params.yaml"
Write = Callable[[str, bytes], Path]
every_experiment = pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@every_experiment
def test_every_experiment_loads_and_models_yaml_agrees_with_it(path):
    """`make format` writes models.yaml; if it were out of date, DVC would run other models."""
    params = load_params(path, ROOT)
    assert (ROOT / params.params_file).samefile(path)
    assert all(params.recipe(name).epochs > 0 for name in params.models)
    for name, ensemble in params.ensembles.items():
        assert params.translators(name) is ensemble
    assert path.with_name("models.yaml").read_text() == models_yaml(params)


def written_by_dvc(path: Path) -> bytes:
    """Return a YAML file as ``dvc exp run -S`` writes it again."""
    content = parse_yaml_for_update(path.read_text(), path)
    dump_yaml(path, content)
    return path.read_bytes()


@every_experiment
def test_an_experiment_is_the_same_after_dvc_has_written_its_files_again(path, tmp_path):
    """DVC breaks lines, and takes away quotes that only YAML 1.1 needs."""
    before = load_params(path, ROOT)
    for file in (SYSTEMS, CLAIMS, path):
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
        written_by_dvc(copy)
        assert load_yaml(copy) == load_yaml(file)
        json.dumps(load_yaml(file))  # so Snakemake keeps parameters; JSON has no dates
    assert load_params(tmp_path / path.relative_to(ROOT), tmp_path) == before
    assert project_claims(tmp_path) == project_claims(ROOT)


@pytest.mark.parametrize(
    ("name", "like", "parts"),
    [
        ("study", "demo", ("encoding", "shape")),
        ("study-rates", "study", ("encoding", "shape", "training")),
        ("multi30k-alignment", "multi30k", ("encoding",)),
        ("multi30k-rates", "multi30k", ("encoding", "shape", "training")),
        ("multi30k-short", "multi30k", ()),
    ],
)
def test_experiments_on_one_text_share_what_their_comments_say(name, like, parts):
    files = [
        DEMO if one == "demo" else ROOT / f"experiments/{one}/params.yaml" for one in (name, like)
    ]
    ours, other = (load_params(file, ROOT) for file in files)
    for section in ("languages", "sets", "corpus", "tokenize", "dictionary"):
        assert getattr(ours, section) == getattr(other, section), section
    for family, one in ours.families.items():
        for part in parts:
            assert getattr(one, part) == getattr(other.families[family], part), (family, part)


@pytest.mark.parametrize("path", [*EXPERIMENTS, SYSTEMS], ids=str)
def test_no_family_and_no_system_shares_its_lines_with_another(path):
    """Otherwise `dvc exp run -S` of one would also change the others."""
    text = path.read_text(encoding="utf-8")
    shared = (
        text if path == SYSTEMS else text[text.index("\nfamilies:") : text.index("\ndecoding:")]
    )
    events = yaml.parse(shared, Loader=yaml.SafeLoader)
    assert not [event for event in events if getattr(event, "anchor", None)]


def test_values_that_dvc_writes_without_quotes_are_read_as_before(tmp_path):
    values = {"code": "no", "name": "Yes?", "url": "https://host/a?b=c", "time": "1:30", "on": "y"}
    values |= {"text": "1e-3", "old": "010", "none": "null", "small": 0.00001, "flag": True}
    path = tmp_path / "params.yaml"
    path.write_text(json.dumps({"section": values}))  # JSON is YAML in braces, with all its quotes
    assert YamlFile.read(path).values == {"section": values}
    text = written_by_dvc(path).decode()
    assert "code: no," in text
    assert "b=c," in text
    assert YamlFile.read(path).values == {"section": values}
    path.write_text("init: 1e-05\n")  # as `-S init=0.00001` leaves it
    assert YamlFile.read(path).values == {"init": 0.00001}


TRAINING, TARGET = "families.luong.training", "languages.target"
ONE, SEVEN = "seeds: 1", "systems: [local_p_general_feed, ensemble_of_seeds]\nseeds: 7"
HALVE, BATCH = "      halve_after: 2\n", "    training:\n      batch_size: 24\n"
TWICE = "not YAML: found duplicate key"
EIGHTH, NOT_TRAINED = "local_p_general_feed_8", "no system '{}' is trained; did you"


def slow(systems: str) -> str:
    """Return a section with one recipe of some systems."""
    return f"recipes: {{slow: {{{systems}}}}}"


# A part of the demo's parameters, what stands in its place, and the error that follows.
PARAMS = [
    ("clip_norm", "clipnorm", f"{TRAINING}.clipnorm: unknown key; did you mean 'clip_norm'?"),
    ("  text:", "  txt:", "corpus.txt: unknown key; did you mean 'text'?"),
    ("d: [test1]", "d: [train]", "sets.aligned.0: 'train' is the training set"),
    ("{code: de,", "{code: en,", f"{TARGET}.code: 'en' is the source, too; give the two sides"),
    ("{code: de,", "{code: links,", f"{TARGET}.code: files with the suffix 'links' hold gold"),
    ("n_best: 1", "n_best: 21", "decoding.n_best: only 20 translations finish"),
    ("n_best: 1", "n_best: 1, length_penalty: gnmt", "decoding.alpha: give it with length_penalty"),
    ("n_best: 1", "n_best: 1, alpha: 0.6", "decoding.alpha: give it with length_penalty gnmt, and"),
    ("n_best: 1", "n_best: 1, max_ratio: 0.4", "decoding.max_ratio: the least is 0.5, and the gr"),
    (
        "n_best: 1",
        "n_best: 1, min_ratio: 2",
        "decoding.min_ratio: the least is 2, and the greatest",
    ),
    ("n_best: 1", "n_best: 1, min_length: 9, max_length: 8", "decoding.max_length: the least is 9"),
    ("[test1, test2]", "[test1, train]", "sets.tests.1: 'train' is the training set"),
    ("h: 50}", "h: 50, tokenized: [gold]}", "tokenize.tokenized.0: no set 'gold'"),
    (
        "tests: [test1, test2]",
        "tests: [test1, test1]",
        "sets.tests.1: 'test1' is in this list already",
    ),
    ("h: 50}", "h: 50, tokenized: [test1]}", "tokenize.tokenized.0: 'test1' is a test set"),
    (ONE, "seeds: {bas: 2}", f"seeds.bas: {NOT_TRAINED.format('bas')} mean 'base'"),
    (ONE, "systems: [base, revers]", "systems.1: systems.yaml has no system 'revers'"),
    (ONE, "systems: [base, ensemble]", "systems.1: 'ensemble' has the member 'global_location_"),
    (ONE, SEVEN, f"systems.1: 'ensemble_of_seeds' has the member '{EIGHTH}', which is not trained"),
    (ONE, slow("bas: {}"), f"recipes.slow.bas: {NOT_TRAINED.format('bas')} mean 'base'"),
    (
        ONE,
        "recipes: {reverse: {base: {epochs: 5}}}",
        "recipes.reverse: 'base_reverse' would be seed",
    ),
    (
        ONE,
        "recipes: {family: {bas: {epochs: 5}}}",
        f"recipes.family.bas: {NOT_TRAINED.format('bas')}",
    ),
    (ONE, "recipes: {family: {base: {}}}", "recipes.family.base: it changes nothing; leave it out"),
    (ONE, f"seeds: {{base_slow: 5}}\n{slow('base: {}')}", "seeds.base_slow: no system 'base_s"),
    ("evaluation:", "experiment: demo\nevaluation:", f'{TWICE} "experiment"'),
    ("corpus:\n  kind: local\n", "corpus:\n", "corpus.kind: this key is missing"),
    (BATCH, "    training:\n", f"{TRAINING}.batch_size: this key is missing"),
    (ONE, slow("base: {average_last: 1}"), "recipes.slow.base.average_last: Input should be"),
    (HALVE, f"      average_last: 2\n      patience: 2\n{HALVE}", f"{TRAINING}.average_last: with"),
    (
        HALVE,
        f"      numbers: {{adam: {{}}}}\n{HALVE}",
        f"{TRAINING}.numbers.adam: there is no such",
    ),
    (ONE, slow("base: {average_last: 2, patience: 2}"), "recipes.slow.base.average_last: with pat"),
]
MEMBERS, SELF = "[global_location_feed, global_dot_feed,", "attention: global, score: self}"
REVERSE, SECOND = "base_reverse: {family: luong, reverse: true}", "ensembles.ensemble.members.1"
GLOBAL_DOT = "{label: global (dot), "
SECOND_ROW = "base_reverse, over: base}"
# The same of systems.yaml.
IN_SYSTEMS = [
    (REVERSE, "base_reverse: {family: luong, revers: true}", "systems.base_reverse.revers: unkn"),
    ("{family: luong}", "{family: lung}", "systems.base.family: experiment demo has no family 'lu"),
    (SELF, f"{SELF[:-1]}, input_feeding: true}}", "systems.gru_self.input_feeding: the context"),
    (f", {SELF}", "}", "systems.gru_self: a gru family needs attention"),
    ("  ensemble:\n", "  base:\n", "ensembles.base: a system has this name; choose another"),
    ("  ensemble:\n", "  diagonal:\n", "ensembles.diagonal: 'diagonal' means something else; ren"),
    (MEMBERS, "[base, bas,", f"{SECOND}: no system 'bas'; did you mean 'base'?"),
    (MEMBERS, "[base, gru_self,", f"{SECOND}: 'gru_self' is of family 'course'"),
    (MEMBERS, "[base, base_reverse,", f"{SECOND}: 'base_reverse' differs from the first member in"),
    (
        "    average: probabilities",
        "    weights: [1, 2]",
        "ensembles.ensemble_probabilities.weights: there are 8 members; give each a weight",
    ),
    (REVERSE, "twin: {family: luong}", "systems.twin: is the same as 'base'; for another seed"),
    (REVERSE, "aligner: {family: luong}", "systems.aligner: 'aligner' means something else"),
    ("on_request: [", "on_request: [bas, ", "on_request.0: no system or ensemble 'bas'; did you"),
    (SECOND_ROW, "base_reverse, over: bas}", "tables.table1.reverse.over: no other row of table1"),
    (GLOBAL_DOT, f"{GLOBAL_DOT}over: local_p_dot, ", "tables.table4.global_dot.over: here the"),
]
LOCAL_P, SIGMA = "attention: local_p, score: dot", "systems.base.numbers.local_p.sigma"
# What is added to the system base.
IN_BASE = [
    ("attention: globl", "systems.base.attention: no attention 'globl'; did you mean 'global'?"),
    ("attention: global", "systems.base: score must be given with attention"),
    ("attention: local_p, score: location", "systems.base: score 'location' is defined"),
    (
        "faults: [general_gradient]",
        "systems.base: fault 'general_gradient' exists only with general",
    ),
    ("size: 0", "systems.base.size: Input should be greater than or equal to 1"),
    ("window_D: 5", "systems.base.window_D: attention 'none' has no window"),
    (
        f"{LOCAL_P}, window_D: 0",
        "systems.base.window_D: Input should be greater than or equal to 1",
    ),
    (
        f"{LOCAL_P}, numbers: {{local_p: {{sigm: 2}}}}",
        f"{SIGMA[:-1]}: unknown key; did you mean 'sigma",
    ),
    (f"{LOCAL_P}, numbers: {{local_p: {{sigma: 0}}}}", f"{SIGMA}: Input should be greater than 0"),
    (
        f"{LOCAL_P}, numbers: {{local_m: {{}}}}",
        "systems.base.numbers.local_m: there is no such part he",
    ),
    ("numbers: {adam: {}}", "systems.base.numbers.adam: it is trained by 'sgd'"),
    (
        "average_last: 2, patience: 2",
        "systems.base.average_last: with patience, nobody knows in adv",
    ),
]
CASES = [
    *(("params.yaml", *case) for case in PARAMS),
    *(("systems.yaml", *case) for case in IN_SYSTEMS),
    *(
        ("systems.yaml", "{family: luong}", f"{{family: luong, {more}}}", message)
        for more, message in IN_BASE
    ),
]


def test_a_search_is_named_by_its_beam_and_by_what_is_not_as_in_the_paper():
    decoding = {"beam": 5, "candidates": 20, "n_best": 1}
    named = [Decoding(**decoding, **rules).named for rules in ({}, {"length_penalty": "average"})]
    assert named == ["beam 5", "beam 5, length_penalty average"]
    assert Decoding(**decoding, length_penalty="gnmt", alpha=0.5, max_length=9).named == (
        "beam 5, length_penalty gnmt, alpha 0.5, max_length 9"
    )


@pytest.mark.parametrize(("name", "old", "new", "message"), CASES)
def test_a_mistake_is_named_with_its_line(write, name, old, new, message):
    text = demo_text() if name == "params.yaml" else SYSTEMS.read_text()
    assert old in text
    broken = text.replace(old, new, 1)
    path = written(write, **{name.partition(".")[0]: broken})
    with pytest.raises(InputError) as error:
        load_params(path, path.parent)
    assert f"{path.with_name(name)}:{line_of(text, old)}: {message}" in str(error.value)


@pytest.mark.parametrize("listed", ["", "systems: [base]\n"])
def test_a_family_that_an_experiment_lacks_has_a_way_out(write, listed):
    systems = SYSTEMS.read_text().replace("{family: luong}", "{family: big}", 1)
    path = written(write, params=demo_text() + listed, systems=systems)
    with pytest.raises(InputError, match=r"has no family 'big'.*; give it one in its") as error:
        load_params(path, path.parent)
    assert ("list 'base' under on_request" in str(error.value)) == (not listed)


def test_a_system_may_have_a_size_of_its_own(write):
    size = SYSTEMS.read_text().replace("{family: luong}", "{family: luong, layers: 3, size: 17}", 1)
    path = written(write, systems=size)
    params = load_params(path, path.parent)
    family = params.families["luong"].shape
    assert params.shape("base") == family.model_copy(update={"layers": 3, "size": 17})
    assert params.shape("base_reverse") == family


def written(write: Write, params: str | None = None, systems: str | None = None) -> Path:
    """Write both files, the demo's unless given; return the path of the parameters."""
    write("systems.yaml", (SYSTEMS.read_text() if systems is None else systems).encode())
    return write("params.yaml", (demo_text() if params is None else params).encode())


def test_a_copied_experiment_must_get_a_name_of_its_own(tmp_path):
    path = tmp_path / OWN
    path.parent.mkdir(parents=True)
    (tmp_path / "systems.yaml").write_text(SYSTEMS.read_text())
    text = demo_text()
    path.write_text(text)
    line = line_of(text, "experiment: demo")
    with pytest.raises(InputError, match=rf"yaml:{line}: experiment: 'demo' belongs in exper"):
        load_params(path, tmp_path)
    own = text.replace("experiment: demo", "experiment: own")
    path.write_text(own)
    params = load_params(path, tmp_path)
    assert (params.experiment, params.params_file) == ("own", OWN)
    # The folder may be a link to another disk.
    (tmp_path / "disk").mkdir()
    path.parent.rename(tmp_path / "disk/own")
    path.parent.symlink_to("../disk/own")
    assert load_params(path, tmp_path).params_file == OWN
    # And the root's file must not name an experiment that has a folder.
    (tmp_path / "params.yaml").write_text(own)
    with pytest.raises(
        InputError, match=rf"params.yaml:{line}: experiment: 'own' belongs in {OWN}"
    ):
        load_params(tmp_path / "params.yaml", tmp_path)


SIZES = ["layers: 1,", "size: 96", "location_slots: 50", "vocabulary: 600}"]


@pytest.mark.parametrize("old", SIZES)
def test_a_size_that_no_machine_holds_is_refused_with_its_place(write, old):
    key, text = old.partition(":")[0], demo_text()
    params = text.replace(old, re.sub(r"\d+", str(10**12), old), 1)
    where = "encoding" if key == "vocabulary" else "shape"
    message = (
        rf"params.yaml:{line_of(text, old)}: families\.luong\.{where}\.{key}: such a model may "
    )
    with pytest.raises(
        InputError, match=message + r"have .* parameters, which take \S+ GB; at most 400 GB"
    ):
        load_params(written(write, params), write("x", b"").parent)


@pytest.mark.parametrize("key", ["size", "layers"])
def test_a_system_that_no_machine_holds_is_refused_with_its_place(write, key):
    """Its own size stands in place of its family's."""
    plain = "  base: {family: luong}"
    own = plain.replace("}", f", {key}: {10**12}}}")
    systems = SYSTEMS.read_text().replace(plain, own, 1)
    place = rf"systems.yaml:{line_of(systems, own)}: systems\.base\.{key}: such a model may have"
    with pytest.raises(InputError, match=place):
        load_params(written(write, systems=systems), write("x", b"").parent)


VAL_DE = VAL[VAL.index("      de:") :]  # the German files of the development set
MORE_DE = VAL_DE.partition("\n")[2].replace("val.de", "more.de")
EXPECTED = "  expected: {pairs: 1, words: {en: 1, fr: 1}}\n"


FRENCH = VAL_DE.replace("de:", "fr.2:").replace("val.de", "val.fr.2")
IN_MULTI30K = [
    ("  de:", "  dee:", "corpus.files.train.dee: no such language; did you mean 'de'?"),
    ("raw/val.en.gz", "raw/train.en.gz", "two different files are named 'train.en.gz'"),
    (VAL_DE, VAL_DE + FRENCH, "corpus.files.val.fr.2: no such language"),
    (VAL_DE, VAL_DE + MORE_DE, "corpus.files.val: 1 files of en and 2 of de; there must be"),
    ("corpus:\n", f"corpus:\n{EXPECTED}", "corpus.expected.words: say how many words en and de"),
    ("en.gz\n", "en.gz\n          encoding: cp1252\n", "train.en.gz is compressed;"),
]
IN_WMT14 = [
    ("sets: {train: train", "sets: {train: trian", "sets: no set 'trian'; did you mean"),
    ("source: official", "source: stanford", "source.tokenize: the corpus text is tokenized"),
    ("source: official", "source: oficial", "corpus.source: no source 'oficial'; did you mean"),
    ("member: commoncrawl.de-en.en", "", "en.0.member: training-parallel-commoncrawl.tgz: an arch"),
]


@pytest.mark.parametrize(
    ("experiment", "old", "new", "message"),
    [
        *((MULTI30K, *case) for case in IN_MULTI30K),
        *((ROOT / "experiments/wmt14/params.yaml", *case) for case in IN_WMT14),
    ],
)
def test_mistakes_in_downloads_are_named(write, experiment, old, new, message):
    text = experiment.read_text()
    assert old in text
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", text.replace(old, new, 1).encode()))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "params.yaml:1: the file: "),
        (b"a: [", "params.yaml:1: not YAML: "),
        (b"# a\nexperiment: \xff", "params.yaml:2: not UTF-8"),
        (b"experiment: [%s]" % (b"1, " * 999), "(found [1, 1, 1, 1, 1"),
    ],
)
def test_a_file_without_parameters_is_refused(write, content, message):
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", content))
    assert message in str(error.value)
    assert len(str(error.value)) < 2000


@pytest.mark.parametrize("method", ["model", "recipe", "translators", "seeds_of"])
def test_an_unknown_model_is_named(method):
    params = load_params(DEMO, ROOT)
    message = r"params\.yaml: no model( or ensemble)? 'bas'; did you mean 'base'\?"
    with pytest.raises(InputError, match=message):
        getattr(params, method)("bas")


def test_an_ensemble_has_any_size_and_its_label_says_it(write):
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


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_agree_with_the_parameters(name):
    assert (ROOT / f"schema/{name}.json").read_text() == schema(name)
    for file in [DEMO, SYSTEMS, CLAIMS, *EXPERIMENTS]:
        first = file.read_text().partition("\n")[0]
        named = first.removeprefix("# yaml-language-server: $schema=")
        expected = file.stem if file in (SYSTEMS, CLAIMS) else "params"
        assert (file.parent / named).resolve() == ROOT / f"schema/{expected}.json"


def test_an_ensemble_has_at_most_as_many_members_as_dvc_yaml_has_slots():
    stage = (ROOT / "dvc.yaml").read_text()
    assert all(f"${{item.members[{slot}]}}" in stage for slot in range(SLOTS))
    assert f"${{item.members[{SLOTS}]}}" not in stage
    params = load_params(DEMO, ROOT)
    members = [f"m{i}" for i in range(SLOTS + 1)]
    large = params.ensembles["ensemble"].model_copy(update={"members": members})
    with pytest.raises(InputError, match=r"ensembles\.ensemble\.members: dvc\.yaml has 16 slots"):
        models_yaml(params.model_copy(update={"ensembles": {"ensemble": large}}))
