"""The stage evaluate on made-up translations: every number against sacrebleu and counts by hand."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from made_scores import READING, ROOT, write_data, write_gold, write_outputs, write_training
from sacrebleu.metrics import BLEU, CHRF, TER

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.text_file import sha256, write_json, write_lines
from attnmt.layout import Layout
from attnmt.scoring import evaluate as library
from attnmt.scoring.numbers import read_scores
from attnmt.scoring.results import Score
from attnmt.scoring.scripts import SCRIPTS
from attnmt.scoring.system_outputs import Outputs

BEST, LAYOUT = "local_p_general_feed", Layout("demo")
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
REPLACED = [OUTPUT[0].replace("<unk>", "Haus"), OUTPUT[1], OUTPUT[2].replace("<unk>", "Matte")]
# The text as it was typed: with a space before the colon, which tokens do not keep.
RAW = [
    "Das gut-bekannte Haus ist alt.",
    'Er sagt : "Ich komme heute nicht."',
    "Die Katze sitzt auf der Matte .",
]
WRITTEN = [RAW[0], RAW[1].replace(" :", ":"), RAW[2].replace(" .", ".")]
TRANSLATED = {
    "before": ["Das gut-bekannte <unk> ist alt.", WRITTEN[1], "Die Katze sitzt auf einer <unk>."],
    "after": [*WRITTEN[:2], "Die Katze sitzt auf einer Matte."],
}
KNOWN = sorted({word for line in REFERENCE for word in line.split()} - {"Haus", "Matte"})
LINKS = ["0-0", "0-1", "1-0"]


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Return the stage's module, in a folder with all the files that it reads."""
    monkeypatch.chdir(tmp_path)
    for name in ("params.yaml", "systems.yaml"):
        shutil.copy(ROOT / name, name)
    change_params(evaluation={"bootstrap_samples": 100})
    write_data(params(), "luong", REFERENCE, raw={"de": RAW}, known=KNOWN)
    write_lines(LAYOUT.dictionary / "test1.links", LINKS)
    write_system("base")
    spec = importlib.util.spec_from_file_location("stage_evaluate", ROOT / "stages/evaluate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def scripts(monkeypatch):
    """Return a list that notes which scripts run, in order; none does any work."""
    found = []

    def note(script, translations, references, samples):
        found.append(script)
        return Score(value=1.0, low=0.5, high=1.5, signature=script)

    monkeypatch.setattr(library, "score", note)
    return found


def params():
    return load_params(Path("params.yaml"))


def change_params(**sections):
    """Change keys of sections of the parameters."""
    values = json.loads(json.dumps(yaml.safe_load(Path("params.yaml").read_text("utf-8"))))
    for name, changes in sections.items():
        section = values["families"]["luong"] if name == "encoding" else values
        section[name] |= changes
    Path("params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")


def write_system(name, links=LINKS):
    """Write translations, and links if the system has attention; for a model, its training, too."""
    write_outputs(params(), name, OUTPUT, after=REPLACED, links=links)
    if name in params().models:
        write_training(params(), name)


def run(stage, name="base"):
    stage.main(Path("params.yaml"), name)
    return read_scores(params(), name)


def only(numbers, **keys):
    """Return the one line that says all this."""
    (line,) = (
        line for line in numbers.lines if all(getattr(line, k) == v for k, v in keys.items())
    )
    return line


def test_every_score_is_sacrebleus(stage):
    """BLEU is of joined tokens or detokenized text; sacrebleu, chrf and ter take the raw reference."""
    numbers = run(stage)
    joined = [line.replace(" @-@ ", "-") for line in REFERENCE]
    expected = {}
    for replacement, lines in (("before", OUTPUT), ("after", REPLACED)):
        tokens = [line.replace(" @-@ ", "-") for line in lines]
        text = TRANSLATED[replacement]
        expected |= {
            ("bleu", "tokenized", replacement): (
                BLEU(tokenize="none", smooth_method="none", force=True),
                tokens,
                joined,
            ),
            ("bleu", "nist", replacement): (BLEU(), text, WRITTEN),
            ("bleu", "sacrebleu", replacement): (BLEU(), text, RAW),
            ("chrf", None, replacement): (CHRF(), text, RAW),
            ("ter", None, replacement): (TER(), text, RAW),
        }
    for test in ("test1", "test2"):
        for (metric, script, replacement), (judge, lines, references) in expected.items():
            key = {"set": test, "metric": metric, "script": script, "replacement": replacement}
            line, score = (
                only(numbers, **key, max_words=None),
                judge.corpus_score(lines, [references]),
            )
            assert line.value == pytest.approx(score.score, abs=1e-4)
            judge.corpus_score(lines, [references], n_bootstrap=100)
            assert line.signature == f"{score.name}|{judge.get_signature()}"
            assert line.low <= line.value <= line.high
    ppl = [line.value for line in numbers.lines if line.metric == "ppl"]
    groups = [line for line in numbers.lines if line.max_words]
    assert ppl == [8.5, 8.5]
    assert len(numbers.lines) == 2 * len(expected) + len(ppl) + len(groups)
    raw, written = (
        TER().corpus_score(TRANSLATED["after"], [text]).score for text in (RAW, WRITTEN)
    )
    assert raw != written  # it counts the space


def test_every_line_says_what_it_is_about(stage):
    digest = sha256(LAYOUT.encoded("luong") / "test1.de.tok")[:12]
    for line in run(stage).lines:
        assert (line.kind, line.source, line.trainings, line.seed) == ("training", "ours", 1, 1)
        assert (line.system, line.model, line.family, line.direction) == (
            *("base", "base", "luong", "forward"),
        )
        assert line.data == f"{'luong':x<12}"
        if line.max_words is None:
            assert (line.lines, line.reference) == (3, digest)
            assert line.beam == (None if line.metric == "ppl" else params().decoding.beam)


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
    (LAYOUT.raw / "test1.de").unlink()
    line = run(stage).training("base", "ter", "test1", replacement="after")
    expected = TER().corpus_score(TRANSLATED["after"], [WRITTEN]).score
    assert line.value == pytest.approx(expected, abs=1e-4)


def test_groups_of_length_are_of_the_first_set_and_of_the_size_that_the_parameters_name(stage):
    change_params(evaluation={"length_group": 2})
    groups = [line for line in run(stage).lines if line.max_words]
    assert [(one.replacement, one.max_words, one.lines) for one in groups] == [
        (replacement, *size) for replacement in ("before", "after") for size in ((7, 2), (10, 1))
    ]
    assert {(one.set, one.metric, one.script) for one in groups} == {("test1", "bleu", "tokenized")}
    assert groups[0].value < groups[2].value < groups[1].value == groups[3].value == 100


def test_a_set_that_replacement_did_not_change_is_scored_once(stage, scripts):
    write_lines(LAYOUT.translations("base") / "test1.replaced", OUTPUT)
    numbers = run(stage)
    assert scripts == [*SCRIPTS] * 3  # test1 once, test2 before and after
    before, after = (
        numbers.training("base", "ter", "test1", None, at) for at in ("before", "after")
    )
    assert after == before.model_copy(update={"replacement": "after"})


@pytest.mark.parametrize("authors", ["same", "next"])
def test_links_are_judged_at_both_steps_and_each_rate_says_which(stage, authors):
    """The links are German-English, the gold ones English-German."""
    name = "back_global_location"
    write_gold(params(), "test1", ["0-0 1-1", "0-1 1?0", "0-0"])
    write_system(name, links=["0-0 1-1", "0-1 1-0", "0-0"])
    write_lines(
        LAYOUT.translations(name) / "test1.forced.next.links", ["0-0 0-1", "0-1 1-0", "0-0"]
    )
    write_json(LAYOUT.reading(name), READING | {"authors": authors})
    numbers = run(stage, name)
    # There are 5 links and 4 sure ones; all are right except the second of the step "next".
    rates = {"same": 1 - (4 + 5) / 9, "next": 1 - (3 + 4) / 9}
    steps = {"aer": authors, "aer_chosen": "next", "aer_same": "same", "aer_next": "next"}
    for metric, step in steps.items():
        line = numbers.training(name, metric, "test1")
        assert (line.script, line.value) == (step, pytest.approx(rates[step], abs=1e-6))
        assert (line.lines, line.note) == (3, "4 sure and 5 possible gold links")
        assert line.low < line.value < line.high if step == "next" else line.low == line.high == 0
    bleu = numbers.training(name, "bleu", "test1", "tokenized", "after")
    assert bleu.note == (
        "unknown words are looked up at the next step: 450 of the 1,200 of dev are right there, 300 "
        "at the same step"
    )


def test_replaced_words_are_counted_where_attention_replaces_words(stage):
    """The source is the reference here, so the right words are copied."""
    names = ("unknown", "replaced", "right", "repeated", "copied", "copied_right")

    def counts(name, test):
        found = run(stage, name)
        lines = [found.training(name, metric, test) for metric in names]
        return [line and line.value for line in lines]

    write_system("global_dot_feed")
    assert counts("global_dot_feed", "test1") == [2, 2, 2, 0, 2, 2]
    sources = [line.replace("Haus", "house") for line in REFERENCE]
    write_lines(LAYOUT.encoded("luong") / "test1.en.tok", sources)
    wrong = [*REPLACED[:2], REPLACED[2].replace("einer Matte", "einer einer")]
    write_lines(LAYOUT.translations("global_dot_feed") / "test1.replaced", wrong)
    assert counts("global_dot_feed", "test1") == [2, 2, 1, 1, 0, 0]
    assert counts("global_dot_feed", "test2") == [2, 2, 2, 0, 2, 2]
    pieces = [line.replace("Haus", "Ha@@ us") for line in REFERENCE]
    write_data(params(), "luong_bpe", pieces, raw={"de": RAW}, pieces=True)
    write_system(f"{BEST}_bpe")
    assert counts("base", "test1") == counts(f"{BEST}_bpe", "test1") == [None] * 6
    of_pieces, of_words = (
        read_scores(params(), name).training(name, "ter", "test1", None, "before")
        for name in (f"{BEST}_bpe", "base")
    )
    keys = ("value", "low", "high", "reference")
    assert [getattr(of_pieces, key) for key in keys] == [getattr(of_words, key) for key in keys]


def test_an_ensemble_has_no_seed_and_no_perplexity(stage):
    write_system("ensemble")
    numbers = run(stage, "ensemble")
    assert {line.seed for line in numbers.lines} == {None}
    assert [line for line in numbers.lines if line.metric == "ppl"] == []
    line = numbers.training("ensemble", "aer", "test1")  # against the aligner's links
    assert (line.value, line.low, line.note) == (0, 0, "3 sure and 3 possible silver links")


def test_every_aligned_set_is_judged_by_links_of_its_own(stage):
    change_params(sets={"aligned": ["test1", "test2"]})
    write_system("global_dot_feed")
    write_gold(params(), "test2", ["0-1", "0-1", "1-1"])
    numbers = run(stage, "global_dot_feed")
    lines = [numbers.training("global_dot_feed", "aer", test) for test in ("test1", "test2")]
    assert [line.value for line in lines] == pytest.approx([0, 2 / 3], abs=1e-6)
    assert ["silver" in line.note for line in lines] == [True, False]


def test_the_same_files_give_the_same_bytes(stage):
    contents = [run(stage) and LAYOUT.scores("base").read_bytes() for _ in range(2)]
    assert contents[0] == contents[1]


def test_outputs_are_also_read_from_another_folder(stage, monkeypatch):
    described, project = params(), Path.cwd()
    monkeypatch.chdir("/")
    outputs = Outputs.read(described, "base", "test1", project)
    assert outputs.references("chrf").lines == RAW
    assert outputs.translations("chrf", replaced=True) == TRANSLATED["after"]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("translations/demo/ensemble/test1.out", None, "no such file"),
        ("data/demo/encoded/luong/test1.de.tok", None, "no such file"),
        ("data/demo/encoded/luong/summary.json", None, "no such file"),
        ("data/demo/raw/test2.de", None, "no such file"),
        ("data/demo/raw/test2.de", "a\n", "1 lines, but .*test2.de.tok has 3; run the stages"),
        ("translations/demo/ensemble/test2.out", "a\n", "1 lines, but .*test2.de.tok has 3; run"),
        ("translations/demo/ensemble/test2.replaced", "a\nb\nc\n", "1: 1 words, but test2.out has"),
        ("translations/demo/ensemble/test1.forced.same.links", "0-0\n", "1 lines where the text"),
        ("data/demo/encoded/luong/vocab.de", "<unk>\n<s>\n</s>\n", "3 entries where summary"),
        ("data/demo/encoded/luong/test2.en.tok", "a\n", "1 lines where summary.json has"),
        ("translations/demo/ensemble/reading.json", None, "no such file; run the stage translate"),
        ("translations/demo/ensemble/reading.json", '{"set": "dev"}', "unknown_words: .* missing"),
    ],
)
def test_a_file_that_does_not_fit_is_named_before_anything_is_scored(
    stage, scripts, file, content, message
):
    write_system("ensemble")
    Path(file).unlink()
    if content:
        Path(file).write_text(content)
    with pytest.raises(InputError, match=f"^{file}: ?{message}"):
        run(stage, "ensemble")
    assert not scripts
    assert not LAYOUT.scores("ensemble").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"chosen": "same"}, "chosen is 'same', which the hits contradict"),
        ({"hits": {"same": 450, "next": 450}}, "chosen is 'next', which the hits contradict"),
        ({"unknown_words": 449}, "hits must not be more than the unknown words"),
        ({"hits": {"next": 450}}, "hits must have a number for"),
    ],
)
def test_a_reading_that_contradicts_itself_is_refused(stage, changes, message):
    write_system("ensemble")
    write_json(LAYOUT.reading("ensemble"), READING | changes)
    with pytest.raises(InputError, match=rf"reading.json: .*{message}"):
        run(stage, "ensemble")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"perplexity": {"test1": 8.5}}, "this training measured no perplexity on 'test2'"),
        ({"dataset_digest": "f" * 64}, "the data in .*luong changed after this training"),
    ],
)
def test_a_training_on_other_data_or_sets_is_refused(stage, scripts, changes, message):
    path = LAYOUT.model("base") / "metrics.json"
    write_json(path, json.loads(path.read_text()) | changes)
    with pytest.raises(InputError, match=f"^{path}: {message}; train base again"):
        run(stage)
    assert not scripts


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
    assert (result.returncode, result.stderr) == (0, "")
    assert LAYOUT.scores("base").exists()
    Path("params.yaml").unlink()
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 2
    assert result.stderr.startswith("error: params.yaml: ")
