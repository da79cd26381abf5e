"""A new score, that of docs/extending.md: one class, and one line of parameters that names it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from extending_page import score_known
from small_training import RECIPE, reversal
from test_cost import PAIRS, SOURCE, TARGET, counted_flop
from torch import Tensor

from attnmt.config import ModelShape, System, load_params
from attnmt.errors import InputError
from attnmt.model.attention.scores import SCORES, Score
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import training_memory, work
from attnmt.planning.text_size import Lengths
from attnmt.training.step import Step

ROOT = Path(__file__).parents[2]
SHAPE = ModelShape(layers=1, size=6, window_D=2, location_slots=4, init=0.5)
CELLS = pytest.mark.parametrize(
    ("cell", "feeding"), [("lstm", False), ("lstm", True), ("gru", False)]
)


@pytest.fixture(autouse=True)
def low_rank() -> Iterator[None]:
    """Make the score ``low_rank`` known for one test."""
    with score_known():
        yield


def system(feeding: bool = False, attention: str = "global") -> System:
    return System(
        attention=attention, score="low_rank", input_feeding=feeding, reverse=True, dropout=0.1
    )


def config(cell: str, feeding: bool) -> ModelConfig:
    shape = SHAPE.model_copy(update={"cell": cell})
    return ModelConfig(system(feeding).model_copy(update={"dropout": 0.0}), shape, 8, 8)


@pytest.mark.parametrize("attention", ["global", "local_m", "local_p"])
@pytest.mark.parametrize("feeding", [False, True])
def test_training_changes_it_and_lowers_the_loss(feeding: bool, attention: str) -> None:
    """A few steps through the training's own step change its parameters and lower the loss."""
    torch.manual_seed(1)
    model = Translator(ModelConfig(system(feeding, attention), SHAPE, 8, 8))
    model.initialize(1)
    before = {name: value.clone() for name, value in model.named_parameters()}
    step, text = Step(model.train(), RECIPE), reversal(8, 1, reverse=True)
    batch = text.batch(torch.arange(8).numpy())
    losses = [float(step(batch, 0.5)) for _ in range(20)]
    assert losses[-1] < 0.9 * losses[0]
    for name in ("decoder.attention.A", "decoder.attention.B"):
        assert not torch.equal(before[name], model.get_parameter(name))


@CELLS
def test_its_gradients_are_those_of_finite_differences(cell: str, feeding: bool) -> None:
    model = Translator(config(cell, feeding)).double()
    model.initialize(2)
    batch = reversal(3, 4, reverse=True).batch(torch.arange(3).numpy())

    def loss() -> Tensor:
        h_tilde, _ = model(batch.source, batch.source_lengths, batch.words)
        return model.loss(h_tilde, batch.next_words, batch.lengths)

    loss().backward()
    torch.manual_seed(0)
    for parameter in model.parameters():
        direction, moved = torch.randn_like(parameter), []
        assert parameter.grad is not None
        for sign in (1, -2, 1):  # forward, backward, and to the start again
            with torch.no_grad():
                parameter += sign * 1e-5 * direction
                moved.append(loss())
        expected = (moved[0] - moved[1]) / 2e-5
        torch.testing.assert_close(
            (parameter.grad * direction).sum(), expected, rtol=1e-6, atol=1e-8
        )


@CELLS
def test_its_cost_is_what_torch_counts(cell: str, feeding: bool) -> None:
    model = Translator(config(cell, feeding))
    model.initialize(1)
    cost = work(model.config, Lengths(SOURCE, TARGET))
    found = counted_flop(model) / (PAIRS * TARGET)
    # An unrolled decoder computes attention up to the contexts once more.
    again = 4 * cost.attention if feeding or cell == "gru" else 0
    assert cost.training_flop * (1 - 1e-12) <= found <= (cost.training_flop + again) * (1 + 1e-12)
    assert training_memory(model.config, 4, Lengths(SOURCE, TARGET)) > 0


def test_the_configuration_accepts_it_and_refuses_a_misspelled_one(tmp_path: Path) -> None:
    text, path = (ROOT / "systems.yaml").read_text(), tmp_path / "systems.yaml"
    assert "attention: global, score: dot}" in text
    params_file = shutil.copy(ROOT / "params.yaml", tmp_path)
    path.write_text(text.replace("score: dot}", "score: low_rank}"))
    assert load_params(Path(params_file), tmp_path).model("global_dot_feed").score == "low_rank"
    assert "low_rank" in System.model_json_schema()["properties"]["score"]["anyOf"][0]["enum"]
    path.write_text(text.replace("score: dot}", "score: low_rang}"))
    with pytest.raises(InputError, match="no score 'low_rang'; did you mean 'low_rank'"):
        load_params(Path(params_file), tmp_path)


def test_a_score_that_does_not_say_what_it_costs_is_refused() -> None:
    try:

        class Costless(SCORES["low_rank"]):  # type: ignore[misc]
            name = "costless"
            operations = Score.operations

        with pytest.raises(TypeError, match=r"abstract.*operations"):
            work(
                ModelConfig(System(attention="global", score="costless"), SHAPE, 8, 8),
                Lengths(3, 3),
            )
    finally:
        SCORES.pop("costless", None)


def test_two_scores_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two scores are called 'dot'; rename"):

        class Dot(SCORES["low_rank"]):  # type: ignore[misc]
            name = "dot"
