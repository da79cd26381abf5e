"""The paired tests against sacrebleu's command line and against the definition, line by line."""

import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from real_text import TEXTS, read_text, spoil

from attnmt.corpora.links import GoldLinks, Links
from attnmt.errors import InputError
from attnmt.scoring.aer import aer
from attnmt.scoring.results import Script
from attnmt.scoring.scripts import SCRIPTS, References
from attnmt.scoring.significance import aer_interval, paired_aer_p, paired_p

REFERENCES = read_text("made", 60)
OURS, OTHER = spoil(REFERENCES, seed=1), spoil(REFERENCES, seed=2)


PRINTED: list[tuple[list[Script], list[str]]] = [
    (["sacrebleu", "chrf", "ter"], ["-m", "bleu", "chrf", "ter"]),
    (["nist"], ["--tokenize", "13a", "--smooth-method", "exp"]),
    (["tokenized"], ["--tokenize", "none", "--smooth-method", "none", "--force"]),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("scripts", "options"), PRINTED, ids=["plain", "nist", "tokenized"])
@pytest.mark.parametrize("share", [0.2, 0.4], ids=lambda share: f"share {share}")
def test_it_is_what_the_command_line_prints(
    tmp_path: Path, text: str, scripts: list[Script], options: list[str], share: float
) -> None:
    """In our translations a fifth of the words is spoiled, in the other's a fifth or two fifths."""
    references = read_text(text)
    ours, other = spoil(references, seed=1), spoil(references, seed=2, share=share)
    texts = {"ours": ours, "other": other, "references": references}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "other", "ours", *options]
    command += ["--paired-ar", "--paired-ar-n", "150", "-f", "text"]
    result = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    printed = [float(p) for p in re.findall(r"\(p = ([0-9.]+)\)", result.stdout)]
    ours_p = [paired_p(script, ours, other, References(references), 150) for script in scripts]
    for script, p, other_p in zip(scripts, ours_p, printed, strict=True):  # in the options' order
        # Edits are few, so many shuffles give equal differences, and sacrebleu does not count those.
        assert p > other_p - 1e-4 if script == "ter" else round(p, 4) == other_p
    assert all((p == 1 / 151) == (share == 0.4) for p in ours_p)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_order_of_the_two_systems_does_not_matter(script: Script) -> None:
    p = paired_p(script, OURS, OTHER, References(REFERENCES), 100)
    assert 0 < p <= 1
    assert paired_p(script, OTHER, OURS, References(REFERENCES), 100) == p


@pytest.mark.parametrize("script", SCRIPTS)
def test_equal_translations_do_not_differ(script: Script) -> None:
    assert paired_p(script, OURS, list(OURS), References(REFERENCES), 100) == 1


def test_different_wrong_words_are_no_difference() -> None:
    ours = [f"{line} Tisch" for line in OURS]
    other = [f"{line} Stuhl" for line in OURS]
    references = [line.replace("Tisch", "Bett").replace("Stuhl", "Bett") for line in REFERENCES]
    assert paired_p("tokenized", ours, other, References(references), 100) == 1


def test_what_cannot_be_paired_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for ours, other in ((OURS[1:], OTHER), (OURS, OTHER[1:])):
        with pytest.raises(InputError, match="59 translations but 60 references"):
            paired_p("nist", ours, other, References(REFERENCES), 100)
    monkeypatch.setenv("SACREBLEU_SEED", "none")
    with pytest.raises(InputError, match="SACREBLEU_SEED"):
        paired_p("nist", OURS, OTHER, References(REFERENCES), 100)


