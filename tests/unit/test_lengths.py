"""Groups by length: a case worked by hand, and the groups of the paper's own test set."""

import numpy as np
import pytest
from small_project import ROOT

from attnmt.config.claims import project_claims
from attnmt.scoring.lengths import length_groups, slopes, spread_by_length
from attnmt.scoring.published import printed_curves

# How many references of the paper's newstest2014 have 0, 1, 2, .. words.
NEWSTEST2014 = [
    *(0, 0, 2, 7, 14, 29, 51, 79, 63, 85, 110, 102, 105, 110, 115, 116, 97, 113, 86, 125),
    *(92, 95, 86, 96, 73, 57, 63, 63, 66, 56, 65, 50, 57, 38, 36, 31, 30, 31, 20, 23),
    *(26, 18, 23, 20, 11, 13, 14, 9, 12, 8, 7, 4, 5, 5, 2, 4, 5, 1, 2, 2),
    *(1, 0, 1, 2, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 0, 1),
]


def test_groups_are_those_of_a_case_worked_by_hand():
    """Sentences of the same length stay in their order."""
    groups = length_groups(np.array([7, 4, 5, 4, 5]), 2)
    assert [group.tolist() for group in groups] == [[1, 3], [2, 4], [0]]


def test_counts_of_a_group_stand_in_its_columns():
    counts = np.arange(1.0, 9.0).reshape(1, 4, 2)
    spread = spread_by_length(counts, length_groups(np.array([3, 1, 2, 9]), 2))
    assert spread.tolist() == [[[0, 0, 1, 2], [3, 4, 0, 0], [5, 6, 0, 0], [0, 0, 7, 8]]]
    rates = slopes(lambda sums: sums[:, 0], np.array([1.5, 6.0]))(spread.sum(1))
    assert rates.tolist() == [(8 - 8) / 4.5]


def test_the_groups_of_newstest2014_end_where_the_papers_do():
    """Figure 6's x-values, read off the paper; claims.yaml has the slopes of its curves."""
    lengths = np.repeat(np.arange(len(NEWSTEST2014)), NEWSTEST2014)
    groups = length_groups(lengths, 200)
    ends = [8, 10, 12, 14, 16, 18, 19, 22, 24, 27, 30, 34, 42, 75]
    assert [lengths[group[-1]] for group in groups] == ends
    assert [len(group) for group in groups] == [*[200] * 13, 137]
    curves = printed_curves("Figure 6")
    means = [lengths[group].mean() for group in groups]
    local_p, without = (
        np.polyfit(means, [point.y for point in curves[row]], 1)[0]
        for row in ("local_p_unk", "dropout")
    )
    claimed = project_claims(ROOT)
    assert local_p == pytest.approx(claimed["figure6_no_loss"].size, abs=5e-4)
    assert local_p - without == pytest.approx(claimed["figure6_less_loss"].size, abs=5e-4)
