"""Packed models: what ``attnmt pack`` writes translates elsewhere, and MLflow serves it."""

import json
import re
import shutil
from pathlib import Path

import made_records
import pandas as pd
import pytest
from made_scores import score_lines
from small_experiment import ENGLISH, make_experiment
from small_project import Command

from attnmt import load
from attnmt.config import Params, load_params
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.pipeline import Translation, load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json
from attnmt.layout import Layout
from attnmt.packing.folder import CARD, DESCRIPTION, read_packed
from attnmt.packing.pack import pack_model
from attnmt.scoring.evaluate import SHA_DIGITS
from attnmt.scoring.score_table import read_scores, write_score_table
from attnmt.text.encoded import EncodedSets
from attnmt.training.tensor_file import read_tensors, write_tensors

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "weights/demo"
NAMES = ["local_p", "plain", "german", "subwords", "gru", "ensemble"]
BEST, PACKED = "local_p", Path("packed")
LINES = ["The old garden is newer than Smith's house.", "", 'B-side gardens & "houses"']
SENTENCE, ANSWER = "Anna is reading the old letter.", "Anna liest den alten Brief."


def write_records(params: Params, name: str) -> None:
    """Write what a packed model's card reads: the scores, and where its members were trained."""
    layout, translators = Layout(params.experiment), params.translators(name)
    digest = EncodedSets(layout.encoded(translators.family)).digest
    lines = score_lines(params, name, 20.0)
    own = {"data": digest[:SHA_DIGITS]}
    ppl = own | {"value": 8.5}  # as in its metrics.json
    changed = (one.model_copy(update=ppl if one.metric == "ppl" else own) for one in lines)
    write_score_table(layout.scores(name), changed)
    for member in translators.members:
        write_json(layout.provenance(member), made_records.provenance(member))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with models, their scores and their records."""
    folder = tmp_path_factory.mktemp("made") / "project"
    with pytest.MonkeyPatch.context() as patch:
        folder.mkdir()
        patch.chdir(folder)
        params = make_experiment(Path())
        for name in NAMES:
            write_records(params, name)
        pack_model(params, BEST, Path("packed"))
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the project, in which the test runs."""
    shutil.copytree(made, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def attnmt(attnmt: Command, project: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs ``attnmt`` in the project."""
    monkeypatch.chdir(project)
    return attnmt


def params_of(folder: Path) -> Params:
    return load_params(folder / "params.yaml", folder)


def rounded(translated: list[list[Translation]]) -> list[list[Translation]]:
    return [[one._replace(score=round(one.score, 4)) for one in line] for line in translated]


@pytest.mark.parametrize("name", NAMES)
def test_a_packed_model_translates_as_the_project_s_does(project, tmp_path, name):
    params = params_of(project)
    expected = load_translator(params, name, beam=4, n_best=2).translate(LINES)
    needed, packed = translator_files(params, name), tmp_path / "packed"
    pack_model(params, name, packed)
    shutil.rmtree(project)
    loaded = load(packed, beam=4)
    translated = [loaded.n_best(line, 2) for line in LINES]
    assert rounded(translated) == rounded(expected)
    assert any(line[0].text for line in translated)
    files = {file.relative_to(packed) for file in packed.rglob("*") if file.is_file()}
    assert files == {*map(Path, (CARD, DESCRIPTION, "params.yaml", "systems.yaml")), *needed}


def test_half_of_the_bits_give_nearly_the_same_scores(project, attnmt):
    """They are those of the same model with rounded weights, computed with 32 bits."""
    whole = Path("models/demo/local_p/weights.safetensors")
    assert attnmt("pack", "half", "--half", "--model", BEST)[0] == 0
    assert Path("half", whole).stat().st_size < 0.7 * whole.stat().st_size
    weights, metadata = read_tensors(whole)
    write_tensors(whole, {key: one.half().float() for key, one in weights.items()}, metadata)
    rounded_weights = load_translator(params_of(project), BEST)
    for line in (LINES[0], LINES[2]):
        exact, half = (load(folder).translate(line) for folder in (PACKED, Path("half")))
        assert half.score == pytest.approx(exact.score, abs=0.01)
        assert half.score != exact.score
        assert half.score == rounded_weights.translate([line])[0][0].score


@pytest.mark.parametrize("name", ["local_p", "german", "ensemble"])
def test_the_card_has_the_scores_and_the_trainings(project, name):
    params = params_of(project)
    pack_model(params, name, Path("other"))
    card = Path("other", CARD).read_text(encoding="utf-8")
    assert "22.0 (21.0 to 23.0)" in card
    assert "made|sacrebleu" in card
    for member in params.translators(name).members:
        about = "2015-09-17T12:00:00Z | a processor"
        assert f"| {member} | {params.trainings[member].seed} | {about} |" in card
    source, target = ("German", "English") if name == "german" else ("English", "German")
    assert card.startswith(f"# {name}: {source} to {target}\n")


def test_every_changed_or_missing_file_is_named(project):
    for file in translator_files(params_of(project), BEST):
        path = PACKED / file
        content = path.read_bytes()
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        with pytest.raises(InputError, match=f"^{path}: missing"):
            read_packed(PACKED)
        path.unlink()
        with pytest.raises(InputError, match=f"^{path}: missing"):
            read_packed(PACKED)
        path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 1}, "packed/MLmodel: metadata.format: "),
        ({"files": {"../secret": "0" * 64}}, "must be a path inside"),
    ],
)
def test_a_damaged_description_is_named(project, change, message):
    description = read_json(PACKED / DESCRIPTION)
    description["metadata"] |= change
    (PACKED / DESCRIPTION).write_text(json.dumps(description))
    with pytest.raises(InputError, match=re.escape(message)):
        read_packed(PACKED)


def test_pack_writes_a_new_folder_and_replaces_nothing(project, attnmt):
    status, output, error = attnmt("pack", "new", "--model", "plain")
    assert (status, error) == (0, "")
    assert output.startswith("new: plain of demo, 0.0 MB")
    assert read_packed(Path("new")).model == "plain"
    before = sorted(Path().rglob("*"))
    for place in ("models", "params.yaml", "packed"):
        status, output, error = attnmt("pack", place)
        assert (status, output) == (2, "")
        assert error.startswith(f"error: {place}: ")
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("change", [{"data": "f" * SHA_DIGITS}, {"value": 1.0}])
def test_scores_of_other_data_or_weights_are_refused(project, change):
    path = Path("scores/demo/local_p.csv")
    lines = read_scores(params_of(project), BEST).lines
    write_score_table(path, (line.model_copy(update=change) for line in lines))
    with pytest.raises(InputError, match=rf"^{path}: .* evaluate of {BEST}"):
        pack_model(params_of(project), BEST, Path("new"))
    assert not Path("new").exists()


def test_the_commands_take_packed_weights_in_any_folder(project, attnmt, tmp_path, monkeypatch):
    sentence = ENGLISH["test"][0]
    expected = load_translator(params_of(project), BEST).translate([sentence])[0][0]
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    weights, other = ("--weights", str(project / "packed")), ("--weights", str(DEMO))
    assert attnmt("translate", sentence, *weights)[:2] == (0, f"{expected.text}\n")
    assert attnmt("explain", sentence, *other, *weights, *other)[0] == 0
    page = Path("explain.html").read_text(encoding="utf-8")
    names = [read_packed(Path(path)).model for _, path in (other, weights)]
    assert re.findall(r"<h2 id=.*?>(.+?) <", page) == names
    for also in (("--model", BEST), ("-e", "other")):
        status, _, error = attnmt("translate", sentence, *weights, *also)
        assert status == 2
        assert error.startswith("error: --weights: ")
    assert attnmt("explain", sentence, "--weights", "nowhere")[2].startswith("error: nowhere: ")


@pytest.mark.parametrize(
    ("weights", "most"),
    [(DEMO, 4e6), (ROOT / "weights/captions-strong", 10e6)],
    ids=["demo", "captions"],
)
def test_ready_made_weights_are_small_and_translate_the_sentences_of_the_readme(weights, most):
    assert sum(path.stat().st_size for path in weights.rglob("*") if path.is_file()) < most
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = f"attnmt translate --weights {weights.relative_to(ROOT)}"
    sources = re.findall(f'^    {command} "(.+)"$', readme, re.MULTILINE)
    assert sources
    in_one_line = " ".join(readme.split())
    translator = load(weights)
    for source in sources:
        best = translator.translate(source)
        assert f"“{best.text}”" in in_one_line
        assert best.links


def test_mlflow_loads_the_folder(monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow = pytest.importorskip("mlflow", reason="needs MLflow: pip install -e .[workflow]")
    model = mlflow.pyfunc.load_model(str(DEMO))
    sentences = [SENTENCE, "", "The old house is small."]
    expected = [best.text for best in load(DEMO).translate(sentences)]
    assert model.predict(sentences) == expected
    assert model.predict(pd.DataFrame({"text": sentences})) == expected  # as a server gives them
    with pytest.raises(mlflow.exceptions.MlflowException, match="several lines"):
        model.predict(["One.\nTwo."])
