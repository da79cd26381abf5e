"""Whether two systems differ by more than chance: paired bootstrap tests, and AER's own interval.

The tests are sacrebleu's (after Koehn 2004 and the Moses scripts): both systems are scored on the
same resampled sentences, and p is the share of samples in which their difference, less its mean, is
larger than the difference found. sacrebleu counts the found one as a sample too, so p > 0.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from sacrebleu.significance import PairedTest, Result, estimate_ci

from attnmt.data.links import GoldLinks, Links
from attnmt.metrics.aer import link_counts, rates
from attnmt.metrics.scripts import SEED, Script, check_input, new_metric


def paired_p(
    script: Script,
    ours: Sequence[str],
    other: Sequence[str],
    references: Sequence[str],
    samples: int,
) -> float:
    """Return the two-sided p-value of the difference between two systems.

    It is what ``sacrebleu --paired-bs`` prints, but where the two score the same in every sample it
    is 1, as they do not differ; sacrebleu prints its smallest p there.

    Args:
        script: what is scored.
        ours: one translation a line, in the form that the script takes.
        other: those of the other system; which of the two comes first does not matter.
        references: one a line, likewise.
        samples: of the bootstrap.

    Raises:
        InputError: if the three differ in length or are empty, or the environment sets another seed.
    """
    for translations in (ours, other):
        check_input(script, translations, references)
    systems = [("other", other), ("ours", ours)]
    with _quiet():
        _, columns = PairedTest(
            systems, {script: new_metric(script)}, [references], test_type="bs", n_samples=samples
        )()
    first, second = (
        result for column in columns.values() for result in column if isinstance(result, Result)
    )
    assert second.p_value is not None  # only the first, the baseline, has none
    if (first.score, first.mean, first.ci) == (second.score, second.mean, second.ci):
        return 1.0
    return second.p_value


def paired_aer_p(
    links: Sequence[Links], other_links: Sequence[Links], gold: Sequence[GoldLinks], samples: int
) -> float:
    """Return the p-value of the difference between two alignment error rates, as :func:`paired_p`.

    Args:
        links: of every sentence pair, English-German as the gold links are.
        other_links: those of the other system.
        gold: of the same pairs.
        samples: of the bootstrap.

    Raises:
        InputError: if the three differ in length.
    """
    ours, other = _counts(links, gold), _counts(other_links, gold)
    found = abs(rates(ours.sum(0)) - rates(other.sum(0)))
    differences = np.abs(_sampled_rates(ours, samples) - _sampled_rates(other, samples))
    if not differences.any():
        return 1.0
    larger = np.count_nonzero(differences - differences.mean() > found)
    return (larger + 1) / (samples + 1)


def aer_interval(
    links: Sequence[Links], gold: Sequence[GoldLinks], samples: int
) -> tuple[float, float]:
    """Return the bounds of the alignment error rate's 95% interval, by the rule of the scripts'.

    Args:
        links: of every sentence pair, English-German as the gold links are.
        gold: of the same pairs.
        samples: of the bootstrap.

    Raises:
        InputError: if the two differ in length.
    """
    mean, half_width = estimate_ci(_sampled_rates(_counts(links, gold), samples))
    return round(float(mean - half_width), 6), round(float(mean + half_width), 6)


def _counts(links: Sequence[Links], gold: Sequence[GoldLinks]) -> NDArray[np.int64]:
    return link_counts(links, [line.sure for line in gold], [line.possible for line in gold])


def _sampled_rates(counts: NDArray[np.int64], samples: int) -> NDArray[np.float64]:
    """Return (samples,), the error rate of as many sentence pairs drawn as sacrebleu draws them."""
    lines = len(counts)
    drawn = np.random.default_rng(SEED).choice(lines, size=(samples, lines), replace=True)
    return rates(counts[drawn].sum(1))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sacrebleu from telling the console how its test goes."""
    logger = logging.getLogger("sacrebleu")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
