"""The decoder that takes one word at a time, against the decoder over all words."""

import pytest
import torch
from small_models import VARIANTS, padded_batch, translator
from torch import Tensor

from attnmt.model.fast.stepper import Stepper


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("left", [[0, 1, 2], [0, 2]], ids=["all stay", "one leaves"])
@torch.no_grad()
def test_each_hypothesis_is_decoded_as_a_sentence_of_its_source(variant, left):
    """After two of four words, hypotheses change their order, some go on twice, a sentence may leave."""
    model = translator(variant).eval()
    source, lengths, _, _, _ = padded_batch()
    words = torch.randint(0, 6, (3, 3, 4), generator=torch.Generator().manual_seed(1))
    parents = torch.tensor([[2, 0, 0], [1, 1, 2], [0, 2, 1]])
    reordered = words.clone()
    reordered[:, :, :2] = words[torch.arange(3)[:, None], parents, :2]
    stepper = Stepper(model.decoder, *model.encode(source, lengths))
    stepper.reorder(torch.arange(3), torch.zeros(3, 3, dtype=torch.long))  # from one to three
    for texts, steps, kept in ((words, (0, 1), [0, 1, 2]), (reordered, (2, 3), left)):
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
