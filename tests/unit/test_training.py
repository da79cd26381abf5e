"""The schedule of training, and trainings that are interrupted."""

import logging
import math

import numpy as np
import pytest
import torch
from small_models import word_losses
from small_training import ADAM, FEEDING, SETTINGS, StopAfter, held_by, reversal, run, small

from attnmt.text.batches import ParallelText, make_batch
from attnmt.text.vocabulary import BOS, EOS
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.evaluation import cost_a_word
from attnmt.training.loop import train
from attnmt.training.machine import described
from attnmt.training.schedule import learning_rate
from attnmt.training.stop import TrainingStopped


@pytest.mark.parametrize(
    ("schedule", "rates"),
    [
        ("paper", [1, 1, 1, 1, 1, 0.5, 0.25, 0.125, 0.0625, 0.03125]),
        ("program", [1, 1, 1, 1, 1, 1, 0.5, 0.25, 0.125, 0.0625]),
    ],
)
def test_the_rate_follows_either_reading_of_the_schedule(schedule, rates):
    settings = SETTINGS.model_copy(update={"schedule": schedule, "halve_after": 5, "epochs": 10})
    assert [learning_rate(settings, epoch) for epoch in range(1, 11)] == rates


@pytest.mark.parametrize("reverse", [False, True])
def test_a_batch_has_its_source_in_reading_order_padded_on_the_left(reverse):
    sources, targets = [np.array([3, 4, 5]), np.array([6])], [np.array([7]), np.array([8, 9])]
    batch = make_batch(sources, targets, reverse)
    assert batch.source.tolist() == [[5, 4, 3] if reverse else [3, 4, 5], [0, 0, 6]]
    assert batch.words.tolist() == [[BOS, 7, EOS], [BOS, 8, 9]]
    assert batch.next_words.tolist() == [[7, EOS, EOS], [8, 9, EOS]]
    assert (batch.source_lengths.tolist(), batch.lengths.tolist()) == ([3, 1], [2, 3])


@pytest.mark.parametrize("shuffle", ["corpus", "chunk"])
def test_every_pair_comes_once_an_epoch_with_little_padding(shuffle):
    text = reversal(1000, 1, reverse=True)
    orders = [text.training_order(e, 5, 16, 20, shuffle) for e in (1, 1, 2)]
    for order in orders:
        assert sorted(np.concatenate(order)) == list(range(1000))
        lengths = [text.target.lengths[rows] for rows in order]
        words = sum(int(n.sum()) for n in lengths)
        assert sum(int(n.max()) * len(n) for n in lengths) < 1.05 * words
    flat = [np.concatenate(order).tolist() for order in orders]
    assert flat[0] == flat[1] != flat[2]
    if shuffle == "chunk":
        assert set(np.concatenate(orders[0][:20])) == set(range(320))


@pytest.mark.parametrize("settings", [SETTINGS, ADAM], ids=["sgd", "adam"])
def test_interruptions_change_no_byte(tmp_path, settings):
    undisturbed = run(tmp_path / "a", settings=settings)
    costs = [row["dev_cost"] for row in undisturbed[1]]
    assert len(costs) == 9  # of 57 batches every seventh and the last are evaluated
    assert min(costs) < 0.8 * math.log(8) < costs[0]  # it learns; a guess of 8 words costs ln 8
    for row in undisturbed[1]:  # each has the cost of its own batches only
        assert 0.7 < row["train_cost"] / row["dev_cost"] < 1.5
    torch.manual_seed(99)  # random numbers drawn before must not matter
    assert run(tmp_path / "b", iter([3, 10, 20]), settings=settings) == undisturbed
    # There are 58 questions around 57 batches and 9 in evaluations. Stop in the last one, and after it.
    for at, stops in enumerate([[3, 0, 8, 5]] if settings is ADAM else [[1, 6, 20], [65], [66]]):
        assert run(tmp_path / f"c{at}", stop_after=iter(stops), settings=settings) == undisturbed


def test_a_training_says_first_what_it_computes_on(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    run(tmp_path)
    assert caplog.messages[0].startswith(f"{described(torch.device('cpu'))}, fp32, ")


def test_a_stop_ends_an_evaluation_early(tmp_path):
    """The checkpoint is that of the batch before it. The next start begins with the evaluation."""
    text, rows = reversal(150, 1, reverse=True), []
    checkpoints = Checkpoints(tmp_path, minutes=1)
    with pytest.raises(TrainingStopped) as stopped:  # after 7 batches the 8th question
        train(
            small(FEEDING), text, {"dev": text}, SETTINGS, 1, checkpoints, rows.append, StopAfter(7)
        )
    assert stopped.value.code == 75
    held = held_by(checkpoints)
    assert (held.step, held.history, rows) == (7, [], [])
    assert held.recent_words > 0
    with pytest.raises(TrainingStopped):
        train(
            small(FEEDING), text, {"dev": text}, SETTINGS, 1, checkpoints, rows.append, StopAfter(1)
        )
    assert [row["step"] for row in rows] == [7]
    assert held_by(checkpoints).step == 7


def test_the_weights_kept_are_those_of_the_lowest_development_cost(tmp_path):
    """The development set does not follow the training text, so its cost rises in the end."""
    text, dev = reversal(30, 1, reverse=True), reversal(40, 2, reverse=True)
    dev = ParallelText(dev.source, reversal(40, 3, reverse=True).source, True)
    model, checkpoints = small(FEEDING), Checkpoints(tmp_path, minutes=0)
    settings = ADAM.model_copy(update={"epochs": 30, "learning_rate": 0.03})
    progress, _ = train(model, text, {"dev": dev}, settings, 1, checkpoints, lambda row: None, None)
    costs = {row["step"]: row["dev_cost"] for row in progress.history}
    lowest = min(costs, key=lambda step: costs[step])
    assert lowest != max(costs)
    assert (progress.best_step, progress.best_cost) == (lowest, costs[lowest])
    best = small(FEEDING)
    best.load_state_dict(checkpoints.load_best(progress))
    assert cost_a_word(best, dev) == pytest.approx(costs[lowest], abs=1e-6)


def test_the_cost_is_the_mean_over_words_and_ends():
    model, text = small(FEEDING), reversal(30, 3, reverse=True)
    model.initialize(1)
    batch = text.batch(np.arange(30))
    model.eval()
    h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
    losses = word_losses(model, h_tilde, batch.next_words, batch.lengths)
    assert len(losses) == int(text.target.lengths.sum()) + 30
    assert cost_a_word(model, text, 7) == pytest.approx(losses.mean().item(), rel=1e-5)
