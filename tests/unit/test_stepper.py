"""The decoder that takes one word at a time, against the decoder over all words."""

import pytest
import torch
from small_models import VARIANTS, Variant, padded_batch, translator
from torch import Tensor

each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@each_variant
@pytest.mark.parametrize("leaving", [None, 2], ids=["", "one leaves"])
@torch.no_grad()
def test_each_hypothesis_is_decoded_as_a_sentence_of_its_source(
    variant: Variant, leaving: int | None
) -> None:
    """Each sentence has K = 3 hypotheses; the second sentence leaves before a step, or stays."""
    model = translator(variant).eval()
    source, lengths, _, _, _ = padded_batch()
    words = torch.randint(0, 6, (3, 3, 4), generator=torch.Generator().manual_seed(1))
    whole, weights = model(
        source.repeat_interleave(3, 0), lengths.repeat_interleave(3), words.flatten(0, 1)
    )
    whole = whole.unflatten(0, (3, 3))
    stepper = model.stepper(source, lengths)
    stepper.select(torch.arange(3), torch.zeros(3, 3, dtype=torch.long))  # from one to three
    left = torch.arange(3)
    for t in range(4):
        if t == leaving:
            left = torch.tensor([0, 2])
            stepper.select(left, torch.arange(3).expand(2, -1))
        h_tilde, a = stepper.step(words[left, :, t])
        close(h_tilde, whole[left, :, t])
        assert (a is None) == (weights is None)
        if a is not None and weights is not None:
            close(a, weights.unflatten(0, (3, 3))[left, :, t])


@each_variant
@torch.no_grad()
def test_a_hypothesis_goes_on_from_its_parent(variant: Variant) -> None:
    """After a step, three hypotheses change their order, and some go on twice."""
    model = translator(variant).eval()
    source, lengths, _, _, _ = padded_batch()
    parents = torch.tensor([[2, 0, 0], [1, 1, 2], [0, 2, 1]])
    first, then = torch.randint(0, 6, (2, 3, 3), generator=torch.Generator().manual_seed(2))
    stepper = model.stepper(source, lengths)
    stepper.select(torch.arange(3), torch.zeros(3, 3, dtype=torch.long))
    stepper.step(first)
    stepper.select(torch.arange(3), parents)
    h_tilde, _ = stepper.step(then)
    words = torch.stack([first.gather(1, parents), then], dim=2).flatten(0, 1)
    whole, _ = model(source.repeat_interleave(3, 0), lengths.repeat_interleave(3), words)
    close(h_tilde.flatten(0, 1), whole[:, 1])


@pytest.mark.parametrize("feeding", [False, True])
@torch.no_grad()
def test_only_with_input_feeding_h_tilde_reaches_the_next_step(feeding: bool) -> None:
    model = translator(Variant("lstm", "global", "dot", feeding)).eval()
    source, lengths, words, _, _ = padded_batch()

    def second_weights() -> Tensor | None:
        stepper = model.stepper(source, lengths)
        stepper.step(words[:, :1])
        return stepper.step(words[:, 1:2])[1]

    before = second_weights()
    model.decoder.W_c.mul_(2)  # this reaches the next state and its weights only by input feeding
    after = second_weights()
    assert before is not None
    assert after is not None
    assert torch.equal(before, after) != feeding
