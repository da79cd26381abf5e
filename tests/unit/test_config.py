"""Every experiment loads, and every mistake is named with its place."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from demo_values import demo_text
from dvc.utils.serialize import dump_yaml, load_yaml, parse_yaml_for_update
from small_project import ROOT

from attnmt.config import load_params
from attnmt.config.claims import project_claims
from attnmt.config.generated import SCHEMAS, schema, trainings_yaml
from attnmt.config.systems import SLOTS
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile

DEMO, SYSTEMS, CLAIMS = (ROOT / f"{name}.yaml" for name in ("params", "systems", "claims"))
EXPERIMENTS = [DEMO, *sorted(ROOT.glob("experiments/*/params.yaml"))]
OWN = "experiments/own/params.yaml"
Write = Callable[[str, bytes], Path]
every_experiment = pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@every_experiment
def test_every_experiment_loads_and_trainings_yaml_agrees_with_it(path):
    """`make format` writes trainings.yaml; if it were out of date, DVC would run other models."""
    params = load_params(path, ROOT)
    assert (ROOT / params.params_file).samefile(path)
    assert path.with_name("trainings.yaml").read_text() == trainings_yaml(params)


def written_by_dvc(path: Path) -> bytes:
    """Return a YAML file as ``dvc exp run -S`` writes it again."""
    content = parse_yaml_for_update(path.read_text(), path)
    dump_yaml(path, content)
    return path.read_bytes()


def test_an_experiment_is_the_same_after_dvc_has_written_its_files_again(tmp_path):
    """DVC breaks lines, and takes away quotes that only YAML 1.1 needs."""
    before = load_params(DEMO, ROOT)
    for file in (SYSTEMS, CLAIMS, DEMO):
        copy = tmp_path / file.name
        copy.write_bytes(file.read_bytes())
        written_by_dvc(copy)
        json.dumps(load_yaml(file))  # so Snakemake keeps parameters; JSON has no dates
    assert load_params(tmp_path / "params.yaml", tmp_path) == before
    assert project_claims(tmp_path) == project_claims(ROOT)


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


TRAINING, TARGET, ONE = "families.luong.training", "languages.target", "seeds: 1"
BATCH = "    training:\n      batch_size: 24\n"
SEARCH, SETS = "decoding", "[test1, test2]"
# A part of the demo's parameters, what stands in its place, the place that the error names, and a word.
PARAMS = [
    ("clip_norm", "clipnorm", f"{TRAINING}.clipnorm", "did you mean 'clip_norm'"),
    ("  text:", "  txt:", "corpus.txt", "did you mean 'text'"),
    ("d: [test1]", "d: [train]", "sets.aligned", "training set"),
    (SETS, "[test1, dev]", "sets.tests", "dev set"),
    (SETS, "[test1, test1]", "sets.tests.1", "already"),
    ("{code: de,", "{code: en,", f"{TARGET}.code", "source, too"),
    ("{code: de,", "{code: links,", f"{TARGET}.code", "gold"),
    ("name: German", 'name: "German|\\e[31m"', f"{TARGET}.name", "pattern"),
    ("decode_threads: 1", "decode_threads: 1000000000000", "machine.decode_threads", "1024"),
    ("candidates: 20", "candidates: 20, length_penalty: gnmt", f"{SEARCH}.alpha", "length_penalty"),
    ("candidates: 20", "candidates: 20, max_ratio: 0.4", f"{SEARCH}.max_ratio", "least"),
    ("h: 50}", "h: 50, tokenized: [gold]}", "tokenize.tokenized.0", "no set 'gold'"),
    ("h: 50}", "h: 50, tokenized: [test1]}", "tokenize.tokenized.0", "test set"),
    (ONE, "seeds: {bas: 2}", "seeds.bas", "mean 'base'"),
    (ONE, "overrides: {bas: {epochs: 2}}", "overrides.bas", "mean 'base'"),
    (ONE, "overrides: {base: {epoch: 2}}", "overrides.base.epoch", "mean 'epochs'"),
    (ONE, "systems: [base, ensemble]", "systems.1", "global_location_"),
    ("evaluation:", "experiment: demo\nevaluation:", "", "duplicate"),
    (BATCH, "    training:\n", f"{TRAINING}.batch_size", "missing"),
]
MEMBERS, SELF = "[global_location_feed, global_dot_feed,", "attention: global, score: self}"
REVERSE, SECOND = "base_reverse: {family: luong, reverse: true}", "ensembles.ensemble.members.1"
# The same of systems.yaml.
IN_SYSTEMS = [
    (REVERSE, "base_reverse: {family: luong, revers: true}", "systems.base_reverse.revers", "unk"),
    ("{family: luong}", "{family: lung}", "systems.base.family", "no family 'lung'"),
    (SELF, f"{SELF[:-1]}, input_feeding: true}}", "systems.gru_self", "context"),
    (f", {SELF}", "}", "systems.gru_self", "attention"),
    ("  ensemble:\n", "  base:\n", "ensembles.base", "something else"),
    (MEMBERS, "[base, bas,", SECOND, "did you mean 'base'"),
    (MEMBERS, "[base, gru_self,", SECOND, "family 'gru'"),
    (MEMBERS, "[base, base_reverse,", SECOND, "differs"),
    (
        MEMBERS,
        f"[{', '.join(f'base_{i}' for i in range(1, 12))},",
        "ensembles.ensemble.members",
        "16",
    ),
    (REVERSE, "aligner: {family: luong}", "systems.aligner", "something else"),
    ("on_request: [", "on_request: [bas, ", "on_request.0", "'bas'"),
    (
        "base_reverse, over: base}",
        "base_reverse, over: bas}",
        "tables.table1.rows.reverse.over",
        "row",
    ),
]
# What is added to the system base.
IN_BASE = [
    ("attention: globl", ".attention", "did you mean 'global'"),
    ("attention: global", ".score", "only then"),
    ("attention: local_p, score: location", ".score", "location"),
    ("faults: [general_gradient]", ".faults.0", "general"),
    ("size: 0", ".size", "greater"),
    ("window_D: 5", ".window_D", "no window"),
]
CASES = [
    *(("params.yaml", *case) for case in PARAMS),
    *(("systems.yaml", *case) for case in IN_SYSTEMS),
    *(
        ("systems.yaml", "{family: luong}", f"{{family: luong, {more}}}", f"systems.base{at}", word)
        for more, at, word in IN_BASE
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "place", "word"), CASES)
def test_a_mistake_is_named_with_its_line(write, name, old, new, place, word):
    text = demo_text() if name == "params.yaml" else SYSTEMS.read_text()
    assert old in text
    path = written(write, **{name.partition(".")[0]: text.replace(old, new, 1)})
    with pytest.raises(InputError) as error:
        load_params(path, path.parent)
    assert f"{path.with_name(name)}:{line_of(text, old)}: {place}" in str(error.value)
    assert word in str(error.value)


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


IN_WMT14 = [
    ("sets: {train: train", "sets: {train: trian", "sets", "no set 'trian'"),
    ("source: official", "source: stanford", "source.tokenize", "tokenized"),
    ("source: official", "source: oficial", "corpus.source", "did you mean 'official'"),
    ("member: commoncrawl.de-en.en", "", "en.0.member", "training-parallel-commoncrawl.tgz"),
]


@pytest.mark.parametrize(("old", "new", "place", "word"), IN_WMT14)
def test_mistakes_in_downloads_are_named(write, old, new, place, word):
    text = (ROOT / "experiments/wmt14/params.yaml").read_text()
    assert old in text
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", text.replace(old, new, 1).encode()))
    assert f"{place}: " in str(error.value)
    assert word in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "params.yaml:1: the file: "),
        (b"a: [", "params.yaml:1: not YAML: "),
        (b"a: " + 300 * b"[" + 300 * b"]", "a: unknown key"),
        (b"# a\nexperiment: \xff", "params.yaml:2: not UTF-8"),
    ],
)
def test_a_file_without_parameters_is_refused(write, content, message):
    with pytest.raises(InputError) as error:
        load_params(write("params.yaml", content))
    assert message in str(error.value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_agree_with_the_parameters(name):
    assert (ROOT / f"schema/{name}.json").read_text() == schema(name)
    for file in [DEMO, SYSTEMS, CLAIMS, *EXPERIMENTS]:
        first = file.read_text().partition("\n")[0]
        named = first.removeprefix("# yaml-language-server: $schema=")
        expected = file.stem if file in (SYSTEMS, CLAIMS) else "params"
        assert (file.parent / named).resolve() == ROOT / f"schema/{expected}.json"


def test_dvc_yaml_has_as_many_slots_as_an_ensemble_may_have_members():
    stage = (ROOT / "dvc.yaml").read_text()
    assert all(f"${{item.members[{slot}]}}" in stage for slot in range(SLOTS))
    assert f"${{item.members[{SLOTS}]}}" not in stage
