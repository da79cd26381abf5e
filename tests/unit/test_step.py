"""The training step against torch's own optimizers, and their state."""

import numpy as np
import pytest
import torch
from small_models import word_losses
from small_training import FEEDING, SETTINGS, reversal, small
from torch import nn

from attnmt.config import System
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.state import TrainingState
from attnmt.training.step import TrainingStep

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
    step = TrainingStep(model, SETTINGS.model_copy(update=changes))
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
        factor = min(1.0, 0.5 / (float(nn.utils.get_total_norm(counted)) + 1e-6))
        for parameter in other.parameters():
            parameter.grad *= factor
        torchs.param_groups[0]["lr"] = rate
        torchs.step()
        torchs.zero_grad()
        torch.testing.assert_close(loss, expected)
    assert all(p.grad is None for p in model.parameters())
    torch.testing.assert_close(model.state_dict(), other.state_dict(), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_an_optimizer_goes_on_from_a_checkpoint(tmp_path, optimizer):
    """Four steps end where two and two end, the latter by another that has the first one's state."""
    settings, text = (
        SETTINGS.model_copy(update={"optimizer": optimizer}),
        reversal(40, 1, reverse=True),
    )

    def trained(step: TrainingStep, seeds: range) -> TrainingStep:
        for seed in seeds:
            step(text.batch(np.arange(8 * seed, 8 * seed + 8)), 0.1)
        return step

    whole = trained(TrainingStep(small(SYSTEMS["base"]), settings), range(4))
    first = trained(TrainingStep(small(SYSTEMS["base"]), settings), range(2))
    Checkpoints(tmp_path, 0).save(first.model, first.optimizer, TrainingState(step=2))
    second = TrainingStep(small(SYSTEMS["base"]), settings)
    Checkpoints(tmp_path, 0).load(second.model, second.optimizer)
    trained(second, range(2, 4))
    for found, expected in zip(second.parameters, whole.parameters, strict=True):
        assert torch.equal(found, expected)
