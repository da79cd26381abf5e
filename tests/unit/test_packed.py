"""Packed models: what ``attnmt pack`` writes translates elsewhere, and weights/demo is one of them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import made_records
import pytest
from made_scores import score_lines
from small_experiment import ENGLISH, make_experiment
from small_project import Command

from attnmt import load
from attnmt.commands.model_choice import READY_MADE
from attnmt.config import Params
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.text_translator import Translation, load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import read_json, sha256, write_json, write_lines
from attnmt.layout import Layout
from attnmt.scoring.evaluate import SHA_DIGITS
from attnmt.scoring.numbers import read_scores, write_numbers
from attnmt.serving import packing
from attnmt.serving.packed import CARD, MANIFEST, read_packed
from attnmt.serving.packing import pack_model
from attnmt.text.encoded import EncodedSets

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "weights/demo"
NAMES = ["local_p", "plain", "german", "subwords", "gru", "ensemble"]
BEST, PACKED = "local_p", Path("packed")
LINES = ["The old garden is newer than Smith's house.", "", 'B-side gardens & "houses"']


def write_records(params: Params, name: str) -> None:
    """Write what a packed model's card reads: the scores, and where its members were trained."""
    layout, translators = Layout(params.experiment), params.translators(name)
    digest = EncodedSets(layout.encoded(translators.family)).digest
    lines = score_lines(params, name, 20.0)
    changed = (line.model_copy(update={"data": digest[:SHA_DIGITS]}) for line in lines)
    write_numbers(layout.scores(name), changed)
    for member in translators.members:
        model = params.models[member]
        about = {"experiment": params.experiment, "family": model.family, "seed": model.seed}
        content = made_records.provenance(member, **about, dataset_digest=digest)
        write_json(layout.model(member) / "provenance.json", content)


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
    return read_packed(folder / "packed").params


def pack_again(path: Path) -> None:
    """Have the manifest describe a file as it is now."""
    manifest = read_json(PACKED / MANIFEST)
    about = {"bytes": path.stat().st_size, "sha256": sha256(path)}
    manifest["files"][path.relative_to(PACKED).as_posix()] = about
    write_json(PACKED / MANIFEST, manifest)


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
    assert files == {Path(CARD), Path(MANIFEST), *needed}


def test_the_card_has_the_digests_of_the_manifest(project):
    files = translator_files(params_of(project), BEST)
    card = (PACKED / CARD).read_text(encoding="utf-8")
    manifest = read_json(PACKED / MANIFEST)
    assert f'translate("{manifest["example"]}")' in card
    assert list(manifest["files"]) == sorted(map(str, files))
    for file in files:
        digest = sha256(PACKED / file)
        assert manifest["files"][str(file)]["sha256"] == digest
        assert f"| {file} | {(PACKED / file).stat().st_size:,} | {digest} |" in card


@pytest.mark.parametrize("name", ["local_p", "german", "ensemble"])
def test_the_card_says_what_was_trained_and_scored(project, name):
    params = params_of(project)
    pack_model(params, name, Path("other"))
    card = Path("other", CARD).read_text(encoding="utf-8")
    assert "22.0 (21.0 to 23.0)" in card
    assert made_records.provenance(name)["code"] in card
    assert "`made|sacrebleu`" in card
    for member in params.translators(name).members:
        assert f"| model | {member} |" in card
    source, target = ("German", "English") if name == "german" else ("English", "German")
    assert card.startswith(f"# {name}: {source} to {target}\n")


def test_the_card_says_when_the_rate_falls_and_by_what_optimizer(project):
    """The schedule of the authors' program halves the rate one epoch later than the paper says."""
    for schedule, optimizer, text in (
        ("paper", "sgd", "SGD at 1.0, halved every epoch after epoch 2;"),
        ("program", "Nesterov", "Nesterov at 1.0, halved every epoch after epoch 3;"),
    ):
        recipe = params_of(project).recipe("local_p")
        recipe = recipe.model_copy(
            update={"schedule": schedule, "optimizer": optimizer, "halve_after": 2}
        )
        loaded = load_translator(params_of(project), "local_p")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(packing, "load_translator", lambda *_, one=loaded: one)
            patch.setattr(Params, "recipe", lambda *_, one=recipe: one)
            pack_model(params_of(project), "local_p", Path("other"))
        assert text in Path("other", CARD).read_text(encoding="utf-8")


