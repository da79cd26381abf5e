"""The scripts against sacrebleu's own command line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from real_text import TEXTS, read_text, spoil
from sacrebleu.metrics.bleu import BLEU

from attnmt.errors import InputError
from attnmt.scoring.scripts import (
    SCRIPTS,
    References,
    new_metric,
    score,
    score_alone,
    sentence_numbers,
)
from attnmt.text.tokenizer import MosesTokenizer

OPTIONS = {
    "tokenized": ["-m", "bleu", "--tokenize", "none", "--smooth-method", "none", "--force"],
    "nist": ["-m", "bleu", "--tokenize", "13a", "--smooth-method", "exp"],
    "sacrebleu": [],
    "chrf": ["-m", "chrf"],
    "ter": ["-m", "ter"],
}


def command_line(folder, translations, references, *options):
    """Return what sacrebleu's command line prints for two files, as JSON."""
    for name, lines in (("translations", translations), ("references", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", str(folder / "references")]
    command += ["-i", str(folder / "translations"), "-w", "4", "-f", "json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_it_is_what_the_command_line_prints(tmp_path, script, text):
    references = read_text(text)
    translations = spoil(references, seed=1)
    if script == "tokenized":
        moses = MosesTokenizer("de", split_hyphens=False)
        references = [" ".join(moses.tokenize(line)) for line in references]
        translations = [" ".join(moses.tokenize(line)) for line in translations]
    ours = score(script, translations, References(references), samples=200)
    options = [*OPTIONS[script], "--confidence", "--confidence-n", "200"]
    printed = command_line(tmp_path, translations, references, *options)
    mean, half_width = printed["confidence_mean"], printed["confidence_var"]
    assert 10 < ours.value < 95
    assert (
        ours.value == printed["score"] == score_alone(script, translations, References(references))
    )
    assert (ours.low, ours.high) == pytest.approx((mean - half_width, mean + half_width), abs=1e-9)
    assert ours.low < ours.value < ours.high
    assert ours.signature == f"{printed['name']}|{printed['signature']}"


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_cannot_be_scored_is_refused(script, monkeypatch):
    with pytest.raises(InputError, match=f"{script}: 1 translations but 2 references"):
        score(script, ["a"], References(["a", "b"]), 100)
    with pytest.raises(InputError, match="2 translations but 1 references"):
        score_alone(script, ["a", "b"], References(["a", "b"], [["a"]]))
    with pytest.raises(InputError, match="no lines"):
        score(script, [], References([]), 100)
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    with pytest.raises(InputError, match="SACREBLEU_SEED must be 12345"):
        score(script, ["a"], References(["a"]), 100)


def test_each_of_several_references_may_be_matched():
    translations = ["a b c d e", "f g h i j"]
    first, second = ["a b c d e", "x x x x x"], ["y y y y y", "f g h i j"]
    both = References(first, [second])
    for script in SCRIPTS:
        perfect = score_alone(script, translations, References(translations))
        assert score_alone(script, translations, both) == perfect, script
        assert score_alone(script, translations, References(first)) != perfect, script
        printed = score(script, translations, both, 10)
        assert printed.value == perfect
        assert "nrefs:2" in printed.signature


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_reference_that_lacks_a_line_is_left_out_there(script):
    """The counts of each line, from sacrebleu and with the references that this line has, add up."""
    texts = read_text("demo", 20)
    translations, second = spoil(texts, seed=1), spoil(texts, seed=2)
    translations[0] = "x"  # a reference of no words would be the nearest in length
    second[::2] = [""] * 10
    metric, counts = new_metric(script), []
    for translation, *references in zip(translations, texts, second, strict=True):
        sides = [[reference] for reference in references if reference]
        counts += new_metric(script)._extract_corpus_statistics([translation], sides)
    expected = round(metric._aggregate_and_compute(counts).score, 4)
    lacking = References(texts, [second])
    assert score_alone(script, translations, lacking) == expected
    printed = score(script, translations, lacking, 10)
    assert printed.value == expected
    assert "nrefs:var" in printed.signature
    sums = sentence_numbers(script, [translations], lacking).sum(axis=(0, 1))
    assert sums == pytest.approx(np.array(counts).sum(axis=0))
    ones = References(texts, [[""] * 20])
    assert score_alone(script, translations, ones) == score_alone(
        script, translations, References(texts)
    )


def test_of_a_language_without_spaces_characters_are_counted():
    translations, references = ["我喜欢茶和水果"], ["我喜欢茶和面包"]
    whole, characters = References(references), References(references, characters=True)
    for script in ("nist", "sacrebleu"):
        scored = score(script, translations, characters, 10)
        assert "tok:char" in scored.signature
        expected = BLEU(tokenize="char", force=True).corpus_score(translations, [references]).score
        assert scored.value == pytest.approx(expected, abs=1e-4)
        assert score_alone(script, translations, whole) < scored.value
