"""The training step and the optimizers, against torch's own."""

import numpy as np
import pytest
import torch
from small_models import word_losses
from small_training import FEEDING, SETTINGS, reversal, small
from torch import Tensor, nn

from attnmt.config import System
from attnmt.training.optimizers import OPTIMIZERS, SGD, Optimizer, TorchOptimizer, clipping
from attnmt.training.step import Step

SYSTEMS = {
    "base": System(),
    "location": System(attention="global", score="location", reverse=True, dropout=0.2),
    "feed": FEEDING,
}
TORCHS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}


def random_parameters(seed: int, scale: float = 1.0) -> list[nn.Parameter]:
    """Return two parameters with gradients."""
    generator = torch.Generator().manual_seed(seed)
    parameters = [nn.Parameter(torch.randn(4, 3, generator=generator)) for _ in range(2)]
    for parameter in parameters:
        parameter.grad = scale * torch.randn(4, 3, generator=generator)
    return parameters


@pytest.mark.parametrize(
    ("system", "optimizer", "clip_embeddings"),
    [
        ("base", "sgd", False),
        ("location", "adam", False),
        ("feed", "sgd", True),
        ("feed", "adam", False),
    ],
)
def test_a_step_is_what_torchs_optimizer_does_with_clipped_gradients(
    system, optimizer, clip_embeddings
):
    """Clipping scales all gradients; the settings say whether the embeddings' count in the norm."""
    changes = {"clip_embeddings": clip_embeddings, "clip_norm": 0.5, "optimizer": optimizer}
    text, (model, other) = (
        reversal(40, 1, reverse=True),
        (small(SYSTEMS[system]), small(SYSTEMS[system])),
    )
    for either in (model, other):
        either.double().initialize(1)
        either.train()
    step = Step(model, SETTINGS.model_copy(update=changes))
    torchs = TORCHS[optimizer](other.parameters(), lr=1.0)
    for seed, rate in enumerate((0.7, 0.7, 0.35)):
        # The last batches of an epoch may have fewer pairs; what divides is the setting.
        batch = text.batch(np.arange(8 * seed, 8 * seed + 8 - seed))
        torch.manual_seed(seed)
        loss = step(batch, rate)
        torch.manual_seed(seed)
        h_tilde, _ = other(batch.source, batch.source_lengths, batch.words)
        expected = word_losses(other, h_tilde, batch.next_words, batch.lengths).sum()
        (expected / 8).backward()
        counted = [
            p.grad for n, p in other.named_parameters() if clip_embeddings or "embedding" not in n
        ]
        factor = min(1.0, 0.5 / float(nn.utils.get_total_norm(counted)))
        for parameter in other.parameters():
            parameter.grad *= factor
        torchs.param_groups[0]["lr"] = rate
        torchs.step()
        torchs.zero_grad()
        torch.testing.assert_close(loss, expected)
    assert all(p.grad is None for p in model.parameters())
    torch.testing.assert_close(model.state_dict(), other.state_dict(), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_clipping_is_torchs(scale):
    parameters = random_parameters(1, scale)
    gradients = [p.grad.clone() for p in parameters]
    factor = clipping(parameters, 5.0)
    nn.utils.clip_grad_norm_(parameters, 5.0)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        torch.testing.assert_close(parameter.grad, factor * gradient)
    assert (factor == 1) == (scale == 0.1)


class Momentum(TorchOptimizer, abstract=True):
    """An optimizer that is not registered."""

    name = "momentum"

    def build(self, parameters: list[Tensor]) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, momentum=0.9, nesterov=True)


@pytest.mark.parametrize("kind", [*OPTIMIZERS.values(), Momentum])
def test_an_optimizer_goes_on_from_its_state(kind):
    """Four steps end where two and two end, the latter by another that has the first one's state."""

    def updated(optimizer: Optimizer, seeds: range) -> Optimizer:
        for seed in seeds:
            for parameter, other in zip(optimizer.parameters, random_parameters(seed), strict=True):
                parameter.grad = other.grad
            optimizer.update(0.1, torch.tensor(0.9))
        return optimizer

    whole = updated(kind(random_parameters(0)), range(4))
    first = updated(kind(random_parameters(0)), range(2))
    second = kind([nn.Parameter(p.detach().clone()) for p in first.parameters])
    second.restore({name: value.clone() for name, value in first.state().items()})
    updated(second, range(2, 4))
    for found, expected in zip(second.parameters, whole.parameters, strict=True):
        assert torch.equal(found, expected)
    assert (whole.state() == {}) == (kind is SGD)