def test_the_card_s_example_in_python_works(project):
    card = Path("packed", CARD).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    (translation,) = re.findall(r"^The first command prints\n\n    (.*)$", card, re.MULTILINE)
    assert shown.stdout.startswith(f"{translation} [")


def test_every_changed_or_missing_file_is_named(project):
    for file in translator_files(params_of(project), BEST):
        path = PACKED / file
        content = path.read_bytes()
        fault = rf"^{path}: missing, or not the file that was packed; get the"
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        with pytest.raises(InputError, match=fault):
            read_packed(PACKED)
        path.unlink()
        with pytest.raises(InputError, match=fault):
            read_packed(PACKED)
        path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 1}, "packed/manifest.json: format: Input should be 2"),
        ({"files": {"../secret": {"bytes": 1, "sha256": "0" * 64}}}, "must be a path inside"),
        ({"params_file": "/etc/params.yaml"}, "params_file: must be a path inside the folder"),
        ({"model": "gruu"}, "no model or ensemble 'gruu'; did you mean 'gru'?; the model was"),
    ],
)
def test_a_damaged_manifest_is_named(project, change, message):
    damaged = read_json(PACKED / MANIFEST) | change
    (PACKED / MANIFEST).write_text(json.dumps(damaged))
    with pytest.raises(InputError, match=re.escape(message)):
        read_packed(PACKED)


def test_vocabularies_in_another_order_are_refused_though_all_digests_agree(project):
    path = next(PACKED.rglob("vocab.en"))
    first, *words, last = path.read_text(encoding="utf-8").splitlines()
    write_lines(path, [first, *words[:-2], last, *words[-2:]])
    pack_again(path)
    with pytest.raises(InputError, match=rf"^{path}: its words, or their order"):
        load("packed")


def test_a_folder_that_is_not_packed_is_named(project):
    with pytest.raises(InputError, match=r"^models: has no manifest\.json; name a folder"):
        read_packed(Path("models"))


def test_parameters_that_this_code_does_not_know_name_the_commit(project):
    path = PACKED / "params.yaml"
    path.write_text(path.read_text() + "unknown_key: 1\n")
    pack_again(path)
    fault = r"unknown_key.*; the model was trained at commit 89abcdef"
    with pytest.raises(InputError, match=fault):
        read_packed(PACKED)


def test_pack_replaces_a_packed_folder_and_nothing_else(project, attnmt):
    status, output, error = attnmt("pack", "packed", "--model", "plain")
    assert (status, error) == (0, "")
    assert output.startswith("packed: plain of demo, 0.0 MB; its README.md describes it\n")
    assert read_packed(Path("packed")).model == "plain"
    assert not Path("packed/models/demo", BEST).exists()
    before = sorted(Path("models").rglob("*"))
    Path("packed/.git").mkdir()
    Path("packed/.git/config").write_text("mine")
    Path("app").mkdir()
    Path("app/manifest.json").write_text('{"name": "a web app"}')
    for place, fault in (
        ("models", "models: has files in it"),
        ("params.yaml", "params.yaml: a folder is to be"),
        ("packed", "packed/.git/config: would be removed, and attnmt pack did not write it"),
        ("app", "app/manifest.json: format: this key is missing (and"),
    ):
        status, output, error = attnmt("pack", place)
        assert (status, output) == (2, "")
        assert error.startswith(f"error: {fault}")
    assert sorted(Path("models").rglob("*")) == before
    assert Path("packed/.git/config").read_text() == "mine"
    assert len(list(Path("app").iterdir())) == 1


