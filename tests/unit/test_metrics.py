"""The metrics against sacrebleu's own command line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from real_text import read_text, spoil

from attnmt.errors import InputError
from attnmt.scoring.metric import Metric, References
from attnmt.scoring.metrics import METRICS
from attnmt.text.tokenizer import MosesTokenizer

MULTI_BLEU = ["-m", "bleu", "--tokenize", "none", "--smooth-method", "none", "--force"]
OPTIONS = {
    "tokenized": MULTI_BLEU,
    "lowercased": [*MULTI_BLEU, "-lc"],
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


@pytest.mark.parametrize("script", METRICS)
def test_it_is_what_the_command_line_prints(tmp_path, script):
    references = read_text("demo")
    translations = spoil(references, seed=1)
    if METRICS[script].form == "tokens":
        moses = MosesTokenizer("de", split_hyphens=False)
        references = [" ".join(moses.tokenize(line)) for line in references]
        translations = [" ".join(moses.tokenize(line)) for line in translations]
    ours, counts = METRICS[script].score(translations, References(references), samples=200)
    options = [*OPTIONS[script], "--confidence", "--confidence-n", "200"]
    printed = command_line(tmp_path, translations, references, *options)
    mean, half_width = printed["confidence_mean"], printed["confidence_var"]
    assert 10 < ours.value < 95
    assert ours.value == printed["score"] == METRICS[script].value(counts)
    assert METRICS[script].scores(counts.sum(0)[None]) == pytest.approx(ours.value, abs=1e-4)
    bounds = mean - half_width, mean + half_width  # both numbers are printed with four decimals
    assert (ours.low, ours.high) == pytest.approx(bounds, abs=1.6e-4)
    assert ours.low < ours.value < ours.high
    assert ours.signature == f"{printed['name']}|{printed['signature']}"


@pytest.mark.parametrize("script", METRICS)
def test_the_scores_of_many_sums_are_those_that_sacrebleu_gives_one_by_one(script):
    """Also of sums in which an order has no match, no n-gram, or nothing is there at all."""
    metric, chance = METRICS[script], np.random.default_rng(1)
    lines = read_text("made", 60)
    counts = metric.counts(spoil(lines, seed=1, share=0.6), References(lines))
    drawn = np.array([counts[chance.integers(60, size=n)].sum(0) for n in (1, 1, 1, 2, 9) * 40])
    width = counts.shape[1]
    low = chance.integers(0, 3, (400, width)).astype(float)
    if metric.metric == "bleu":
        low[:, 0] += 1
        low[:, 2:6] = np.minimum(low[:, 2:6], low[:, 6:10])
    sums = np.concatenate([drawn, low, np.zeros((1, width))])
    one_by_one = Metric.scores(metric, sums)
    assert len({*one_by_one.round(6).tolist()}) > 30
    assert metric.scores(sums) == pytest.approx(one_by_one, rel=1e-13, abs=1e-11)


def test_what_cannot_be_scored_is_refused():
    for translations, references in (("a", "ab"), ("", "")):
        with pytest.raises(InputError, match="nist: "):
            METRICS["nist"].score([*translations], References([*references]), 100)
