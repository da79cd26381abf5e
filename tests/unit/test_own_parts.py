"""Parts of one's own: the score and the encoder of docs/extending.md, named by their classes."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from extending_page import parts_known
from small_models import Variant, check_derivatives, translator

from attnmt.config import ModelShape, System, load_params, parts
from attnmt.errors import InputError
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.model.parts import module_of, part

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "src/attnmt/model"


@pytest.fixture(autouse=True)
def own_parts() -> Iterator[None]:
    """Make the page's parts known for one test."""
    with parts_known():
        yield


def config(system: System) -> ModelConfig:
    shape = ModelShape(layers=1, size=6, window_D=2, location_slots=4, init=0.5)
    return ModelConfig(system, shape, source_words=8, target_words=8)


def test_the_papers_parts_are_those_that_the_configuration_knows():
    for kind, known in (
        ("score", parts.SCORES),
        ("window", parts.WINDOWS),
        ("encoder", parts.ENCODERS),
    ):
        names = [path.stem for path in (MODEL / f"{kind}s").glob("[!_]*.py")]
        assert {*known} <= {*names}
        assert all(part(kind, name).__module__ == module_of(kind, name) for name in known)


@pytest.mark.parametrize(
    ("cell", "feeding", "window"),
    [("lstm", True, "global"), ("lstm", False, "local_m"), ("gru", False, "local_p")],
)
def test_an_own_score_and_an_own_encoder_have_the_gradients_of_autograd(cell, feeding, window):
    model = translator(Variant(cell, window, "LowRank", feeding), dropout=0.4, encoder="BothWays")
    check_derivatives(model.train())


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
    for own, message in (
        ({"score": "Generall"}, "no score 'Generall'; did you mean 'General'"),
        ({"score": "dot", "encoder": "Nowhere"}, "no encoder 'Nowhere'"),
    ):
        with pytest.raises(InputError, match=message):
            LuongNMT(config(System.model_validate({"attention": "global", **own})))
