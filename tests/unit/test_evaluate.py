"""The stage evaluate on made-up translations, run as a command and as a function."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from made_records import metrics, summary
from sacrebleu.metrics import BLEU, CHRF, TER

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.text_file import sha256, write_json, write_lines
from attnmt.scoring import evaluate as library
from attnmt.scoring.results import Score
from attnmt.scoring.scripts import SCRIPTS
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.vocabulary import SPECIAL

ROOT = Path(__file__).parents[2]
BEST = "local_p_general_feed"
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
# The text as it was typed: with a space before the colon, which tokens do not keep.
RAW = [
    "Das gut-bekannte Haus ist alt.",
    'Er sagt : "Ich komme heute nicht."',
    "Die Katze sitzt auf der Matte .",
]
WRITTEN = [
    "Das gut-bekannte Haus ist alt.",
    'Er sagt: "Ich komme heute nicht."',
    "Die Katze sitzt auf der Matte.",
]
UNKNOWN = {"Haus", "Matte"}
KNOWN = {word for line in REFERENCE for word in line.split()} - UNKNOWN
TRANSLATED = [*WRITTEN[:2], "Die Katze sitzt auf einer Matte."]


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Return the stage's module, in a folder with all the files that it reads."""
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("stage_evaluate", ROOT / "stages/evaluate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    write_inputs()
    return module


@pytest.fixture
def scored(monkeypatch):
    """Return a list that notes which scripts run, in order; none does any work."""
    scripts = []

    def note(script, translations, references, samples):
        scripts.append(script)
        return Score(value=1.0, low=0.5, high=1.5, signature=script, lines=len(references))

    monkeypatch.setattr(library, "score", note)
    return scripts


def write_inputs():
    for name in ("params.yaml", "systems.yaml"):
        shutil.copy(ROOT / name, name)
    write_family("luong", "de", REFERENCE)
    for language in ("en", "de"):
        write_lines(Path(f"data/demo/tokens/test1.{language}"), REFERENCE)
    write_lines(Path("data/demo/dictionary/test1.links"), ["0-0", "0-1", "1-0"])
    write_translations("base")
    write_metrics()


def write_family(family, target, reference, pieces=False):
    folder = Path("data/demo/encoded", family)
    lines = {test: len(reference) for test in ("test1", "test2")}
    vocabulary = [*SPECIAL, *sorted(KNOWN)]
    counts = {"vocabulary": dict.fromkeys(("en", "de"), len(vocabulary)), "pieces": pieces}
    write_json(folder / "summary.json", summary(lines, digest="e" * 64, **counts))
    for test in ("test1", "test2"):
        write_lines(Path(f"data/demo/raw/{test}.{target}"), RAW)
        for language in ("en", "de"):  # both sides have as many words
            write_lines(folder / f"{test}.{language}.tok", reference)
            write_lines(folder / f"vocab.{language}", vocabulary)


def write_translations(name, links=()):
    """Write a system's translations and, if it has links, the same links for each reading."""
    for test in ("test1", "test2"):
        write_lines(Path(f"translations/demo/{name}/{test}.out"), OUTPUT)
        write_lines(Path(f"translations/demo/{name}/{test}.replaced"), REPLACED)
    if links:
        for step in ("same", "next"):
            write_forced(name, step, links)
        write_reading(name)


def write_forced(name, step, links):
    write_lines(Path(f"translations/demo/{name}/test1.forced.{step}.links"), links)


def write_reading(name, **changes):
    reading = {"set": "dev", "unknown_words": 9, "hits": {"same": 1, "next": 2}}
    reading |= {"chosen": "next", "authors": "same"}
    write_json(Path(f"translations/demo/{name}/reading.json"), reading | changes)


def write_metrics(name="base", **changes):
    values = metrics(dataset_digest="e" * 64, perplexity={"test1": 8.5, "test2": 9.5}) | changes
    write_json(Path(f"models/demo/{name}/metrics.json"), values)


def change_params(**sections):
    """Change keys of sections of the parameters."""
    params = json.loads(json.dumps(yaml.safe_load(Path("params.yaml").read_text("utf-8"))))
    for name, changes in sections.items():
        section = params["families"]["luong"] if name == "encoding" else params
        section[name] |= changes
    Path("params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")


def run(stage, name="base"):
    stage.main(Path("params.yaml"), name)
    return json.loads(Path(f"scores/demo/{name}.json").read_text(encoding="utf-8"))


def test_every_set_has_its_numbers_and_says_what_they_are(stage):
    scores = run(stage)
    facts = {key: value for key, value in scores.items() if key != "sets"}
    assert facts == {
        "stage": "evaluate",
        "experiment": "demo",
        "name": "base",
        "models": ["base"],
        "average": None,
        "seed": 1,
        "family": "luong",
        "direction": "forward",
        "beam": load_params(Path("params.yaml")).decoding.beam,
        "dataset_digest": "e" * 64,
        "alignments": [],
        "reading": None,
    }
    assert list(scores["sets"]) == ["test1", "test2"]
    first = scores["sets"]["test1"]
    assert (first["perplexity"], first["lines"]) == (8.5, 3)
    assert first["reference_sha256"] == sha256(Path("data/demo/encoded/luong/test1.de.tok"))
    assert scores["sets"]["test2"]["perplexity"] == 9.5


def test_the_scores_are_of_joined_tokens_and_of_detokenized_text(stage):
    first = run(stage)["sets"]["test1"]
    joined = [[line.replace(" @-@ ", "-") for line in lines] for lines in (OUTPUT, REFERENCE)]
    before = BLEU(tokenize="none", smooth_method="none", force=True)
    expected = before.corpus_score(joined[0], [joined[1]]).score
    assert first["before"]["tokenized"]["value"] == pytest.approx(expected, abs=1e-4)
    expected = BLEU(tokenize="13a").corpus_score(TRANSLATED, [WRITTEN]).score
    assert first["after"]["nist"]["value"] == pytest.approx(expected, abs=1e-4)
    assert first["after"]["tokenized"]["value"] > first["before"]["tokenized"]["value"]


def test_sacrebleus_own_scores_are_against_the_raw_reference(stage):
    first = run(stage)["sets"]["test1"]
    assert first["written_reference"] == "data/demo/raw/test1.de"
    for script, metric in {"sacrebleu": BLEU(), "chrf": CHRF(), "ter": TER()}.items():
        expected, other = (metric.corpus_score(TRANSLATED, [r]).score for r in (RAW, WRITTEN))
        assert first["after"][script]["value"] == pytest.approx(expected, abs=1e-4)
        if script == "ter":  # the one that counts a space
            assert abs(expected - other) > 1


@pytest.mark.parametrize(
    ("section", "changes"),
    [
        ("encoding", {"lowercase": True}),
        ("encoding", {"length": 20}),
        ("languages", {"target": {"code": "de", "name": "German", "tokenize": "none"}}),
    ],
    ids=str,
)
def test_a_family_that_reads_other_text_is_scored_against_its_own(stage, section, changes):
    change_params(**{section: changes})
    Path("data/demo/raw/test1.de").unlink()
    first = run(stage)["sets"]["test1"]
    assert first["written_reference"] == first["reference"]
    expected = TER().corpus_score(TRANSLATED, [WRITTEN]).score
    assert first["after"]["ter"]["value"] == pytest.approx(expected, abs=1e-4)


def test_groups_of_length_are_of_the_size_that_the_parameters_name(stage):
    change_params(evaluation={"length_group": 2})
    groups = run(stage)["sets"]["test1"]["lengths"]
    assert [(group["max_length"], group["lines"]) for group in groups] == [(7, 2), (10, 1)]
    assert groups[0]["before"] < groups[0]["after"] < groups[1]["after"] == 100


def test_a_set_that_replacement_did_not_change_is_scored_once(stage, scored):
    write_lines(Path("translations/demo/base/test1.replaced"), OUTPUT)
    first = run(stage)["sets"]["test1"]
    assert first["after"] == first["before"]
    assert scored == [*SCRIPTS] * 3  # test1 once, test2 before and after


@pytest.mark.parametrize("authors", ["same", "next"])
def test_links_are_judged_in_both_readings_and_the_rate_is_the_authors(stage, authors):
    """The links are German-English, the gold ones English-German."""
    name = "back_global_location"
    write_family("luong", "en", REFERENCE)
    write_lines(Path("data/demo/tokens/test1.links"), ["0-0 1-1", "0-1 1?0", "0-0"])
    write_translations(name, links=["0-0 1-1", "0-1 1-0", "0-0"])
    write_forced(name, "next", ["0-0 0-1", "0-1 1-0", "0-0"])
    write_reading(name, authors=authors)
    write_metrics(name)
    scores = run(stage, name)
    (alignment,) = scores["alignments"]
    assert (scores["reading"]["chosen"], scores["reading"]["authors"]) == ("next", authors)
    # There are 5 links and 4 sure ones; all are right except the second of the reading "next".
    rates = {"same": 1 - (4 + 5) / 9, "next": 1 - (3 + 4) / 9}
    assert alignment["aer_by_link_step"] == pytest.approx(rates)
    assert (alignment["set"], alignment["lines"], alignment["link_step"]) == ("test1", 3, authors)
    assert (alignment["kind"], alignment["sure"], alignment["possible"]) == ("gold", 4, 5)
    assert alignment["aer"] == pytest.approx(rates[authors])
    if authors == "same":
        assert alignment["low"] == alignment["high"] == 0
    else:
        assert alignment["low"] < alignment["aer"] < alignment["high"]


READING = (
    '{{"set": "dev", "unknown_words": {}, "hits": {{"same": {}, "next": {}}}, "chosen": "{}", '
    '"authors": "same"}}'
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; run the stage translate for ensemble first, which chooses how"),
        ("[]", "the content: Input should be a valid dictionary"),
        (
            '{"set": "dev"}',
            "unknown_words: this key is missing .* run the stage translate for ensemble",
        ),
        ("{", "not JSON"),
        (READING.format(3, 1, 2, "same"), "chosen is 'same', which the hits contradict"),
        (READING.format(2, 2, 2, "next"), "chosen is 'next', which the hits contradict"),
        (READING.format(3, 1, 4, "next"), "hits must not be more than the unknown words"),
        (READING.replace("same", "next", 1).format(3, 1, 2, "next"), "hits must have a number for"),
    ],
)
def test_a_reading_that_is_not_there_or_damaged_is_named(stage, scored, content, message):
    write_translations("ensemble", links=["0-0", "0-1", "1-0"])
    path = Path("translations/demo/ensemble/reading.json")
    path.unlink()
    if content:
        path.write_text(content)
    with pytest.raises(InputError, match=rf"{path}: .*{message}"):
        run(stage, "ensemble")
    assert not scored


