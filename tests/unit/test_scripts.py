"""The scripts against sacrebleu's own command line and against cases worked by hand."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from real_text import TEXTS, read_text, spoil
from sacrebleu.metrics.bleu import BLEU

from attnmt.errors import InputError
from attnmt.scoring.results import Script
from attnmt.scoring.scripts import SCRIPTS, References, score, score_alone
from attnmt.text.tokenizer import MosesTokenizer

REFERENCES = [
    "Die Katze sitzt auf der Matte .",
    "Er hat gestern ein &quot; neues &quot; Haus gekauft .",
    "Wir sehen den alten Mann im Garten , und er sieht uns .",
    "Das ist gut .",
]
TRANSLATIONS = [
    "Die Katze sitzt auf einer Matte .",
    "Er hat gestern ein &quot; neues &quot; Haus <unk> .",
    "Wir sehen den alten Mann und er sieht uns .",
    "das ist gut .",
]
OPTIONS: dict[Script, list[str]] = {
    "tokenized": ["-m", "bleu", "--tokenize", "none", "--smooth-method", "none", "--force"],
    "nist": ["-m", "bleu", "--tokenize", "13a", "--smooth-method", "exp"],
    "sacrebleu": [],
    "chrf": ["-m", "chrf"],
    "ter": ["-m", "ter"],
}


def command_line(
    folder: Path, translations: list[str], references: list[str], *options: str
) -> Any:
    """Return what sacrebleu's command line prints for two files, as JSON."""
    for name, lines in (("translations", translations), ("references", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", str(folder / "references")]
    command += ["-i", str(folder / "translations"), "-w", "4", "-f", "json", *options]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_it_is_what_the_command_line_prints(tmp_path: Path, script: Script, text: str) -> None:
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


@pytest.mark.parametrize(
    ("script", "settings"),
    [
        ("tokenized", "BLEU|nrefs:1|bs:100|seed:12345|case:mixed|eff:no|tok:none|smooth:none|"),
        ("nist", "BLEU|nrefs:1|bs:100|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|"),
        ("sacrebleu", "BLEU|nrefs:1|bs:100|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|"),
        ("chrf", "chrF2|nrefs:1|bs:100|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|"),
        ("ter", "TER|nrefs:1|bs:100|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no|"),
    ],
)
def test_the_signatures_name_script_settings_and_version(script: Script, settings: str) -> None:
    assert score(script, TRANSLATIONS, References(REFERENCES), 100).signature.startswith(
        f"{settings}version:"
    )


def test_bleu_is_that_of_a_case_worked_by_hand() -> None:
    # shares of the translation's n-grams that are in the reference: 6/7, 4/6, 3/5, 2/4; 7 words for 8
    translation, reference = "a b c d e x f", "a b c d e g f h"
    expected = math.exp(1 - 8 / 7) * (6 / 7 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25
    assert score_alone("tokenized", [translation], References([reference])) == pytest.approx(
        100 * expected, abs=1e-4
    )


def test_the_edit_rate_is_the_one_worked_by_hand() -> None:
    # b moved as a whole, d lost: 2 edits of 6 words
    assert score_alone("ter", ["c b a e f"], References(["b c a d e f"])) == pytest.approx(
        100 / 3, abs=1e-4
    )


def test_tokenized_bleu_does_not_smooth_but_the_nist_script_does() -> None:
    assert score_alone("tokenized", ["a b c x"], References(["a b c d"])) == 0
    assert score_alone("nist", ["a b c x"], References(["a b c d"])) > 0


def test_the_nist_script_splits_punctuation_itself() -> None:
    assert score_alone("nist", ["Er kommt heute ."], References(["Er kommt heute."])) == 100
    assert score_alone("tokenized", ["Er kommt heute ."], References(["Er kommt heute."])) == 0


def test_case_counts_in_all_but_the_edit_rate() -> None:
    lower = [line.lower() for line in REFERENCES]
    for script in SCRIPTS:
        perfect = score_alone(script, REFERENCES, References(REFERENCES))
        assert (score_alone(script, lower, References(REFERENCES)) == perfect) == (
            script == "ter"
        ), script


@pytest.mark.parametrize("script", SCRIPTS)
def test_empty_translations_score_zero(script: Script) -> None:
    empty = score(script, ["", ""], References(["a b c d", "e f g h"]), 100)
    expected = 100 if script == "ter" else 0
    assert (empty.value, empty.low, empty.high) == (expected, expected, expected)


@pytest.mark.parametrize("script", SCRIPTS)
def test_perfect_translations_have_no_interval(script: Script) -> None:
    perfect = score(script, REFERENCES, References(REFERENCES), 100)
    expected = 0 if script == "ter" else 100
    assert (perfect.value, perfect.low, perfect.high) == (expected, expected, expected)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_same_input_gives_the_same_interval(script: Script) -> None:
    inputs = script, TRANSLATIONS, References(REFERENCES), 100
    assert score(*inputs) == score(*inputs)


@pytest.mark.parametrize("script", SCRIPTS)
def test_unequal_and_empty_input_is_refused(script: Script) -> None:
    with pytest.raises(InputError, match=f"{script}: 1 translations but 2 references"):
        score(script, ["a"], References(["a", "b"]), 100)
    with pytest.raises(InputError, match="no lines"):
        score(script, [], References([]), 100)


def test_another_seed_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    with pytest.raises(InputError, match="SACREBLEU_SEED must be 12345"):
        score("chrf", ["a"], References(["a"]), 100)


def test_each_of_several_references_may_be_matched() -> None:
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
    with pytest.raises(InputError, match="2 translations but 1 references"):
        score_alone("ter", translations, References(first, [second[:1]]))


def test_of_a_language_without_spaces_characters_are_counted() -> None:
    translations, references = ["我喜欢茶和水果"], ["我喜欢茶和面包"]
    whole, characters = References(references), References(references, characters=True)
    for script in ("nist", "sacrebleu"):
        scored = score(script, translations, characters, 10)
        assert "tok:char" in scored.signature
        expected = BLEU(tokenize="char", force=True).corpus_score(translations, [references]).score
        assert scored.value == pytest.approx(expected, abs=1e-4)
        assert score_alone(script, translations, whole) < scored.value


def test_some_lines_of_references_are_taken_from_all_of_them() -> None:
    references = References(["a", "b", "c"], [["d", "e", "f"]], characters=True)
    assert references.of([2, 0]) == References(["c", "a"], [["f", "d"]], characters=True)
