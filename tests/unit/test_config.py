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


TRAINING, TARGET, ONE = "families.luong.training", "languages.target", "seeds: 1"
BATCH = "    training:\n      batch_size: 24\n"
SEARCH, SETS = "decoding", "[test1, test2]"
# A part of the demo's parameters, what stands in its place, the place that the error names, and a word.
PARAMS = [
    ("clip_norm", "clipnorm", f"{TRAINING}.clipnorm", "did you mean 'clip_norm'"),
    ("d: [test1]", "d: [train]", "sets.aligned", "training set"),
    (SETS, "[test1, dev]", "sets.tests", "dev set"),
    ("{code: de,", "{code: en,", f"{TARGET}.code", "source, too"),
    ("name: German", 'name: "German|\\e[31m"', f"{TARGET}.name", "pattern"),
    ("name: German", "name: _German_", f"{TARGET}.name", "pattern"),  # Markdown's emphasis
    ("candidates: 20", "candidates: 20, length_penalty: gnmt", f"{SEARCH}.alpha", "length_penalty"),
    ("h: 50}", "h: 50, tokenized: [gold]}", "tokenize.tokenized.0", "no set 'gold'"),
    (ONE, "seeds: {bas: 2}", "seeds.bas", "mean 'base'"),
    (ONE, "systems: [base, ensemble]", "systems.1", "global_location_"),
    ("evaluation:", "experiment: demo\nevaluation:", "", "duplicate"),
    (BATCH, "    training:\n", f"{TRAINING}.batch_size", "missing"),
]
MEMBERS, SELF = "[global_location_feed, global_dot_feed,", "attention: global, score: self}"
REVERSE, SECOND = "base_reverse: {family: luong, reverse: true}", "ensembles.ensemble.members.1"
# The same of systems.yaml.
IN_SYSTEMS = [
    ("{family: luong}", "{family: lung}", "systems.base.family", "no family 'lung'"),
    (SELF, f"{SELF[:-1]}, input_feeding: true}}", "systems.gru_self", "context"),
    (f", {SELF}", "}", "systems.gru_self", "attention"),
    ("  ensemble:\n", "  base:\n", "ensembles.base", "something else"),
    (MEMBERS, "[base, gru_self,", SECOND, "family 'gru'"),
    (MEMBERS, "[base, base_reverse,", SECOND, "differs"),
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
    ("attention: global", ".score", "only then"),
    ("attention: local_p, score: location", ".score", "location"),
    ("faults: [general_gradient]", ".faults.0", "general"),
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "params.yaml:1: the file: "),
        (b"a: [", "params.yaml:1: not YAML: "),
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
