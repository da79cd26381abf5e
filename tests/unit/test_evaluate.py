"""The stage evaluate on made-up translations, run as a command and as a function."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files import sha256, write_json, write_lines

ROOT = Path(__file__).parents[2]
REFERENCE = [
    "Das gut @-@ bekannte Haus ist alt .",
    "Er sagt : &quot; Ich komme heute nicht . &quot;",
    "Die Katze sitzt auf der Matte .",
]
OUTPUT = [
    "Das gut @-@ bekannte <unk> ist alt .",
    "Er sagt : &quot; Ich komme heute nicht . &quot;",
    "Die Katze sitzt auf einer <unk> .",
]
REPLACED = [
    "Das gut @-@ bekannte Haus ist alt .",
    "Er sagt : &quot; Ich komme heute nicht . &quot;",
    "Die Katze sitzt auf einer Matte .",
]


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """The stage's module, in a folder with all that it reads; MLflow's part only notes its call."""
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("stage_evaluate", ROOT / "stages/evaluate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.tracked = []
    monkeypatch.setattr(module.tracking, "log_scores", lambda *a: module.tracked.append(a))
    write_inputs()
    return module


def write_inputs():
    Path("params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    for name in ("test1", "test2"):
        write_lines(Path(f"data/demo/encoded/luong/{name}.de.tok"), REFERENCE)
        write_lines(Path(f"translations/demo/base/{name}.out"), OUTPUT)
        write_lines(Path(f"translations/demo/base/{name}.replaced"), REPLACED)
    write_json(Path("data/demo/encoded/luong/summary.json"), {"digest": "e" * 64, "pieces": False})
    perplexity = {"test1": 8.5, "test2": 9.5}
    write_metrics({"dataset_digest": "e" * 64, "best_step": 7, "perplexity": perplexity})


def write_metrics(metrics):
    write_json(Path("models/demo/base/metrics.json"), metrics)


def run(stage, name="base"):
    stage.main(Path("params.yaml"), name)
    return json.loads(Path(f"scores/demo/{name}.json").read_text(encoding="utf-8"))


def test_every_set_has_its_numbers_and_what_they_are(stage):
    scores = run(stage)
    facts = {key: value for key, value in scores.items() if key != "sets"}
    assert facts == {
        "stage": "evaluate",
        "profile": "demo",
        "name": "base",
        "models": ["base"],
        "average": None,
        "seed": 1,
        "family": "luong",
        "direction": "en-de",
        "beam": load_params(Path("params.yaml")).decoding.beam,
        "dataset_digest": "e" * 64,
        "alignment": None,
    }
    assert list(scores["sets"]) == ["test1", "test2"]
    first = scores["sets"]["test1"]
    assert (first["perplexity"], first["lines"]) == (8.5, 3)
    assert first["reference_sha256"] == sha256(Path("data/demo/encoded/luong/test1.de.tok"))
    assert scores["sets"]["test2"]["perplexity"] == 9.5
    assert stage.tracked == [("demo", "base")]


def test_the_scores_are_of_joined_tokens_and_of_detokenised_text(stage):
    first = run(stage)["sets"]["test1"]
    joined = [[line.replace(" @-@ ", "-") for line in lines] for lines in (OUTPUT, REFERENCE)]
    before = BLEU(tokenize="none", smooth_method="none", force=True)
    expected = before.corpus_score(joined[0], [joined[1]]).score
    assert first["before"]["tokenised"]["value"] == pytest.approx(expected, abs=1e-4)
    written = ["Das gut-bekannte Haus ist alt.", 'Er sagt: "Ich komme heute nicht."']
    hypotheses = [*written, "Die Katze sitzt auf einer Matte."]
    references = [*written, "Die Katze sitzt auf der Matte."]
    expected = BLEU(tokenize="13a").corpus_score(hypotheses, [references]).score
    assert first["after"]["nist"]["value"] == pytest.approx(expected, abs=1e-4)
    assert first["after"]["tokenised"]["value"] > first["before"]["tokenised"]["value"]


def test_links_are_judged_in_each_reading(stage):
    """de-en: the links are German-English, the gold ones English-German."""
    name = "de_en_global_location"
    write_lines(Path("data/demo/encoded/luong/test1.links"), ["0-0 1-1", "0-1 1?0", "0-0"])
    readings = {"same": "0-0 1-1", "next": "0-0 0-1", "authors": "0-0 1-1"}
    for test in ("test1", "test2"):
        write_lines(Path(f"data/demo/encoded/luong/{test}.en.tok"), REFERENCE)
        for end in ("out", "replaced"):
            write_lines(Path(f"translations/demo/{name}/{test}.{end}"), OUTPUT)
    for step, first in readings.items():
        lines = [first, "0-1 1-0", "0-0"]
        write_lines(Path(f"translations/demo/{name}/test1.forced.{step}.links"), lines)
    metrics = {"dataset_digest": "e" * 64, "perplexity": {"test1": 8.5, "test2": 9.5}}
    write_json(Path(f"models/demo/{name}/metrics.json"), metrics)
    alignment = run(stage, name)["alignment"]
    # 5 links, 4 sure; all are right but for next, whose second is wrong.
    assert alignment["aer_by_link_step"] == pytest.approx(
        {"same": 1 - (4 + 5) / 9, "next": 1 - (3 + 4) / 9, "authors": 1 - (4 + 5) / 9}
    )
    assert (alignment["set"], alignment["lines"], alignment["link_step"]) == ("test1", 3, "same")
    assert (alignment["sure"], alignment["possible"]) == (4, 5)


def test_an_ensemble_names_its_members_and_how_it_averages(stage):
    members = load_params(Path("params.yaml")).ensembles["ensemble"].members
    for test in ("test1", "test2"):
        for end in ("out", "replaced"):
            write_lines(Path(f"translations/demo/ensemble/{test}.{end}"), OUTPUT)
    for step in ("same", "next", "authors"):
        lines = ["0-0", "0-1", "1-0"]
        write_lines(Path(f"translations/demo/ensemble/test1.forced.{step}.links"), lines)
    scores = run(stage, "ensemble")
    assert scores["models"] == members
    assert (scores["average"], scores["seed"]) == ("logits", None)
    assert scores["sets"]["test1"]["perplexity"] is None
    assert scores["alignment"]["aer"] is None  # no gold links here


def test_words_and_pieces_have_the_same_reference(stage):
    name = "local_p_general_feed_bpe"
    pieces = [line.replace("Haus", "Ha@@ us") for line in REFERENCE]
    folder = Path("data/demo/encoded/luong_bpe")
    write_json(folder / "summary.json", {"digest": "e" * 64, "pieces": True})
    metrics = {"dataset_digest": "e" * 64, "perplexity": {"test1": 8.5, "test2": 9.5}}
    write_json(Path(f"models/demo/{name}/metrics.json"), metrics)
    for test in ("test1", "test2"):
        write_lines(folder / f"{test}.de.tok", pieces)
        for end in ("out", "replaced"):
            write_lines(Path(f"translations/demo/{name}/{test}.{end}"), OUTPUT)
    for step in ("same", "next", "authors"):
        write_lines(Path(f"translations/demo/{name}/test1.forced.{step}.links"), ["0-0"] * 3)
    of_pieces, of_words = (run(stage, n)["sets"]["test1"] for n in (name, "base"))
    assert of_pieces["reference_sha256"] == of_words["reference_sha256"]
    assert of_pieces["before"] == of_words["before"]


def test_the_same_files_give_the_same_bytes(stage):
    run(stage)
    before = Path("scores/demo/base.json").read_bytes()
    run(stage)
    assert Path("scores/demo/base.json").read_bytes() == before


def test_a_model_that_says_nothing_scores_zero(stage):
    for end in ("out", "replaced"):
        write_lines(Path(f"translations/demo/base/test1.{end}"), ["", "", ""])
    assert run(stage)["sets"]["test1"]["after"]["nist"]["value"] == 0


def test_unequal_line_counts_are_named(stage):
    write_lines(Path("translations/demo/base/test2.replaced"), REPLACED[:2])
    with pytest.raises(InputError, match=r"base/test2.replaced: 2 lines, but .*test2.de.tok has 3"):
        run(stage)
    assert not Path("scores").exists()


@pytest.mark.parametrize(
    "file",
    [
        "translations/demo/base/test1.out",
        "data/demo/encoded/luong/test1.de.tok",
        "data/demo/encoded/luong/summary.json",
        "models/demo/base/metrics.json",
    ],
)
def test_missing_files_are_named(stage, file):
    Path(file).unlink()
    with pytest.raises(InputError, match=f"{file}: no such file"):
        run(stage)


def test_a_missing_perplexity_is_named(stage):
    write_metrics({"dataset_digest": "e" * 64, "perplexity": {"test1": 8.5}})
    with pytest.raises(InputError, match=r"metrics.json: no perplexity of 'test2'"):
        run(stage)


@pytest.mark.parametrize("digest", [{}, {"dataset_digest": "f" * 64}])
def test_a_model_trained_on_other_data_is_refused(stage, digest):
    write_metrics(digest | {"perplexity": {"test1": 8.5, "test2": 9.5}})
    message = (
        r"base/metrics.json: trained on other data than lie in data/demo/encoded/luong; train "
    )
    with pytest.raises(InputError, match=message + "base again"):
        run(stage)
    assert not Path("scores").exists()


def faults():
    yield "line", lambda: write_lines(Path("translations/demo/base/test2.out"), OUTPUT[:1])
    yield "file", Path("translations/demo/base/test2.replaced").unlink
    yield (
        "perplexity",
        lambda: write_metrics({"dataset_digest": "e" * 64, "perplexity": {"test1": 8.5}}),
    )


@pytest.mark.parametrize("spoil", [pytest.param(spoil, id=name) for name, spoil in faults()])
def test_every_set_is_checked_before_the_first_is_scored(stage, monkeypatch, spoil):
    scored = []
    monkeypatch.setattr(stage, "score_translations", lambda *inputs: scored.append(inputs) or {})
    run(stage)
    assert len(scored) == 4
    scored.clear()
    spoil()
    with pytest.raises(InputError, match="test2"):
        run(stage)
    assert not scored


def test_another_seed_is_refused_before_the_first_bootstrap(stage, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    monkeypatch.setattr(BLEU, "corpus_score", lambda *_, **__: pytest.fail("a set was scored"))
    with pytest.raises(InputError, match="SACREBLEU_SEED must be 12345 or unset"):
        run(stage)


def test_the_command_needs_neither_torch_nor_mlflow(stage):
    code = "import sys, runpy; sys.modules['torch'] = sys.modules['mlflow'] = None\n"
    code += f"runpy.run_path({str(ROOT / 'stages/evaluate.py')!r}, run_name='__main__')"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", code, "params.yaml", "base"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("MLflow could not") == 1
    assert Path("scores/demo/base.json").exists()
    Path("params.yaml").unlink()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert done.stderr.startswith("error: params.yaml: ")
