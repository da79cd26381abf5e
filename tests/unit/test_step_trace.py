"""The steps of a given translation, against the forced decoder and against the reference."""

import numpy as np
import pytest
import torch
from small_models import SHAPE, VARIANTS, Variant, padded_batch, translator
from torch import Tensor

from attnmt.decoding.forced import attention, force
from attnmt.decoding.step_trace import Span, trace
from attnmt.model.reference import Attention as ReferenceAttention
from attnmt.model.reference import Reference, Source
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch

D = SHAPE.window_D
LOCAL = [variant for variant in VARIANTS if variant.attention in ("local_m", "local_p")]

MEMBERS = [
    Variant("lstm", "local_m", "dot", False),
    Variant("lstm", "none", None, False),
    Variant("lstm", "local_p", "general", True),
]


def batch() -> Batch:
    source, source_lengths, words, next_words, lengths = padded_batch()
    return Batch(source, source_lengths, words, next_words, lengths)


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_log_p_and_weights_are_those_of_the_forced_decoder(variant: Variant, reverse: bool) -> None:
    model = translator(variant, reverse).eval()
    traces = trace([model], batch())
    matrices = attention([model], batch()) or [np.zeros((0,))] * 3
    for one, forced, matrix in zip(traces, force([model], batch()), matrices, strict=True):
        assert sum(one.log_p) == pytest.approx(forced.score, abs=1e-9)
        np.testing.assert_allclose(one.weights, matrix, atol=1e-12)
    assert [len(one.log_p) for one in traces] == batch().lengths.tolist()


@pytest.mark.parametrize("average", ["logits", "probabilities"])
def test_an_ensemble_has_joint_log_p_mean_weights_and_no_span(average: str) -> None:
    models = [translator(variant).eval() for variant in MEMBERS]
    traces = trace(models, batch(), average)
    forced = zip(force(models, batch(), average), attention(models, batch()), strict=True)
    for one, (whole, matrix) in zip(traces, forced, strict=True):
        assert sum(one.log_p) == pytest.approx(whole.score, abs=1e-9)
        np.testing.assert_allclose(one.weights, matrix, atol=1e-12)
        assert one.spans == []


@torch.no_grad()
def spans_of_reference(
    model: Translator, pairs: Batch, i: int, monkeypatch: pytest.MonkeyPatch
) -> list[Span]:
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
    S, T = int(pairs.source_lengths[i]), int(pairs.lengths[i])
    reference(pairs.source[i : i + 1, -S:], pairs.source_lengths[i : i + 1], pairs.words[i : i + 1])
    monkeypatch.setattr(ReferenceAttention, "scores", lambda _, h, h_s: h_s[:, :, 0] * 0)
    spans = []
    for h, source, t in steps[:T]:
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
    compared = 0
    for i, one in enumerate(trace([model], batch())):
        expected = spans_of_reference(model, batch(), i, monkeypatch)
        assert len(one.spans) == len(expected)
        for span, other in zip(one.spans, expected, strict=True):
            assert (span.first, span.last) == (other.first, other.last)
            if other.p == other.p:  # not nan
                assert span.p == pytest.approx(other.p, abs=1e-6)
                compared += 1
    assert compared >= 3
    # The positions must differ, or a wrong order of the steps would not show.
    assert len({round(span.p, 6) for span in trace([model], batch())[0].spans}) == 3


def test_global_attention_has_no_window() -> None:
    for variant in VARIANTS:
        if variant.attention in ("none", "global"):
            assert not any(one.spans for one in trace([translator(variant).eval()], batch()))