def test_links_of_other_lines_are_named(stage, scored):
    write_translations("ensemble", links=["0-0", "0-1"])
    with pytest.raises(InputError, match=r"test1.forced.same.links: 2 lines where the text has 3"):
        run(stage, "ensemble")
    assert not scored


def test_replaced_words_are_counted_where_attention_replaces_words(stage):
    """The source is the reference here, so the right words are copied."""
    assert run(stage)["sets"]["test1"]["replacements"] is None  # no attention
    name = "global_dot_feed"
    write_translations(name, links=["0-0"] * 3)
    write_metrics(name)
    expected = {"unknown": 2, "replaced": 2, "right": 2, "repeated": 0}
    expected |= {"copied": 2, "copied_right": 2}
    assert run(stage, name)["sets"]["test1"]["replacements"] == expected
    sources = [line.replace("Haus", "house") for line in REFERENCE]
    write_lines(Path("data/demo/encoded/luong/test1.en.tok"), sources)
    wrong = [*REPLACED[:2], REPLACED[2].replace("einer Matte", "einer einer")]
    write_lines(Path(f"translations/demo/{name}/test1.replaced"), wrong)
    expected |= {"right": 1, "repeated": 1, "copied": 0, "copied_right": 0}
    scores = run(stage, name)["sets"]
    assert scores["test1"]["replacements"] == expected
    assert scores["test2"]["replacements"]["right"] == 2
    write_family("luong_bpe", "de", REFERENCE, pieces=True)
    write_translations(f"{BEST}_bpe", links=["0-0"] * 3)
    write_metrics(f"{BEST}_bpe")
    assert run(stage, f"{BEST}_bpe")["sets"]["test1"]["replacements"] is None


