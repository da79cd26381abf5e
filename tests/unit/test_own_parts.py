"""Parts of one's own: the score and the encoder of docs/extending.md, named by their classes."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from extending_page import PAGE, parts_known
from pydantic import PositiveInt
from small_models import SHAPE, WINDOWS, Variant, compare_with_reference, padded_batch, translator

from attnmt.config import ModelShape, System, load_params, parts
from attnmt.errors import InputError
from attnmt.model.attention.scores import SCORES
from attnmt.model.attention.windows import WINDOWS as WINDOW_CLASSES
from attnmt.model.attention.windows import Global, Window, softmax
from attnmt.model.fast.encoder import ENCODERS
from attnmt.model.translator import ModelConfig, Translator
from attnmt.planning.cost import work
from attnmt.training.optimizers import OPTIMIZERS
from attnmt.workflow.code import code_of

ROOT = Path(__file__).parents[2]
KINDS = [("lstm", False), ("lstm", True), ("gru", False)]  # cells, with or without input feeding


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
    assert ENCODERS.keys() - {"BothWays"} == parts.ENCODERS.keys()
    for classes in (SCORES, WINDOW_CLASSES, ENCODERS, OPTIMIZERS):
        for name in classes.keys() & parts.PARTS.keys():
            assert classes[name].Numbers is parts.PARTS[name].numbers


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("cell", "feeding"), KINDS)
def test_an_own_score_has_the_gradients_of_autograd(cell, feeding, window):
    """The reference takes its class a step at a time, and computes no derivative itself."""
    compare_with_reference(translator(Variant(cell, window, "LowRank", feeding), dropout=0.4))


@pytest.mark.parametrize("encoder", ["BothWays", "bidirectional"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("cell", "feeding"), KINDS)
def test_the_decoder_takes_another_encoders_states(cell, feeding, reverse, encoder):
    variant = Variant(cell, "local_p", "general", feeding)
    compare_with_reference(translator(variant, reverse, dropout=0.4, encoder=encoder))


def test_the_pages_encoder_sums_torchs_layers_over_both_orders():
    encoder = translator(Variant("lstm", "global", "dot", False), encoder="BothWays").encoder
    source, lengths = torch.tensor([[3, 4, 5, 6], [0, 0, 5, 3]]), torch.tensor([4, 2])
    h_s, _, _ = encoder(source, lengths)
    for row, S in enumerate(lengths):
        x = encoder.embedding(source[row : row + 1, 4 - S :]).transpose(0, 1)
        total = torch.zeros(S, 1, SHAPE.size, dtype=torch.float64)
        for stack, order in ((encoder.stack, [*range(S)]), (encoder.other, [*range(S)][::-1])):
            h = x[order]
            for layer in stack.layers:
                h, _ = layer(h)
            total += h[order]
        torch.testing.assert_close(h_s[row, 4 - S :], total[:, 0])
    assert h_s[1, :2].eq(0).all()


def test_a_window_of_ones_own_is_named_too():
    class Everything(Global):
        pass

    try:
        own = translator(Variant("lstm", "Everything", "dot", True))
        compare_with_reference(own)
    finally:
        del WINDOW_CLASSES["Everything"]
    paper = translator(Variant("lstm", "global", "dot", True))
    assert own.state_dict().keys() == paper.state_dict().keys()


def test_its_cost_is_counted():
    own, dot = (
        work(config(System(attention="global", score=score))) for score in ("LowRank", "dot")
    )
    n, rows = 6, 2
    assert own.source_word - dot.source_word == 2 * rows * n
    assert own.target_word - dot.target_word == 2 * rows * n
    assert own.both - dot.both == 2 * (rows - n)


def test_the_configuration_accepts_a_class_and_refuses_a_misspelled_part(tmp_path):
    text, path = (ROOT / "systems.yaml").read_text(), tmp_path / "systems.yaml"
    params_file = Path(shutil.copy(ROOT / "params.yaml", tmp_path))
    line = "  global_dot_feed: {family: luong,"
    assert line in text
    own = text.replace(line, f"{line} encoder: BothWays,").replace("score: dot}", "score: LowRank}")
    path.write_text(own)
    model = load_params(params_file, tmp_path).model("global_dot_feed")
    assert (model.score, model.encoder) == ("LowRank", "BothWays")
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
            Translator(config(System.model_validate({"attention": "global", **part})))


def test_a_part_of_ones_own_has_numbers_of_its_own():
    """Of a part that the configuration does not know, they are checked when the model is built."""

    class Near(Window):
        class Numbers(parts.Numbers):
            words: PositiveInt = 3

        def weights(self, w, scores, h, memory, steps):
            near = memory.positions[:, None] < self.numbers.words
            return softmax(scores, near & self.attended(memory))

    def near(**numbers):
        own = {"numbers": {"Near": numbers}} if numbers else {}
        return translator(Variant("lstm", "Near", "dot", True), reverse=False, **own)

    try:
        for model, words in ((near(), 3), (near(words=1), 1)):
            compare_with_reference(model)
            assert (model(*padded_batch()[:3])[1][0, 0] > 0).sum() == words
        with pytest.raises(
            InputError, match=r"numbers.Near.word: unknown key; did you mean 'words'"
        ):
            near(word=1)
        with pytest.raises(InputError, match=r"numbers.Near.words: Input should be greater than 0"):
            near(words=0)
    finally:
        del WINDOW_CLASSES["Near"]


def test_the_pages_table_has_every_number_of_the_papers_parts():
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if "|" in line]
    table = {(row[0].strip("`"), row[1].strip("`")): row[2:] for row in rows if len(row) == 4}
    for part, known in parts.PARTS.items():
        for number, field in known.numbers.model_fields.items():
            default, description = table.pop((part, number))
            assert default == str(field.default) or f"without it {default}" in field.description
            assert field.description.startswith(description)
    assert not [key for key in table if key[0] in parts.PARTS]


def test_two_parts_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two attentions are called 'global'; rename"):

        class Other(Window):
            name = "global"


def test_the_papers_encoder_leaves_no_trace_in_a_models_files():
    """So the weights of before there was a choice are the same bytes."""
    assert "encoder" not in System().model_dump()
    assert System(encoder="BothWays").model_dump()["encoder"] == "BothWays"


def test_a_new_part_is_no_code_of_the_stages_before_training():
    for stage in ("corpus", "tokens", "encode"):
        code = code_of(ROOT / f"stages/{stage}.py")
        assert "attnmt.config.parts" not in code
        assert not [name for name in code if name.startswith("attnmt.model")]
