"""Parts of one's own: the score and the encoder of docs/extending.md, named by their classes."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from extending_page import parts_known
from small_models import Variant, compare_with_reference, translator

from attnmt.config import ModelShape, System, load_params, parts
from attnmt.errors import InputError
from attnmt.model.attention.scores import SCORES
from attnmt.model.attention.windows import WINDOWS as WINDOW_CLASSES
from attnmt.model.attention.windows import Window
from attnmt.model.fast.encoder import ENCODERS
from attnmt.model.luong import LuongNMT, ModelConfig

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_parts() -> Iterator[None]:
    """Make the page's parts known for one test."""
    with parts_known():
        yield


def config(system: System) -> ModelConfig:
    shape = ModelShape(layers=1, size=6, window_D=2, location_slots=4, init=0.5)
    return ModelConfig(system, shape, source_words=8, target_words=8)


def test_the_papers_parts_are_those_that_the_configuration_knows():
    assert SCORES.keys() - {"LowRank"} == parts.SCORES.keys()
    assert WINDOW_CLASSES.keys() == parts.WINDOWS.keys()
    assert ENCODERS.keys() - {"BothWays"} == {*parts.ENCODERS}


@pytest.mark.parametrize(
    ("cell", "feeding", "window"),
    [("lstm", True, "global"), ("lstm", False, "local_m"), ("gru", False, "local_p")],
)
def test_an_own_score_has_the_gradients_of_autograd(cell, feeding, window):
    """The reference takes its class a step at a time, and computes no derivative itself."""
    compare_with_reference(translator(Variant(cell, window, "LowRank", feeding), dropout=0.4))


@pytest.mark.parametrize("encoder", ["BothWays", "bidirectional"])
@pytest.mark.parametrize(
    ("cell", "feeding", "reverse"), [("lstm", True, True), ("gru", False, False)]
)
def test_the_decoder_takes_another_encoders_states(cell, feeding, reverse, encoder):
    variant = Variant(cell, "local_p", "general", feeding)
    compare_with_reference(translator(variant, reverse, dropout=0.4, encoder=encoder))


def test_the_configuration_accepts_a_class_and_refuses_a_misspelled_part(tmp_path):
    text, path = (ROOT / "systems.yaml").read_text(), tmp_path / "systems.yaml"
    params_file = Path(shutil.copy(ROOT / "params.yaml", tmp_path))
    line = "  global_dot_feed: {family: luong,"
    assert line in text
    own = text.replace(line, f"{line} encoder: BothWays,").replace("score: dot}", "score: LowRank}")
    path.write_text(own)
    training = load_params(params_file, tmp_path).training("global_dot_feed")
    assert (training.score, training.encoder) == ("LowRank", "BothWays")
    for right, wrong, message in (
        ("LowRank", "generale", "no score 'generale'; did you mean 'general'"),
        ("BothWays", "recurent", "no encoder 'recurent'; did you mean 'recurrent'"),
    ):
        path.write_text(own.replace(right, wrong))
        with pytest.raises(InputError, match=message):
            load_params(params_file, tmp_path)


def test_a_class_that_does_not_exist_is_named_when_the_model_is_built():
    for part, message in (
        ({"score": "LowRang"}, "no score 'LowRang'; did you mean 'LowRank'"),
        ({"score": "dot", "encoder": "Nowhere"}, "no encoder 'Nowhere'"),
    ):
        with pytest.raises(InputError, match=message):
            LuongNMT(config(System.model_validate({"attention": "global", **part})))


def test_two_parts_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two attentions are called 'global'; rename"):

        class Other(Window):
            name = "global"
