"""BLEU against sacrebleu's own command line and against cases worked by hand."""

import json
import math
import subprocess
import sys

import pytest

from attnmt.errors import InputError
from attnmt.metrics.bleu import nist_bleu, tokenised_bleu

REFERENCES = [
    "Die Katze sitzt auf der Matte .",
    "Er hat gestern ein &quot; neues &quot; Haus gekauft .",
    "Wir sehen den alten Mann im Garten , und er sieht uns .",
    "Das ist gut .",
]
HYPOTHESES = [
    "Die Katze sitzt auf einer Matte .",
    "Er hat gestern ein &quot; neues &quot; Haus <unk> .",
    "Wir sehen den alten Mann und er sieht uns .",
    "das ist gut .",
]


def command_line(tmp_path, hypotheses, references, *options):
    for name, lines in (("hypotheses", hypotheses), ("references", references)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", str(tmp_path / "references")]
    command += ["-i", str(tmp_path / "hypotheses"), "-m", "bleu", "-w", "4", "--force"]
    command += ["--confidence", "--confidence-n", "200", "-f", "json", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("score", "options"),
    [
        (tokenised_bleu, ["--tokenize", "none", "--smooth-method", "none"]),
        (nist_bleu, ["--tokenize", "13a", "--smooth-method", "exp"]),
    ],
)
def test_it_is_what_the_command_line_prints(tmp_path, score, options):
    printed = command_line(tmp_path, HYPOTHESES, REFERENCES, *options)
    ours = score(HYPOTHESES, REFERENCES, samples=200)
    assert ours.value == printed["score"] > 0
    assert ours.low == pytest.approx(
        printed["confidence_mean"] - printed["confidence_var"], abs=1e-4
    )
    assert ours.high == pytest.approx(
        printed["confidence_mean"] + printed["confidence_var"], abs=1e-4
    )
    assert ours.low < ours.high
    assert ours.signature == f"BLEU|{printed['signature']}"
    assert ours.lines == 4


def test_the_signatures_name_settings_and_version():
    for score, settings in (
        (tokenised_bleu, "tok:none|smooth:none"),
        (nist_bleu, "tok:13a|smooth:exp"),
    ):
        signature = score(HYPOTHESES, REFERENCES, samples=100).signature
        assert f"bs:100|seed:12345|case:mixed|eff:no|{settings}|version:" in signature


def test_a_case_worked_by_hand():
    # n-grams found of those in the hypothesis: 6/7, 4/6, 3/5, 2/4; 7 words against 8
    hypothesis, reference = "a b c d e x f", "a b c d e g f h"
    expected = math.exp(1 - 8 / 7) * (6 / 7 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25
    assert tokenised_bleu([hypothesis], [reference], 100).value == pytest.approx(
        100 * expected, abs=1e-4
    )


def test_tokenised_bleu_does_not_smooth_but_the_nist_script_does():
    assert tokenised_bleu(["a b c x"], ["a b c d"], 100).value == 0
    assert nist_bleu(["a b c x"], ["a b c d"], 100).value > 0


def test_nist_bleu_splits_punctuation_itself():
    assert nist_bleu(["Er kommt heute ."], ["Er kommt heute."], 100).value == pytest.approx(100)
    assert tokenised_bleu(["Er kommt heute ."], ["Er kommt heute."], 100).value == 0


def test_case_counts():
    assert tokenised_bleu([s.lower() for s in REFERENCES], REFERENCES, 100).value < 80


def test_empty_translations_score_zero():
    score = tokenised_bleu(["", ""], ["a b c d", "e f g h"], 100)
    assert (score.value, score.low, score.high) == (0, 0, 0)


def test_the_same_input_gives_the_same_interval():
    assert nist_bleu(HYPOTHESES, REFERENCES, 100) == nist_bleu(HYPOTHESES, REFERENCES, 100)


def test_unequal_and_empty_input_is_refused():
    with pytest.raises(InputError, match="1 translations but 2 references"):
        tokenised_bleu(["a"], ["a", "b"], 100)
    with pytest.raises(InputError, match="no lines"):
        nist_bleu([], [], 100)


def test_another_seed_in_the_environment_is_refused(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    with pytest.raises(InputError, match="SACREBLEU_SEED"):
        tokenised_bleu(["a"], ["a"], 100)
