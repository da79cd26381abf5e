"""Every variant of the model: the fast path against the reference, search's steps, padding, loss.

test_recurrent.py has torch's own layers.
"""

import pytest
import torch
from small_models import (
    VARIANTS,
    Variant,
    compare_with_reference,
    padded_batch,
    translator,
    word_losses,
)
from torch import Tensor, nn

from attnmt.model.fast.loss import SummedLoss
from attnmt.model.fast.stepper import Stepper

each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


@each_variant
def test_the_fast_path_equals_the_reference(variant):
    """Every second variant reads forward, and every second is trained without dropout."""
    number = VARIANTS.index(variant)
    dropout = 0.4 if number % 4 < 2 else 0.0
    compare_with_reference(translator(variant, reverse=number % 2 == 0, dropout=dropout).train())


@pytest.mark.parametrize(
    "variant",
    [Variant("lstm", "local_p", "general", True), Variant("gru", "local_p", "concat", False)],
    ids=str,
)
def test_the_fast_path_has_the_window_of_the_system(variant):
    paper, model = translator(variant), translator(variant, window_D=1)
    compare_with_reference(model)
    weights, others = (each(*padded_batch()[:3])[1] for each in (paper, model))
    assert not torch.allclose(weights, others)


FED = [variant for variant in VARIANTS if variant.feeding]
FAULTS = [("general_gradient", v) for v in FED if v.score == "general"]
FAULTS += [("position_gradient", v) for v in FED if v.attention == "local_p"]
FAULTS += [("unmasked_padding", v) for v in FED if v.score in ("dot", "concat")]


@pytest.mark.parametrize(("fault", "variant"), FAULTS, ids=str)
def test_the_fast_path_has_the_faults_of_the_reference(fault, variant):
    compare_with_reference(translator(variant, faults=[fault]))


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@each_variant
@torch.no_grad()
def test_each_hypothesis_is_decoded_as_a_sentence_of_its_source(variant):
    """After two of four words, hypotheses change their order, some go on twice, a sentence leaves."""
    model = translator(variant).eval()
    source, lengths, _, _, _ = padded_batch()
    words = torch.randint(0, 6, (3, 3, 4), generator=torch.Generator().manual_seed(1))
    parents = torch.tensor([[2, 0, 0], [1, 1, 2], [0, 2, 1]])
    reordered = words.clone()
    reordered[:, :, :2] = words[torch.arange(3)[:, None], parents, :2]
    stepper = Stepper(model.decoder, *model.encode(source, lengths))
    stepper.reorder(torch.arange(3), torch.zeros(3, 3, dtype=torch.long))  # from one to three
    for texts, steps, kept in ((words, (0, 1), [0, 1, 2]), (reordered, (2, 3), [0, 2])):
        whole, weights = model(
            source.repeat_interleave(3, 0), lengths.repeat_interleave(3), texts.flatten(0, 1)
        )
        if steps[0] == 2:
            stepper.reorder(torch.tensor(kept), parents[kept])
        for t in steps:
            h_tilde, a = stepper.step(texts[kept, :, t])
            close(h_tilde, whole.unflatten(0, (3, 3))[kept, :, t])
            assert (a is None) == (weights is None)
            if a is not None:
                close(a, weights.unflatten(0, (3, 3))[kept, :, t])


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
