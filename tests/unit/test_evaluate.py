"""The stage evaluate on made-up translations: every number against sacrebleu and counts by hand."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from made_scores import ROOT, write_data, write_gold, write_outputs, write_training
from sacrebleu.metrics import BLEU, CHRF, TER
from small_project import load_stage

from attnmt.config import load_params
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.scoring.counts import counted, read_counts
from attnmt.scoring.metrics import SCORES
from attnmt.scoring.score_table import read_scores

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
    return load_stage("evaluate")


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
    if name in params().trainings:
        write_training(params(), name)


def run(stage, name="base"):
    stage.main(Path("params.yaml"), name)
    return read_scores(params(), name)


def test_characters_count_where_the_reference_has_no_spaces(stage):
    """Whatever the tokens are: here they are words that stand between spaces."""
    change_params(languages={"target": {"code": "de", "name": "Chinese", "tokenize": "none"}})
    lines = [f"我 爱 你 {number} 。" for number in range(len(REFERENCE))]
    write_data(params(), "luong", lines, raw={"de": lines}, known=KNOWN)
    write_outputs(params(), "base", [line.replace("爱", "恨") for line in lines])
    write_training(params(), "base")
    score = run(stage).training("base", "bleu", "test1", "sacrebleu", "before")
    written = [line.replace(" ", "") for line in lines]
    judge = BLEU(tokenize="char")
    expected = judge.corpus_score([line.replace("爱", "恨") for line in written], [written])
    assert "tok:char" in score.signature
    assert score.value == pytest.approx(expected.score, abs=1e-3)


def test_every_score_is_sacrebleus(stage):
    """BLEU is of joined tokens or detokenized text; sacrebleu, chrf and ter take the raw reference."""
    numbers = run(stage)
    multi_bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    lowercased = BLEU(lowercase=True, tokenize="none", smooth_method="none", force=True)
    for replacement, output in (("before", OUTPUT), ("after", REPLACED)):
        tokens, reference = (
            [line.replace(" @-@ ", "-") for line in lines] for lines in (output, REFERENCE)
        )
        text = TRANSLATED[replacement]
        for metric, script, judge, lines, references in (
            ("bleu", "tokenized", multi_bleu, tokens, reference),
            ("bleu", "lowercased", lowercased, tokens, reference),
            ("bleu", "nist", BLEU(), text, WRITTEN),
            ("bleu", "sacrebleu", BLEU(), text, RAW),
            ("chrf", None, CHRF(), text, RAW),
            ("ter", None, TER(), text, RAW),  # it counts the space of the raw text
        ):
            expected = judge.corpus_score(lines, [references], n_bootstrap=100)
            for test in ("test1", "test2"):
                line = numbers.training("base", metric, test, script, replacement)
                assert line.value == pytest.approx(expected.score, abs=1e-4)
                assert line.signature == f"{expected.name}|{judge.get_signature()}"
                assert line.low <= line.value <= line.high
    for test in ("test1", "test2"):
        assert numbers.training("base", "ppl", test).value == 8.5
    assert len([line for line in numbers.lines if line.max_words is None]) == 2 * (2 * 6 + 1)


def test_a_family_in_lower_case_is_scored_against_its_own_text(stage):
    change_params(encoding={"lowercase": True})
    (LAYOUT.raw / "test1.de").unlink()
    line = run(stage).training("base", "ter", "test1", None, "after")
    expected = TER().corpus_score(TRANSLATED["after"], [WRITTEN]).score
    assert line.value == pytest.approx(expected, abs=1e-4)


def test_every_score_is_that_of_the_counts_kept_beside_it(stage):
    """The counts are of each sentence, so those of all sentences but one give the score of these."""
    name = "global_dot_feed"
    write_system(name)
    lines, path = run(stage, name).lines, LAYOUT.counts(name)
    arrays = read_counts(path, "")
    kept = [line for line in lines if (line.metric, line.script) in SCORES and not line.max_words]
    assert len(kept) == 25
    assert {*arrays} == {*map(counted, kept), "words test1", "words test2"}
    for line in kept:
        counts, scores = arrays[counted(line)], SCORES[line.metric, line.script]
        assert counts.shape[0] == line.lines == 3
        assert scores(counts.sum(0)[None]) == pytest.approx(line.value, abs=1e-4)
    assert arrays["words test1"].tolist() == [6, 10, 7]  # tokens with split hyphens joined


def test_groups_of_length_are_of_the_first_set_and_of_the_size_of_the_parameters(stage):
    change_params(evaluation={"length_group": 2})
    groups = [line for line in run(stage).lines if line.max_words]
    sizes = [(at, *size) for at in ("before", "after") for size in ((7, 2), (10, 1))]
    assert [(one.replacement, one.max_words, one.lines) for one in groups] == sizes
    assert groups[0].value < groups[2].value < groups[1].value == groups[3].value == 100


def test_links_are_judged_from_source_to_target(stage):
    """The links are German-English, the gold ones English-German."""
    name = "back_global_location"
    write_gold(params(), "test1", ["0-0 1-1", "0-1 1?0", "0-0"])
    write_system(name, links=["0-0 0-1", "0-1 1-0", "0-0"])
    (line,) = (line for line in run(stage, name).lines if line.metric == "aer")
    # There are 5 links and 4 sure ones; all links are right except the second.
    assert line.value == pytest.approx(1 - (3 + 4) / 9, abs=1e-6)
    assert line.lines == 3
    assert line.low < line.value < line.high


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
    pieces = [line.replace("Haus", "Ha@@ us") for line in REFERENCE]
    write_data(params(), "luong_bpe", pieces, raw={"de": RAW}, pieces=True)
    write_system(f"{BEST}_bpe")
    assert counts("base", "test1") == counts(f"{BEST}_bpe", "test1") == [None] * 6


def test_an_ensemble_has_no_seed_and_no_perplexity(stage):
    write_system("ensemble")
    numbers = run(stage, "ensemble")
    assert {line.seed for line in numbers.lines} == {None}
    assert [line for line in numbers.lines if line.metric == "ppl"] == []
    line = numbers.training("ensemble", "aer", "test1")  # against the aligner's links
    assert (line.value, line.low) == (0, 0)
