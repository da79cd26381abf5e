"""The paired tests against sacrebleu's command line and against the definition, line by line."""

import logging
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_text import TEXTS, read_text, spoil

from attnmt.data.links import GoldLinks, Links
from attnmt.errors import InputError
from attnmt.metrics.aer import aer
from attnmt.metrics.scripts import SCRIPTS, Script
from attnmt.metrics.significance import aer_interval, paired_aer_p, paired_p

REFERENCES = read_text("made", 60)
OURS, OTHER = spoil(REFERENCES, seed=1), spoil(REFERENCES, seed=2)


PRINTED: list[tuple[list[Script], list[str]]] = [
    (["sacrebleu", "chrf", "ter"], ["-m", "bleu", "chrf", "ter"]),
    (["nist"], ["--tokenize", "13a", "--smooth-method", "exp"]),
    (["tokenised"], ["--tokenize", "none", "--smooth-method", "none", "--force"]),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("scripts", "options"), PRINTED, ids=["plain", "nist", "tokenised"])
@pytest.mark.parametrize("share", [0.2, 0.4], ids=lambda share: f"share {share}")
def test_it_is_what_the_command_line_prints(
    tmp_path: Path, text: str, scripts: list[Script], options: list[str], share: float
) -> None:
    """Of our words a fifth is spoilt, of the other's as many or twice as many."""
    references = read_text(text)
    ours, other = spoil(references, seed=1), spoil(references, seed=2, share=share)
    texts = {"ours": ours, "other": other, "references": references}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "other", "ours", *options]
    command += ["--paired-bs", "--paired-bs-n", "150", "-f", "text"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    printed = [float(p) for p in re.findall(r"\(p = ([0-9.]+)\)", done.stdout)]
    found = [paired_p(script, ours, other, references, 150) for script in scripts]
    assert [round(p, 4) for p in found] == printed  # in the order of the options
    assert all((p == 1 / 151) == (share == 0.4) for p in found)


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_does_not_matter_who_comes_first(script: Script) -> None:
    p = paired_p(script, OURS, OTHER, REFERENCES, 100)
    assert 0 < p <= 1
    assert paired_p(script, OTHER, OURS, REFERENCES, 100) == p


@pytest.mark.parametrize("script", SCRIPTS)
def test_who_says_the_same_does_not_differ(script: Script) -> None:
    assert paired_p(script, OURS, list(OURS), REFERENCES, 100) == 1


def test_other_wrong_words_are_no_difference_either() -> None:
    ours = [f"{line} Tisch" for line in OURS]
    other = [f"{line} Stuhl" for line in OURS]
    references = [line.replace("Tisch", "Bett").replace("Stuhl", "Bett") for line in REFERENCES]
    assert paired_p("tokenised", ours, other, references, 100) == 1


def test_what_cannot_be_paired_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for ours, other in ((OURS[1:], OTHER), (OURS, OTHER[1:])):
        with pytest.raises(InputError, match="59 translations but 60 references"):
            paired_p("nist", ours, other, REFERENCES, 100)
    monkeypatch.setenv("SACREBLEU_SEED", "none")
    with pytest.raises(InputError, match="SACREBLEU_SEED"):
        paired_p("nist", OURS, OTHER, REFERENCES, 100)


def test_nothing_is_said_and_nothing_stays_behind(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("sacrebleu")
    level, state = logger.level, str(np.random.get_state())
    with caplog.at_level(logging.INFO):
        paired_p("tokenised", OURS, OTHER, REFERENCES, 100)
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    assert logger.level == level
    assert str(np.random.get_state()) == state


LINK = st.tuples(st.integers(0, 4), st.integers(0, 4))
LINKS = st.lists(LINK, max_size=6, unique=True)
PAIR = st.tuples(LINKS, LINKS, LINKS, LINKS)
Corpus = list[tuple[Links, Links, Links, Links]]  # ours, the other's, sure, possible


def pairs_of(corpus: Corpus) -> tuple[list[Links], list[Links], list[GoldLinks]]:
    ours, other, sure, possible = map(list, zip(*corpus, strict=True))
    gold = [GoldLinks(s, sorted({*s, *p})) for s, p in zip(sure, possible, strict=True)]
    return ours, other, gold


def rate(links: list[Links], gold: list[GoldLinks], lines: list[int]) -> float:
    """The error rate of the pairs drawn, 0 where they have no link at all."""
    drawn, chosen = [links[i] for i in lines], [gold[i] for i in lines]
    if not any(drawn) and not any(pair.sure for pair in chosen):
        return 0.0
    return aer(drawn, [pair.sure for pair in chosen], [pair.possible for pair in chosen])


def drawn_lines(lines: int, samples: int) -> list[list[int]]:
    """The lines of each sample, as sacrebleu draws them."""
    return np.random.default_rng(12345).choice(lines, size=(samples, lines)).tolist()


@given(st.lists(PAIR, min_size=1, max_size=8))
def test_the_error_rates_test_is_its_definition(corpus: Corpus) -> None:
    ours, other, gold = pairs_of(corpus)
    everything, samples = list(range(len(corpus))), drawn_lines(len(corpus), 100)
    found = abs(rate(ours, gold, everything) - rate(other, gold, everything))
    differences = [abs(rate(ours, gold, s) - rate(other, gold, s)) for s in samples]
    centre = float(np.mean(differences))
    larger = sum(difference - centre > found for difference in differences)
    expected = (larger + 1) / 101 if any(differences) else 1
    assert paired_aer_p(ours, other, gold, 100) == expected
    assert paired_aer_p(other, ours, gold, 100) == expected


@given(st.lists(PAIR, min_size=1, max_size=8))
def test_the_error_rates_interval_is_its_definition(corpus: Corpus) -> None:
    ours, _, gold = pairs_of(corpus)
    rates = sorted(rate(ours, gold, lines) for lines in drawn_lines(len(corpus), 120))
    mean, half_width = float(np.mean(rates)), (rates[120 - 1 - 3] - rates[3]) / 2
    expected = (mean - half_width, mean + half_width)
    assert aer_interval(ours, gold, 120) == pytest.approx(expected, abs=1e-6)


def test_better_links_are_told_from_worse() -> None:
    gold = [GoldLinks([(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 2)])] * 50
    good, bad = [[(0, 0), (1, 1), (2, 2)]] * 50, [[(0, 0), (1, 2), (2, 1)]] * 50
    assert paired_aer_p(good, bad, gold, 100) == 1 / 101
    assert paired_aer_p(good, good, gold, 100) == 1
    mixed = [g if i % 2 else b for i, (g, b) in enumerate(zip(good, bad, strict=True))]
    low, high = aer_interval(mixed, gold, 100)
    assert 0 < low < 1 / 3 < high < 1


def test_links_of_other_pairs_are_refused() -> None:
    with pytest.raises(InputError, match="2 sentence pairs with links, 1 with sure"):
        paired_aer_p([[], []], [[]], [GoldLinks([], [])], 100)