@pytest.mark.parametrize(
    ("file", "lines", "message"),
    [
        (
            "translations/demo/ensemble/test2.replaced",
            [*OUTPUT[:2], "Die <unk>"],
            ":3: 2 words, but",
        ),
        ("data/demo/encoded/luong/vocab.de", SPECIAL, ": 3 entries where summary.json has"),
        ("data/demo/encoded/luong/test2.en.tok", REFERENCE[:2], ": 2 lines where summary.json has"),
    ],
)
def test_a_file_that_the_replaced_words_do_not_fit_is_named(stage, scored, file, lines, message):
    write_translations("ensemble", links=["0-0", "0-1", "1-0"])
    write_lines(Path(file), lines)
    with pytest.raises(InputError, match=f"{file}{message}"):
        run(stage, "ensemble")
    assert not scored


def test_an_ensemble_names_its_members_and_how_it_averages(stage):
    members = load_params(Path("params.yaml")).ensembles["ensemble"].members
    write_translations("ensemble", links=["0-0", "0-1", "1-0"])
    scores = run(stage, "ensemble")
    assert scores["models"] == members
    assert (scores["average"], scores["seed"]) == ("logits", None)
    assert scores["sets"]["test1"]["perplexity"] is None
    (alignment,) = scores[
        "alignments"
    ]  # these are the aligner's links, which stand in for gold ones
    assert [alignment[key] for key in ("kind", "sure", "aer", "low")] == ["silver", 3, 0, 0]