def test_a_test_prints_nothing_and_changes_no_global_state(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("sacrebleu")
    level, state = logger.level, str(np.random.get_state())
    with caplog.at_level(logging.INFO):
        paired_p("tokenized", OURS, OTHER, References(REFERENCES), 100)
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    assert logger.level == level
    assert str(np.random.get_state()) == state


LINK = st.tuples(st.integers(0, 4), st.integers(0, 4))
LINKS = st.lists(LINK, max_size=6, unique=True)
PAIR = st.tuples(LINKS, LINKS, LINKS, LINKS)
T = TypeVar("T")
DIAGONAL = [(j, j) for j in range(6)]
Corpus = list[tuple[Links, Links, Links, Links]]  # ours, the other's, sure, possible


def pairs_of(corpus: Corpus) -> tuple[list[Links], list[Links], list[GoldLinks]]:
    ours, other, sure, possible = map(list, zip(*corpus, strict=True))
    gold = [GoldLinks(s, sorted({*s, *p})) for s, p in zip(sure, possible, strict=True)]
    return ours, other, gold


def rate(links: list[Links], gold: list[GoldLinks], lines: list[int]) -> float:
    """Return the error rate of the drawn pairs, or 0 if they have no link at all."""
    drawn, chosen = [links[i] for i in lines], [gold[i] for i in lines]
    if not any(drawn) and not any(pair.sure for pair in chosen):
        return 0.0
    return aer(drawn, [pair.sure for pair in chosen], [pair.possible for pair in chosen])


def drawn_lines(lines: int, samples: int) -> list[list[int]]:
    """Return the lines of each sample, as sacrebleu draws them."""
    return np.random.default_rng(12345).choice(lines, size=(samples, lines)).tolist()


# two shuffles whose rates are other sums and whose differences are equal but for rounding
TIED = [
    ([], [(0, 0)], [(0, 1)], [(0, 0)]),
    ([(0, 0)], [], [], []),
    ([], [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)], [(1, 2)], [(0, 0)]),
]


@example(TIED)
@given(st.lists(PAIR, min_size=1, max_size=8))
def test_the_error_rates_test_is_its_definition(corpus: Corpus) -> None:
    ours, other, gold = pairs_of(corpus)
    everything = list(range(len(corpus)))

    def difference(swapped: list[bool]) -> float:
        sides = [
            [b if swap else a for a, b, swap in zip(first, second, swapped, strict=True)]
            for first, second in ((ours, other), (other, ours))
        ]
        return abs(rate(sides[0], gold, everything) - rate(sides[1], gold, everything))

    observed = difference([False] * len(corpus))
    shuffles = np.random.default_rng(12345).integers(2, size=(100, len(corpus)), dtype=bool)
    as_large = sum(difference(swapped) >= observed - 1e-12 for swapped in shuffles.tolist())
    assert paired_aer_p(ours, other, gold, 100) == (as_large + 1) / 101
    assert paired_aer_p(other, ours, gold, 100) == (as_large + 1) / 101


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


def swapped_at_random(ours: list[T], other: list[T], seed: int) -> tuple[list[T], list[T]]:
    """Return two systems that are alike: each line's translations are swapped at random."""
    swaps = np.random.default_rng(seed).integers(2, size=len(ours)).tolist()
    one = [b if swap else a for a, b, swap in zip(ours, other, swaps, strict=True)]
    two = [a if swap else b for a, b, swap in zip(ours, other, swaps, strict=True)]
    return one, two


def random_links(seed: int, wrong: float) -> list[Links]:
    """Return six links in each of a hundred lines; a share of them is wrong."""
    right = (np.random.default_rng(seed).random((100, 6)) > wrong).tolist()
    return [[(j, j) if is_right else (j, 6) for j, is_right in enumerate(row)] for row in right]


@pytest.mark.parametrize("differing", [4, 100])
def test_error_rates_of_systems_that_are_alike_are_seldom_told_apart(differing: int) -> None:
    """At most 6% of 1,000 true nulls are rejected at .05, and not far fewer if many lines differ."""
    gold = [GoldLinks(DIAGONAL, DIAGONAL)] * 100
    first = random_links(seed=1, wrong=0.3)
    second = [*random_links(seed=2, wrong=0.5)[:differing], *first[differing:]]
    nulls = (swapped_at_random(first, second, seed) for seed in range(1000))
    rejected = sum(paired_aer_p(one, two, gold, 999) < 0.05 for one, two in nulls)
    assert (0 if differing == 4 else 35) <= rejected <= 60


@pytest.mark.parametrize("differing", [4, 40])
def test_translations_of_systems_that_are_alike_are_seldom_told_apart(differing: int) -> None:
    """At most 6% of 500 true nulls are rejected at .05, and not far fewer if many lines differ."""
    references, ours = REFERENCES[:40], OURS[:40]
    worse = [*spoil(references, seed=2, share=0.4)[:differing], *ours[differing:]]
    nulls = (swapped_at_random(ours, worse, seed) for seed in range(500))
    rejected = sum(
        paired_p("tokenized", *null, References(references), 199) < 0.05 for null in nulls
    )
    assert (0 if differing == 4 else 15) <= rejected <= 30


def test_one_different_sentence_is_not_significant() -> None:
    """In this case sacrebleu's own test returns 1 / 101."""
    other = [REFERENCES[0], *OURS[1:]]
    assert other != OURS
    assert paired_p("nist", OURS, other, References(REFERENCES), 100) == 1
