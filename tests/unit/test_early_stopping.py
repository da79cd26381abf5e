"""Early stopping by ``patience``, and a perplexity that is too large for a number."""

from pathlib import Path

import pytest
import torch
from small_training import ADAM, FEEDING, SETTINGS, reversal, run, small
from torch import Tensor

from attnmt.config import TrainingSettings
from attnmt.errors import InputError
from attnmt.text.batches import ParallelText
from attnmt.training.checkpoint import Checkpoints
from attnmt.training.loop import Trained, train

# Adam at this rate learns a text by heart, so that the cost of another text rises.
RISING = ADAM.model_copy(update={"epochs": 30, "learning_rate": 0.03})


def rising(
    folder: Path, settings: TrainingSettings
) -> tuple[Trained, dict[int, dict[str, Tensor]]]:
    """Train where the development cost rises in the end; return also the weights of each evaluation.

    Those of 0 are the ones that are kept.
    """
    text, dev = reversal(30, 1, reverse=True), reversal(40, 2, reverse=True)
    dev = ParallelText(dev.source, reversal(40, 3, reverse=True).source, True)
    model, weights = small(FEEDING), {}

    def observe(row: dict[str, float]) -> None:
        weights[int(row["step"])] = {k: v.clone() for k, v in model.state_dict().items()}

    trained = train(model, text, {"dev": dev}, settings, 1, Checkpoints(folder, minutes=0), observe)
    weights[0] = model.state_dict()
    return trained, weights


def test_a_training_ends_where_the_cost_has_not_fallen_and_changes_nothing_before(tmp_path):
    (whole, _), _ = rising(tmp_path / "whole", RISING)
    patient = RISING.model_copy(update={"patience": 3})
    (early, metrics), weights = rising(tmp_path / "early", patient)
    assert early.history == whole.history[: len(early.history)]
    costs = [row["dev_cost"] for row in early.history]
    assert min(costs) == costs[-4]  # three evaluations later it ends
    for end in range(4, len(costs)):
        assert min(costs[end - 3 : end]) < min(costs[: end - 3])
    assert (metrics["best_step"], metrics["steps"]) == (early.history[-4]["step"], early.step)
    assert early.step < whole.step
    for name, value in weights[early.best_step].items():
        assert torch.equal(weights[0][name], value)


def test_a_training_with_patience_that_is_interrupted_ends_with_the_same_bytes(tmp_path):
    settings = SETTINGS.model_copy(update={"patience": 1})
    undisturbed = run(tmp_path / "a", settings=settings)
    assert undisturbed != run(tmp_path / "plain")
    assert run(tmp_path / "b", iter([3, 0, 10, 1, 20]), settings=settings) == undisturbed
    stops = iter([3, 0, 8, 5, 1, 6, 20])
    assert run(tmp_path / "c", stop_after=stops, settings=settings) == undisturbed


def test_a_perplexity_that_no_number_holds_is_a_training_that_diverged(tmp_path):
    """The cost of each word is above 709 nats, the logarithm of the largest number."""
    text, model = reversal(150, 1, reverse=True), small(FEEDING)
    model.config.shape.__dict__["init"] = 1000.0
    settings = SETTINGS.model_copy(update={"learning_rate": 1e-9})
    with pytest.raises(InputError, match=r"perplexity.* batch \d+"):
        train(model, text, {"dev": text}, settings, 1, Checkpoints(tmp_path, 1), print)
