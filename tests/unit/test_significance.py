"""Paired comparisons against sacrebleu's command line and against the definition, line by line."""

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from real_text import read_text, spoil

from attnmt.corpora.links import GoldLinks
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.significance import compare, interval
from attnmt.text.aer import aer, link_counts, rates


def compare_texts(script, ours, other, references, samples):
    """Compare two systems' translations."""
    metric = METRICS[script]
    counts = [metric.counts(lines, References(references)) for lines in (ours, other)]
    return compare(*counts, metric.scores, samples)


def counts_of(links, gold):
    return link_counts(links, [line.sure for line in gold], [line.possible for line in gold])


def compare_links(links, other, gold, samples):
    """Compare the error rates of two systems' links."""
    return compare(counts_of(links, gold), counts_of(other, gold), rates, samples)


LINKS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6, unique=True)
CORPUS = st.lists(st.tuples(LINKS, LINKS, LINKS, LINKS), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("scripts", "options"),
    [
        (["sacrebleu", "chrf", "ter"], ["-m", "bleu", "chrf", "ter"]),
        (["tokenized"], ["--tokenize", "none", "--smooth-method", "none", "--force"]),
    ],
)
def test_p_is_what_the_command_line_prints(tmp_path, scripts, options):
    """In both systems' translations a fifth of the words is spoiled."""
    references = read_text("demo")
    ours, other = spoil(references, seed=1), spoil(references, seed=2)
    texts = {"ours": ours, "other": other, "references": references}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "other", "ours", *options]
    command += ["--paired-ar", "--paired-ar-n", "150", "-f", "text"]
    result = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    printed = [float(p) for p in re.findall(r"\(p = ([0-9.]+)\)", result.stdout)]
    found = [compare_texts(script, ours, other, references, 150).p for script in scripts]
    for script, p, other_p in zip(scripts, found, printed, strict=True):  # in the options' order
        # Edits are few, so many shuffles give equal differences, and sacrebleu does not count those.
        assert p > other_p - 1e-4 if script == "ter" else round(p, 4) == other_p


def interval_of(differences):
    """Return the interval by sacrebleu's rule, which leaves out 2.5% of the values at either end."""
    ordered, out = sorted(differences), len(differences) // 40
    half_width = (ordered[len(ordered) - 1 - out] - ordered[out]) / 2
    return np.mean(ordered) - half_width, np.mean(ordered) + half_width


def drawn_lines(lines, samples):
    """Return the lines of each sample, as sacrebleu draws them."""
    return np.random.default_rng(12345).choice(lines, size=(samples, lines)).tolist()


def exchanged(ours, other, swaps):
    """Return two systems whose outputs change places where ``swaps`` is true."""
    both = [(b, a) if swap else (a, b) for a, b, swap in zip(ours, other, swaps, strict=True)]
    return [one for one, _ in both], [two for _, two in both]


def rate(links, gold, rows):
    """Return the error rate of some pairs; it is 0 if they have no link at all."""
    drawn, chosen = [links[i] for i in rows], [gold[i] for i in rows]
    if not any(drawn) and not any(pair.sure for pair in chosen):
        return 0.0
    return aer(drawn, [pair.sure for pair in chosen], [pair.possible for pair in chosen])


# two shuffles whose rates are other sums and whose differences are equal but for rounding
TIED = [
    ([], [(0, 0)], [(0, 1)], [(0, 0)]),
    ([(0, 0)], [], [], []),
    ([], [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)], [(1, 2)], [(0, 0)]),
]


@settings(max_examples=30)
@example(TIED)
@given(CORPUS)
def test_the_comparison_of_links_is_its_definition(corpus):
    ours, other, sure, possible = map(list, zip(*corpus, strict=True))
    gold = [GoldLinks(s, sorted({*s, *p})) for s, p in zip(sure, possible, strict=True)]
    every, drawn = range(len(gold)), drawn_lines(len(gold), 120)

    def difference(one, two, rows):
        return rate(one, gold, rows) - rate(two, gold, rows)

    swaps = np.random.default_rng(12345).integers(2, size=(120, len(gold)), dtype=bool).tolist()
    moved = [abs(difference(*exchanged(ours, other, swap), every)) for swap in swaps]
    as_large = sum(found >= abs(difference(ours, other, every)) - 1e-12 for found in moved)
    differences = [difference(ours, other, rows) for rows in drawn]
    found = compare_links(ours, other, gold, 120)
    assert found.p == compare_links(other, ours, gold, 120).p == (as_large + 1) / 121
    assert (found.low, found.high) == pytest.approx(interval_of(differences))
    own = interval_of([rate(ours, gold, rows) for rows in drawn])
    assert interval(counts_of(ours, gold), rates, 120) == pytest.approx(own, abs=1e-6)