def test_scores_of_other_data_are_refused(project):
    path = Path("scores/demo/local_p.csv")
    lines = read_scores(params_of(project), BEST).lines
    write_numbers(path, (line.model_copy(update={"data": "f" * SHA_DIGITS}) for line in lines))
    fault = rf"^{path}: the encoded data changed after this model was scored"
    with pytest.raises(InputError, match=fault):
        pack_model(params_of(project), BEST, Path("new"))
    assert not Path("new").exists()


def test_the_commands_take_packed_weights_in_any_folder(project, attnmt, tmp_path, monkeypatch):
    sentence = ENGLISH["test"][0]
    expected = load_translator(params_of(project), BEST).translate([sentence])[0][0]
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    weights = ("--weights", str(project / "packed"))
    assert attnmt("translate", sentence, *weights)[:2] == (0, f"{expected.text}\n")
    status, output, error = attnmt("explain", sentence, *weights, "--text")
    assert (status, error) == (0, "")
    assert expected.words[0] in output
    other = ("--weights", str(DEMO))
    three = attnmt("explain", sentence, *weights, *other, *weights, "--text")[1]
    assert three.startswith(output)
    assert three.count(output) == 1
    both = attnmt("explain", sentence, *other, *weights, "-o", "-")[1]
    names = [read_packed(DEMO).model.replace("_", "_<wbr>"), "demo"]
    assert re.findall(r"<small>(?:demo: )?(.+?)</small>", both) == names
    for other in (("--model", BEST), ("-e", "other")):
        status, _, error = attnmt("serve", *weights, *other)
        assert status == 2
        assert error.endswith("has a model of its own; leave out --model and --experiment\n")
    assert attnmt("serve", "--weights", "nowhere")[2].startswith("error: nowhere: there is no")


def test_without_a_trained_model_the_ready_made_weights_translate(project, attnmt):
    Path("weights").mkdir()
    PACKED.rename(READY_MADE)
    sentence = ENGLISH["test"][0]
    translated = attnmt("translate", sentence)
    assert "is used, because" not in translated[2]
    Layout("demo").reading("local_p").unlink()  # as while `make demo` runs
    status, output, error = attnmt("translate", sentence)
    note = (
        f"note: local_p of {READY_MADE} is used, because the demo's best model is not ready here; to "
        "train the demo's models: make demo\n"
    )
    assert (status, output, error) == (*translated[:2], note + translated[2])
    shutil.rmtree("models")
    assert attnmt("explain", sentence, "--text")[2] == note
    status, _, error = attnmt("translate", sentence, "--model", "gru")
    assert (status, "models/demo/gru/weights.safetensors: no such file" in error) == (2, True)
    shutil.rmtree("weights")
    assert attnmt("translate", sentence)[2].startswith("error: models/demo/*/metrics.json: no")


def test_the_card_names_the_license_of_the_text(project, attnmt):
    assert attnmt("pack", "again", "--text-license", "CC BY 4.0")[0] == 0
    card = Path("again", CARD).read_text(encoding="utf-8")
    assert "the license CC BY 4.0, and the weights are handed on under the same terms" in card
    assert "--text-license 'CC BY 4.0' again" in card


@pytest.mark.parametrize(("weights", "most"), [(DEMO, 4e6), (ROOT / READY_MADE, 30e6)])
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


def test_git_keeps_the_bytes_of_packed_weights():
    """A checkout that changed line ends would change digests."""
    names = [
        (manifest.parent / name).relative_to(ROOT).as_posix()
        for manifest in ROOT.glob(f"weights/*/{MANIFEST}")
        for name in read_json(manifest)["files"]
    ]
    command = ["git", "-C", str(ROOT), "check-attr", "text", "--", *names]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    if shown.returncode:
        pytest.skip("this is no checkout of git")
    assert shown.stdout.splitlines() == [f"{name}: text: unset" for name in names]
