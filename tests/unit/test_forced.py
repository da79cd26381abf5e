"""The weights and windows of given translations, against single steps."""

import math

import numpy as np
import pytest
import torch
from small_models import SHAPE, VARIANTS, Variant, translator

from attnmt.decoding.explanation import spans_of
from attnmt.decoding.forced_decoding import force
from attnmt.model.luong import LuongNMT
from attnmt.text.vocabulary import BOS

D = SHAPE.window_D
ATTENTIONAL = [variant for variant in VARIANTS if variant.attention != "none"]
LOCAL = [variant for variant in VARIANTS if variant.attention in ("local_m", "local_p")]
PLAIN = Variant("lstm", "none", None, False)
SOURCES = [np.array(ids, dtype=np.int32) for ids in ([3, 6, 4, 4, 5, 3], [6, 4], [5])]
TARGETS = [np.array(ids, dtype=np.int32) for ids in ([5, 3], [4, 4, 0], [3])]


@torch.no_grad()
def word_by_word(model: LuongNMT, i: int) -> np.ndarray:
    """Take the steps of one pair alone, as a search would; columns in the sentence's order."""
    stepper = model.start([SOURCES[i]])
    weights = [stepper.step(torch.tensor([[word]]))[1][0] for word in [BOS, *TARGETS[i]]]
    return torch.cat(weights).numpy()[:, :: -1 if model.config.system.reverse else 1]


@pytest.mark.parametrize("variant", ATTENTIONAL, ids=str)
def test_weights_are_those_of_each_step_in_the_order_of_the_sentence(variant):
    model = translator(variant, reverse=ATTENTIONAL.index(variant) % 2 == 0).eval()
    matrices = [one.weights for one in force([model], SOURCES, TARGETS)]
    for i, weights in enumerate(matrices):
        np.testing.assert_allclose(weights, word_by_word(model, i), atol=1e-12)
    # Words must differ in their weights, or a wrong order would not show.
    assert np.ptp(matrices[0], axis=1).max() > 1e-6


def test_an_ensemble_has_the_mean_of_its_attentional_members():
    models = [translator(variant).eval() for variant in (ATTENTIONAL[0], PLAIN, ATTENTIONAL[3])]
    for i, one in enumerate(force(models, SOURCES, TARGETS)):
        expected = [word_by_word(models[k], i) for k in (0, 2)]
        np.testing.assert_allclose(one.weights, sum(expected) / 2, atol=1e-12)


def test_a_model_without_attention_gives_no_weights():
    forced = force([translator(PLAIN).eval()], SOURCES, TARGETS)
    assert [(one.attended, one.weights.size) for one in forced] == [([], 0)] * 3


@pytest.mark.parametrize("variant", LOCAL, ids=str)
def test_windows_stand_where_the_weights_are(variant):
    model = translator(variant, reverse=LOCAL.index(variant) % 2 == 0).eval()
    places = set()
    for source, target in zip(SOURCES, TARGETS, strict=True):
        # The translation has company of another length, whose steps come after its own end.
        spans = spans_of(model, source, [target, TARGETS[1]])[0]
        (forced,) = force([model], [source], [target])
        for t, (span, weights) in enumerate(zip(spans, forced.weights, strict=True)):
            assert np.flatnonzero(weights).tolist() == list(range(span.first, span.last + 1))
            middle = math.floor(span.p)
            assert span.first == max(0, middle - D)
            assert span.last == min(len(source) - 1, middle + D)
            assert variant.attention == "local_p" or span.p == min(t, len(source) - 1)
            places.add((t, round(span.p, 6)))
    assert len(places) >= 6  # or a wrong order of the steps would not show
