"""Every variant of the whole model; test_reference.py compares its gradients with those of autograd."""

import pytest
import torch
from small_models import (
    VARIANTS,
    padded_batch,
    translator,
    word_losses,
)
from torch import nn

from attnmt.model.fast.loss import SummedLoss

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