def test_every_aligned_set_is_judged_by_links_of_its_own(stage):
    change_params(sets={"aligned": ["test1", "test2"]})
    name = "global_dot_feed"
    write_translations(name, links=["0-0", "0-1", "1-0"])
    for step in ("same", "next"):
        write_lines(Path(f"translations/demo/{name}/test2.forced.{step}.links"), ["0-0"] * 3)
    for language in ("en", "de"):
        write_lines(Path(f"data/demo/tokens/test2.{language}"), REFERENCE)
    write_lines(Path("data/demo/tokens/test2.links"), ["0-0 1-1", "0-0", "0?0 1-1"])
    write_metrics(name)
    first, second = run(stage, name)["alignments"]
    assert [first[key] for key in ("set", "kind", "aer")] == ["test1", "silver", 0]
    assert [second[key] for key in ("set", "kind", "sure")] == ["test2", "gold", 4]
    assert second["aer"] == pytest.approx(1 - (2 + 3) / (3 + 4))
    few = json.loads(Path(f"reports/demo/metrics/{name}.json").read_text())
    assert few["aer"] == 0  # that of the first aligned set


def test_words_and_pieces_have_the_same_reference(stage):
    name = f"{BEST}_bpe"
    pieces = [line.replace("Haus", "Ha@@ us") for line in REFERENCE]
    write_family("luong_bpe", "de", pieces, pieces=True)
    write_translations(name, links=["0-0"] * 3)
    write_metrics(name)
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


def test_outputs_are_also_read_from_another_folder(stage, monkeypatch):
    params, project = load_params(Path("params.yaml")), Path.cwd()
    monkeypatch.chdir("/")
    outputs = Outputs.read(params, "base", "test1", project)
    assert outputs.references("chrf").lines == RAW
    assert outputs.translations("chrf", replaced=True) == TRANSLATED
    assert "<unk>" in outputs.translations("chrf", replaced=False)[0]
    with pytest.raises(InputError, match=r"global_dot_feed/test1.out: no such file"):
        Outputs.read(params, "global_dot_feed", "test1", project)


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
        "data/demo/raw/test1.de",
        "data/demo/encoded/luong/summary.json",
        "models/demo/base/metrics.json",
    ],
)
def test_missing_files_are_named(stage, file):
    Path(file).unlink()
    with pytest.raises(InputError, match=f"{file}: no such file"):
        run(stage)


def test_a_missing_perplexity_is_named(stage):
    write_metrics(perplexity={"test1": 8.5})
    with pytest.raises(
        InputError, match=r"metrics.json: this training measured no perplexity on 'test2'"
    ):
        run(stage)


def test_a_model_trained_on_other_data_is_refused(stage):
    write_metrics(dataset_digest="f" * 64)
    message = (
        r"base/metrics.json: the data in data/demo/encoded/luong changed after this training; "
    )
    with pytest.raises(InputError, match=message + "train base again"):
        run(stage)
    assert not Path("scores").exists()


def faults():
    translations = Path("translations/demo/base")
    yield "line", lambda: write_lines(translations / "test2.out", OUTPUT[:1])
    yield "file", (translations / "test2.replaced").unlink
    yield "raw line", lambda: write_lines(Path("data/demo/raw/test2.de"), RAW[:2])
    yield "raw file", Path("data/demo/raw/test2.de").unlink
    yield "perplexity", lambda: write_metrics(perplexity={"test1": 8.5})


@pytest.mark.parametrize("spoil", [pytest.param(spoil, id=name) for name, spoil in faults()])
def test_every_set_is_checked_before_the_first_is_scored(stage, scored, spoil):
    run(stage)
    assert len(scored) == 4 * len(SCRIPTS)
    scored.clear()
    spoil()
    with pytest.raises(InputError, match="test2"):
        run(stage)
    assert not scored


def test_another_seed_is_refused_before_the_first_bootstrap(stage, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    for metric in (BLEU, CHRF, TER):
        monkeypatch.setattr(metric, "corpus_score", lambda *_, **__: pytest.fail("it was scored"))
    with pytest.raises(InputError, match="SACREBLEU_SEED must be 12345 or unset"):
        run(stage)


def test_the_command_imports_nothing_that_takes_longer_than_its_work(stage):
    heavy = ["torch", "mlflow", "pandas", "matplotlib"]
    code = f"import sys, runpy; sys.modules |= dict.fromkeys({heavy})\n"
    code += f"runpy.run_path({str(ROOT / 'stages/evaluate.py')!r}, run_name='__main__')"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", code, "params.yaml", "base"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert Path("scores/demo/base.json").exists()
    Path("params.yaml").unlink()
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 2
    assert result.stderr.startswith("error: params.yaml: ")
