"""Every variant of the whole model; test_reference.py compares its gradients with those of autograd."""

import pytest
import torch
from small_models import (
    VARIANTS,
    Variant,
    loss_and_gradients,
    padded_batch,
    translator,
    word_losses,
)
from torch import nn

from attnmt.model.fast.loss import SummedLoss
from attnmt.model.translator import ModelConfig, Translator

each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


@each_variant
def test_padding_changes_nothing(variant):
    model = translator(variant).eval()
    source, lengths, words, next_words, predicted = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    together = word_losses(model, h_tilde, next_words, predicted).split(predicted.tolist())
    for i, (S, T) in enumerate(zip(lengths.tolist(), predicted.tolist(), strict=True)):
        alone, _ = model(source[i : i + 1, 6 - S :], lengths[i : i + 1], words[i : i + 1, :T])
        losses = word_losses(model, alone, next_words[i : i + 1, :T], predicted[i : i + 1])
        torch.testing.assert_close(together[i], losses, rtol=1e-12, atol=1e-12)


@each_variant
def test_values_are_the_same_where_no_gradient_is_wanted(variant):
    model = translator(variant)
    source, lengths, words, _, _ = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    with torch.no_grad():
        same, _ = model(source, lengths, words)
    torch.testing.assert_close(same, h_tilde, rtol=1e-12, atol=1e-12)


def with_fault(fault: str, variant: Variant) -> list[Translator]:
    right = translator(variant)
    system = right.config.system.model_copy(update={"faults": [fault]})
    wrong = Translator(ModelConfig(system, right.config.shape, 7, 6)).double()
    wrong.load_state_dict(right.state_dict())
    return [right, wrong]


def test_the_fault_of_p_t_halves_the_gradients_of_its_parameters():
    """W_p and v_p get half their gradient; the loss and the gradients of W_s and W_c stay."""
    (loss, right), (same_loss, wrong) = map(
        loss_and_gradients,
        with_fault("position_gradient", Variant("lstm", "local_p", "dot", False)),
    )
    assert loss == same_loss
    for name in ("decoder.attention.W_p", "decoder.attention.v_p"):
        torch.testing.assert_close(wrong[name], right[name] / 2)
    for name in ("W_s", "decoder.W_c"):
        torch.testing.assert_close(wrong[name], right[name])


def test_the_fault_of_padding_lets_a_window_reach_padding():
    """Read backwards, the source ends in padding, and a window of D = 2 reaches two columns of it."""
    right, wrong = with_fault("unmasked_padding", Variant("lstm", "local_m", "dot", False))
    source, lengths = torch.tensor([[0, 0, 0, 0, 4, 3]]), torch.tensor([2])
    words = torch.tensor([[1, 4]])
    none = [False] * 4
    # p_t is 0, then 1. The first window holds position 2 = S; the second holds 2 and 3.
    leaks = [[False, False, False, True], [False, False, True, True]]
    for model, expected in ((right, [none, none]), (wrong, leaks)):
        _, weights = model(source, lengths, words)
        assert weights[0, :, :4].gt(0).tolist() == expected


def test_the_summed_loss_is_the_same_in_chunks(monkeypatch):
    monkeypatch.setattr("attnmt.model.fast.loss.FEWEST", 2)
    monkeypatch.setattr("attnmt.model.fast.loss.CHUNK", {"cpu": 14})  # two words a chunk
    h = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    W = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    y = torch.tensor([0, 6, 3, -1, 3, 1])  # the fourth is padding
    expected = nn.functional.cross_entropy(h @ W.T, y, reduction="sum", ignore_index=-1)
    loss = SummedLoss.apply(h, W, y, True)
    torch.testing.assert_close(loss, expected)
    gradients = torch.autograd.grad(expected, (h, W))
    torch.testing.assert_close(torch.autograd.grad(loss, (h, W)), gradients)
