"""The recipe of training, and trainings that are interrupted."""

from pathlib import Path

import numpy as np
import pytest
import torch
from small_training import FEEDING, RECIPE, StopAfter, reversal, run, small
from torch import nn

from attnmt.errors import InputError
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import cost_a_word, train
from attnmt.training.sgd import learning_rate, update
from attnmt.training.stop import TrainingStopped


@pytest.mark.parametrize(
    ("schedule", "rates"),
    [
        ("paper", [1, 1, 1, 1, 1, 0.5, 0.25, 0.125, 0.0625, 0.03125]),
        ("program", [1, 1, 1, 1, 1, 1, 0.5, 0.25, 0.125, 0.0625]),
    ],
)
def test_the_rate_follows_either_reading_of_the_schedule(schedule: str, rates: list[float]) -> None:
    recipe = RECIPE.model_copy(update={"schedule": schedule, "halve_after": 5, "epochs": 10})
    assert [learning_rate(recipe, epoch) for epoch in range(1, 11)] == rates


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_clipping_is_torchs_except_for_the_embeddings(scale: float) -> None:
    counted, unclipped = (nn.Parameter(torch.randn(4, 3)) for _ in range(2))
    before = [p.detach().clone() for p in (counted, unclipped)]
    gradients = [scale * torch.randn(4, 3) for _ in range(2)]
    for parameter, gradient in zip((counted, unclipped), gradients, strict=True):
        parameter.grad = gradient.clone()
    reference = nn.Parameter(before[0].clone())
    reference.grad = gradients[0].clone()
    norm = nn.utils.clip_grad_norm_([reference], 5.0)
    update([counted], [unclipped], rate=0.5, clip_norm=5.0)
    assert reference.grad is not None
    torch.testing.assert_close(counted.detach(), before[0] - 0.5 * reference.grad)
    factor = min(1.0, 5.0 / float(norm))
    torch.testing.assert_close(unclipped.detach(), before[1] - 0.5 * factor * gradients[1])
    assert counted.grad is None


@pytest.mark.parametrize("shuffle", ["corpus", "chunk"])
def test_every_pair_comes_once_an_epoch_with_little_padding(shuffle: str) -> None:
    text = reversal(1000, 1, reverse=True)
    orders = [text.training_order(e, 5, 16, 20, shuffle) for e in (1, 1, 2)]  # type: ignore[arg-type]
    for order in orders:
        assert sorted(np.concatenate(order)) == list(range(1000))
        lengths = [text.target.lengths[rows] for rows in order]
        words = sum(int(n.sum()) for n in lengths)
        assert sum(int(n.max()) * len(n) for n in lengths) < 1.05 * words
    flat = [np.concatenate(order).tolist() for order in orders]
    assert flat[0] == flat[1] != flat[2]
    if shuffle == "chunk":
        assert set(np.concatenate(orders[0][:20])) == set(range(320))


def test_interruptions_change_no_byte(tmp_path: Path) -> None:
    undisturbed = run(tmp_path / "a")
    assert len(undisturbed[1]) == 9  # of 57 batches every seventh and the last are evaluated
    torch.manual_seed(99)  # random numbers drawn before must not matter
    assert run(tmp_path / "b", iter([3, 0, 10, 1, 20])) == undisturbed
    assert run(tmp_path / "c", stop_after=iter([3, 0, 8, 5, 1, 6, 20])) == undisturbed
    # There are 58 questions around 57 batches and 9 in evaluations. Stop in the last one, and after it.
    assert run(tmp_path / "d", stop_after=iter([65])) == undisturbed
    assert run(tmp_path / "e", stop_after=iter([66])) == undisturbed


def test_a_stop_ends_an_evaluation_early(tmp_path: Path) -> None:
    """The checkpoint is that of the batch before it. The next start begins with the evaluation."""
    text, rows = reversal(150, 1, reverse=True), []
    checkpoints = Checkpoints(tmp_path, minutes=1)
    with pytest.raises(TrainingStopped) as stopped:  # after 7 batches the 8th question
        train(
            small(FEEDING), text, {"dev": text}, RECIPE, 1, checkpoints, rows.append, StopAfter(7)
        )
    assert stopped.value.code == 75
    held = checkpoints.load(small(FEEDING))
    assert (held.step, held.history, rows) == (7, [], [])
    assert held.recent_words > 0
    with pytest.raises(TrainingStopped):
        train(
            small(FEEDING), text, {"dev": text}, RECIPE, 1, checkpoints, rows.append, StopAfter(1)
        )
    assert [row["step"] for row in rows] == [7]
    assert checkpoints.load(small(FEEDING)).step == 7


@pytest.mark.parametrize("clip_embeddings", [False, True])
def test_embeddings_count_in_the_norm_only_if_the_recipe_says_so(
    tmp_path: Path, clip_embeddings: bool
) -> None:
    """At a rate of 1, one clipped step changes the parameters that count by ``clip_norm`` in all."""
    recipe = RECIPE.model_copy(
        update={"epochs": 1, "clip_norm": 5e-5, "clip_embeddings": clip_embeddings}
    )
    text = reversal(recipe.batch_size, 1, reverse=True)
    model, start = small(FEEDING), small(FEEDING)
    start.initialize(1)
    train(model, text, {"dev": text}, recipe, 1, Checkpoints(tmp_path, minutes=0), lambda row: None)
    changes = {
        name: (value - start.state_dict()[name]).norm()
        for name, value in model.state_dict().items()
        if clip_embeddings or "embedding" not in name
    }
    assert torch.stack(list(changes.values())).norm().item() == pytest.approx(5e-5, rel=2e-2)


def test_a_cost_that_is_not_finite_says_what_to_do(tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(update={"learning_rate": 1e38, "clip_norm": 1e38})
    text = reversal(50, 1, reverse=True)
    with pytest.raises(InputError, match=r"smaller training\.learning_rate"):
        train(
            small(FEEDING), text, {"dev": text}, recipe, 1, Checkpoints(tmp_path, minutes=0), print
        )


def test_the_cost_is_the_mean_over_words_and_ends(tmp_path: Path) -> None:
    model, text = small(FEEDING), reversal(30, 3, reverse=True)
    model.initialize(1)
    batch = text.batch(np.arange(30))
    model.eval()
    h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
    losses = model.losses(h_tilde, batch.next_words, batch.lengths)
    assert len(losses) == int(text.target.lengths.sum()) + 30
    assert cost_a_word(model, text, 7) == pytest.approx(losses.mean().item(), rel=1e-5)
