"""The most probable words, found by blocks and in chunks."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnmt.config import ModelShape, System
from attnmt.decoding.ensemble import BLOCK, best_words, largest, log_probabilities
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.text.vocabulary import EOS


@settings(max_examples=30)
@given(
    columns=st.integers(1, 12 * BLOCK),
    count=st.integers(1, 13),
    values=st.sampled_from([5, 10**6]),
    seed=st.integers(0, 10_000),
)
def test_the_largest_values_are_those_of_topk(columns, count, values, seed):
    """Few values make many equal entries, and any of the equal ones will do."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(values, (7, columns), generator=generator).double()
    x[:, 0] = -torch.inf
    count = min(count, columns)
    top, places = largest(x, count)
    assert torch.equal(top, x.topk(count).values)
    assert torch.equal(x.gather(1, places), top)
    assert all(len(set(row)) == count for row in places.tolist())


def test_chunks_change_no_value_and_no_word(monkeypatch):
    shape = ModelShape(layers=1, size=4, window_D=2, location_slots=6, init=1.5)
    models = [LuongNMT(ModelConfig(System(), shape, 7, 1000)).double() for _ in range(3)]
    for seed, model in enumerate(models):
        model.initialize(seed)
        model.requires_grad_(False)
    generator = torch.Generator().manual_seed(0)
    h = [torch.randn(5, 3, 4, generator=generator, dtype=torch.float64) for _ in models]
    logits = (model.logits(part) for model, part in zip(models, h, strict=True))
    expected = log_probabilities(logits, 3)
    expected[..., EOS] = -torch.inf
    for chunk in (10**6, 4000):
        monkeypatch.setattr("attnmt.model.loss.CHUNK", {"cpu": chunk})
        monkeypatch.setattr("attnmt.decoding.ensemble.FEWEST", 1)
        values, words = best_words(models, h, 6, ends=False)
        torch.testing.assert_close(values, expected.topk(6).values)
        torch.testing.assert_close(expected.gather(2, words), values)
