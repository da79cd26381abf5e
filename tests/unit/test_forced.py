"""The weights and windows of given translations, against single steps and against the reference."""

import numpy as np
import pytest
import torch
from small_models import SHAPE, VARIANTS, Variant, translator
from torch import Tensor

from attnmt.decoding.forced import force
from attnmt.decoding.protocol import Hypotheses
from attnmt.decoding.spans import Span, spans_of
from attnmt.model.reference import Attention as ReferenceAttention
from attnmt.model.reference import Reference, Source
from attnmt.model.translator import Translator
from attnmt.text.batches import make_batch
from attnmt.text.vocabulary import BOS

D = SHAPE.window_D
ATTENTIONAL = [variant for variant in VARIANTS if variant.attention != "none"]
LOCAL = [variant for variant in VARIANTS if variant.attention in ("local_m", "local_p")]
PLAIN = Variant("lstm", "none", None, False)
SOURCES = [np.array(ids, dtype=np.int32) for ids in ([3, 6, 4, 4, 5, 3], [6, 4], [5])]
TARGETS = [np.array(ids, dtype=np.int32) for ids in ([5, 3], [4, 4, 0], [3])]


@torch.no_grad()
def word_by_word(model: Translator, i: int) -> np.ndarray:
    """Take the steps of one pair alone, as a search would; columns in the sentence's order."""
    words = torch.tensor([[BOS, *TARGETS[i]]])
    _, weights = Hypotheses.follow(model.start([SOURCES[i]]), words)
    assert weights is not None
    return weights[0].numpy()[:, :: -1 if model.config.system.reverse else 1]


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("variant", ATTENTIONAL, ids=str)
def test_weights_are_those_of_each_step_in_the_order_of_the_sentence(
    variant: Variant, reverse: bool
) -> None:
    model = translator(variant, reverse).eval()
    matrices = [one.weights for one in force([model], SOURCES, TARGETS)]
    for i, weights in enumerate(matrices):
        np.testing.assert_allclose(weights, word_by_word(model, i), atol=1e-12)
    # Words must differ in their weights, or a wrong order would not show.
    assert np.ptp(matrices[0], axis=1).max() > 1e-6


def test_an_ensemble_has_the_mean_of_its_attentional_members() -> None:
    models = [translator(variant).eval() for variant in (ATTENTIONAL[0], PLAIN, ATTENTIONAL[3])]
    for i, one in enumerate(force(models, SOURCES, TARGETS)):
        expected = [word_by_word(models[k], i) for k in (0, 2)]
        np.testing.assert_allclose(one.weights, sum(expected) / 2, atol=1e-12)


def test_a_model_without_attention_gives_no_weights() -> None:
    forced = force([translator(PLAIN).eval()], SOURCES, TARGETS)
    assert [(one.attended, one.weights.size) for one in forced] == [([], 0)] * 3


def test_weights_that_do_not_sum_to_one_stay_as_they_are() -> None:
    model = translator(Variant("lstm", "local_p", "dot", False)).eval()
    assert (force([model], SOURCES, TARGETS)[0].weights.sum(axis=1) < 0.99).any()


@torch.no_grad()
def spans_of_reference(model: Translator, i: int, monkeypatch: pytest.MonkeyPatch) -> list[Span]:
    """Read the windows off the reference's weights, for one pair alone.

    Without scores, equation 7 gives equal weights inside the window and 0 outside. So equation 10 shows
    p_t itself: with a_s ~ exp(-(s - p)^2 / (2 sigma^2)), sigma = D/2, two neighbors give
    p = s + 1/2 - sigma^2 (ln a_s - ln a_{s+1}). One word alone gives p only up to the side of s.
    """
    reference = Reference(model.config).double().eval()
    reference.load_state_dict(model.state_dict())
    steps: list[tuple[Tensor, Source, int]] = []
    assert reference.decoder.attention is not None
    reference.decoder.attention.register_forward_pre_hook(lambda _, given: steps.append(given))
    batch = make_batch([SOURCES[i]], [TARGETS[i]], model.config.system.reverse)
    reference(batch.source, batch.source_lengths, batch.words)
    monkeypatch.setattr(ReferenceAttention, "scores", lambda _, h, h_s: h_s[:, :, 0] * 0)
    spans = []
    S = len(SOURCES[i])
    for h, source, t in steps:
        a = torch.zeros(S, dtype=torch.double)
        a[source.s[0]] = reference.decoder.attention.content(h, source, t)[0]
        inside = a.nonzero()[:, 0].tolist()
        first, last = inside[0], inside[-1]
        assert inside == list(range(first, last + 1))
        if model.config.system.attention == "local_m":
            p = float(min(t, S - 1))
        elif first < last:
            p = first + 0.5 - (D / 2) ** 2 * float(a[first].log() - a[first + 1].log())
        else:
            p = float("nan")
        spans.append(Span(p, first, last))
    monkeypatch.undo()
    return spans


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("variant", LOCAL, ids=str)
def test_windows_stand_where_the_reference_puts_them(
    variant: Variant, reverse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = translator(variant, reverse).eval()
    compared, places = 0, set()
    for i in range(3):
        # The translation has company of another length, whose steps come after its own end.
        spans = spans_of(model, SOURCES[i], [TARGETS[i], TARGETS[1]])[0]
        expected = spans_of_reference(model, i, monkeypatch)
        assert [span[1:] for span in spans] == [span[1:] for span in expected]
        known = [(a.p, b.p) for a, b in zip(spans, expected, strict=True) if b.p == b.p]
        assert [p for p, _ in known] == pytest.approx([p for _, p in known], abs=1e-6)
        compared += len(known)
        places.add(len({round(span.p, 6) for span in spans}))
    assert compared >= 3
    assert max(places) >= 3  # or a wrong order of the steps would not show


def test_global_attention_has_no_window() -> None:
    for variant in VARIANTS:
        if variant.attention in ("none", "global"):
            assert spans_of(translator(variant).eval(), SOURCES[0], TARGETS) == [[], [], []]
