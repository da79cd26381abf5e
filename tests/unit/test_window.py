"""The proposed width of a local window, and the sentences that fit into one."""

import numpy as np
import pytest

from attnmt.text.window import proposed_half_width, share_in_window


@pytest.mark.parametrize(("length", "D"), [(25, 6), (12, 2), (40, 10), (1, 2)])
def test_a_window_is_half_of_a_sentence(length, D):
    assert proposed_half_width([1, 1, length, length, length, 90, 90]) == D


def test_more_than_half_of_the_sentences_do_not_fit():
    chance = np.random.default_rng(1)
    for _ in range(200):
        lengths = chance.integers(6, chance.integers(8, 90), 50).tolist()
        D = proposed_half_width(lengths)
        seen = [all(abs(word - length // 2) <= D for word in range(length)) for length in lengths]
        assert share_in_window(D, lengths) == sum(seen) / 50 <= 0.5
