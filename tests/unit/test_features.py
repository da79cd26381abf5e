"""Features of training: a warm-up, early stopping, the mean of the last weights."""

import math
from pathlib import Path

import pytest
import torch
from small_training import ADAM, FEEDING, RECIPE, StopAfter, reversal, run, small
from torch import Tensor

from attnmt.config import Training
from attnmt.errors import InputError
from attnmt.text.batches import ParallelText
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.course import Course
from attnmt.training.evaluation import cost_a_word
from attnmt.training.features.feature import FEATURES
from attnmt.training.loop import Trained, train
from attnmt.training.state import TrainingState
from attnmt.training.stop import TrainingStopped

# Adam at this rate learns a text by heart, so that the cost of another text rises.
RISING = ADAM.model_copy(update={"epochs": 30, "learning_rate": 0.03})
ON = {"warmup_steps": 20, "patience": 1, "average_last": 3}


def rising(folder: Path, recipe: Training) -> tuple[Trained, dict[int, dict[str, Tensor]]]:
    """Train where the development cost rises in the end; return also the weights of each evaluation."""
    text, dev = reversal(30, 1, reverse=True), reversal(40, 2, reverse=True)
    dev = ParallelText(dev.source, reversal(40, 3, reverse=True).source, True)
    model, checkpoints, weights = small(FEEDING), Checkpoints(folder, minutes=0), {}

    def observe(row: dict[str, float]) -> None:
        weights[int(row["step"])] = {k: v.clone() for k, v in model.state_dict().items()}

    trained = train(model, text, {"dev": dev, "test": text}, recipe, 1, checkpoints, observe)
    weights[0] = model.state_dict()
    model.load_state_dict(weights[0])
    for found, text_of in (("dev_perplexity", dev), ("test", text)):
        perplexity = {**trained.metrics, **trained.metrics["perplexity"]}[found]
        assert perplexity == pytest.approx(math.exp(cost_a_word(model, text_of)), rel=1e-6)
    return trained, weights


def test_every_feature_is_a_key_that_is_off_and_leaves_no_trace():
    assert FEATURES.keys() == ON.keys()
    assert not ON.keys() & RECIPE.model_dump().keys()
    assert Course(RECIPE, 150).features == []
    for key, value in ON.items():
        on = RECIPE.model_copy(update={key: value})
        assert on.model_dump() == RECIPE.model_dump() | {key: value}
        assert [feature.name for feature in Course(on, 150).features] == [key]


@pytest.mark.parametrize("key", ON)
def test_a_training_with_a_feature_that_is_interrupted_ends_with_the_same_bytes(tmp_path, key):
    """Killed while it saves, stopped between batches, in evaluations, and while the mean is measured."""
    recipe = RECIPE.model_copy(update={key: ON[key]})
    undisturbed, plain = run(tmp_path / "a", recipe=recipe), run(tmp_path / "plain")
    assert undisturbed != plain
    assert run(tmp_path / "b", iter([3, 0, 10, 1, 20]), recipe=recipe) == undisturbed
    assert (
        run(tmp_path / "c", stop_after=iter([3, 0, 8, 5, 1, 6, 20]), recipe=recipe) == undisturbed
    )
    assert run(tmp_path / "d", stop_after=iter([66]), recipe=recipe) == undisturbed


def test_a_stop_while_the_mean_is_measured_is_told(tmp_path, caplog):
    text, recipe = reversal(150, 1, reverse=True), RECIPE.model_copy(update={"average_last": 2})
    stop = StopAfter(58 + 9)  # the questions of the loop and of its evaluations
    with pytest.raises(TrainingStopped):
        train(small(FEEDING), text, {"dev": text}, recipe, 1, Checkpoints(tmp_path, 1), print, stop)
    assert "after batch 57, which the checkpoint holds" in caplog.text


def test_a_warm_up_is_torchs():
    """Torch's schedule rises from 1 / 20 to 1 within 19 steps; the recipe's then halves the rate."""
    course = Course(RECIPE.model_copy(update={"warmup_steps": 20, "learning_rate": 0.7}), 150)
    rates = [
        course.rate(TrainingState(step=s, epoch=e))
        for s, e in [*((s, 1) for s in range(1, 31)), (31, 3)]
    ]
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.7)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / 20, total_iters=19)
    for rate in rates[:-1]:
        assert rate == pytest.approx(schedule.get_last_lr()[0], rel=1e-12)
        optimizer.step()
        schedule.step()
    assert rates[-2:] == [0.7, 0.35]


def test_the_history_shows_the_rate_of_a_warm_up(tmp_path):
    _, history, _ = run(tmp_path, recipe=RECIPE.model_copy(update={"warmup_steps": 20}))
    assert [row["learning_rate"] for row in history[:4]] == [7 / 20, 14 / 20, 1, 1]


def test_early_stopping_ends_where_the_cost_has_not_fallen_and_changes_nothing_before(tmp_path):
    (whole, _), _ = rising(tmp_path / "whole", RISING)
    (early, metrics), weights = rising(
        tmp_path / "early", RISING.model_copy(update={"patience": 3})
    )
    assert early.history == whole.history[: len(early.history)]
    costs = [row["dev_cost"] for row in early.history]
    assert min(costs) == costs[-4]  # three evaluations later it ends
    for end in range(4, len(costs)):
        assert min(costs[end - 3 : end]) < min(costs[: end - 3])
    assert (metrics["best_step"], metrics["steps"]) == (early.history[-4]["step"], early.step)
    assert early.step < whole.step
    for name, value in weights[early.best_step].items():
        assert torch.equal(weights[0][name], value)


def test_the_kept_weights_are_the_mean_of_the_last(tmp_path):
    (plain, _), _ = rising(tmp_path / "plain", RISING)
    (progress, metrics), weights = rising(
        tmp_path / "mean", RISING.model_copy(update={"average_last": 4})
    )
    assert progress.history == plain.history
    last = [int(row["step"]) for row in progress.history[-4:]]
    assert metrics["averaged_steps"] == last
    for name, kept in weights[0].items():
        mean = torch.stack([weights[step][name] for step in last]).double().mean(dim=0)
        assert torch.equal(kept, mean.float())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"warmup_steps": 58},
            r"warmup_steps: 58 are more than the 57 batches of this training; give",
        ),
        (
            {"average_last": 10},
            r"average_last: this training has 9 evaluations, fewer than 10; lower",
        ),
    ],
)
def test_a_recipe_that_is_too_long_for_the_training_is_refused_before_it(
    tmp_path, changes, message
):
    recipe = RECIPE.model_copy(update=changes)
    with pytest.raises(InputError, match=message):
        run(tmp_path, recipe=recipe)
    assert list(tmp_path.iterdir()) == []


def test_a_perplexity_that_no_number_holds_is_a_training_that_diverged(tmp_path):
    """The cost of each word is above 709 nats, the logarithm of the largest number."""
    text, model = reversal(150, 1, reverse=True), small(FEEDING)
    model.config.shape.__dict__["init"] = 1000.0
    recipe = RECIPE.model_copy(update={"learning_rate": 1e-9})
    with pytest.raises(
        InputError, match=r"a perplexity is not finite after batch \d+; delete the f"
    ):
        train(model, text, {"dev": text}, recipe, 1, Checkpoints(tmp_path, 1), print)
