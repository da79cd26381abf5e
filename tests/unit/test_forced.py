"""The attention of given translations, against the weights of one step after another."""

import numpy as np
import pytest
import torch
from small_models import VARIANTS, Variant, padded_batch, translator

from attnmt.config import System
from attnmt.decoding.forced import attention
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch

ATTENTIONAL = [variant for variant in VARIANTS if variant.attention != "none"]
PLAIN = Variant("lstm", "none", None, False)


def batch() -> Batch:
    source, source_lengths, words, next_words, lengths = padded_batch()
    return Batch(source, source_lengths, words, next_words, lengths)


@torch.no_grad()
def word_by_word(model: Translator, pairs: Batch, i: int) -> np.ndarray:
    """Read one pair alone, without padding, as a search would; columns in the sentence's order."""
    S, T = int(pairs.source_lengths[i]), int(pairs.lengths[i])
    stepper = model.stepper(pairs.source[i : i + 1, -S:], pairs.source_lengths[i : i + 1])
    rows = []
    for t in range(T):
        _, a = stepper.step(pairs.words[i : i + 1, t : t + 1])
        assert a is not None
        rows.append(a[0, 0].numpy())
    weights = np.stack(rows)
    return weights[:, ::-1] if model.config.system.reverse else weights


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("variant", ATTENTIONAL, ids=str)
def test_weights_are_those_of_each_step_in_the_order_of_the_sentence(
    variant: Variant, reverse: bool
) -> None:
    model = translator(variant, reverse).eval()
    matrices = attention([model], batch())
    for i, weights in enumerate(matrices):
        expected = word_by_word(model, batch(), i)
        assert weights.shape == expected.shape
        np.testing.assert_allclose(weights, expected, atol=1e-12)
    assert len(matrices) == 3
    # Words must differ in their weights, or a wrong order would not show.
    assert np.ptp(matrices[0], axis=1).max() > 1e-6


def test_an_ensemble_has_the_mean_of_its_attentional_members() -> None:
    members = [ATTENTIONAL[0], PLAIN, ATTENTIONAL[3]]
    models = [translator(variant).eval() for variant in members]
    for i, weights in enumerate(attention(models, batch())):
        expected = [word_by_word(models[k], batch(), i) for k in (0, 2)]
        np.testing.assert_allclose(weights, sum(expected) / 2, atol=1e-12)


def test_a_model_without_attention_gives_no_weights() -> None:
    assert attention([translator(PLAIN).eval()], batch()) == []


def test_weights_that_do_not_sum_to_one_stay_as_they_are() -> None:
    model = translator(Variant("lstm", "local_p", "dot", False)).eval()
    assert model.config.system == System(attention="local_p", score="dot", reverse=True)
    sums = attention([model], batch())[0].sum(axis=1)
    assert (sums < 0.99).any()
