"""Every variant of the model: gradients, search's steps, padding, loss.

test_recurrent.py has torch's own layers, test_attention.py closed forms, and tests/golden what the
authors' own program computed.
"""

import pytest
import torch
from small_models import (
    SHAPE,
    VARIANTS,
    Variant,
    check_derivatives,
    padded_batch,
    translator,
    word_losses,
)
from torch import Tensor, nn

from attnmt.config import System
from attnmt.errors import InputError
from attnmt.model.decoders import DecoderState
from attnmt.model.loss import SummedLoss
from attnmt.model.luong import LuongNMT, ModelConfig

GRU = Variant("gru", "local_p", "concat", False)
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


@each_variant
def test_gradients_are_the_slopes_of_the_loss(variant):
    """Every second variant reads forward, and every second is trained without dropout."""
    number = VARIANTS.index(variant)
    dropout = 0.4 if number % 4 < 2 else 0.0
    check_derivatives(translator(variant, number % 2 == 0, dropout).train())


@pytest.mark.parametrize("variant", [Variant("lstm", "global", "dot", True), GRU], ids=str)
def test_so_they_are_with_what_a_recipe_of_today_has(variant):
    own = {"output_dropout": 0.4, "encoder": "bidirectional"}
    check_derivatives(translator(variant, dropout=0.2, **own).train())


@torch.no_grad()
def test_the_course_reports_decoder_attends_before_the_recurrence():
    """s_t = GRU([c_t; y_t], s_{t-1}), and s_{t-1} is the query, as torch's own cell computes it."""
    model = translator(GRU).eval()
    source, lengths, words, _, _ = padded_batch()
    memory, state = model.encode(source, lengths)
    cells = [
        nn.GRUCell(*layer.weight_ih_l0.shape[1:], 5, bias=False)
        for layer in model.decoder.stack.layers
    ]
    for cell, layer in zip(cells, model.decoder.stack.layers, strict=True):
        cell.weight_ih, cell.weight_hh = layer.weight_ih_l0, layer.weight_hh_l0
    s, outputs = [h for (h,) in state], []
    for t in range(words.shape[1]):
        c, _ = model.decoder.attention(s[-1][:, None], memory, torch.tensor([t]))
        x = torch.cat([c[:, 0], model.decoder.embedding(words[:, t])], dim=1)
        for layer, cell in enumerate(cells):
            x = s[layer] = cell(x, s[layer])
        outputs.append(x)
    close(model(source, lengths, words)[0], torch.stack(outputs, dim=1))


@torch.no_grad()
def test_the_attentional_vector_is_dropped_where_it_predicts_and_where_it_is_fed():
    model = translator(Variant("lstm", "global", "dot", True), output_dropout=0.5)
    source, lengths, words, _, _ = padded_batch()
    torch.manual_seed(1)
    dropped, _ = model.train()(source, lengths, words)
    whole, _ = model.eval()(source, lengths, words)
    kept = dropped[:, 0] != 0
    assert 0 < kept.sum() < kept.numel()
    close(dropped[:, 0], 2 * whole[:, 0] * kept)
    assert not torch.isclose(dropped[:, 1], 2 * whole[:, 1])[dropped[:, 1] != 0].any()


def test_target_embeddings_can_be_those_of_the_softmax():
    shape = SHAPE.model_copy(update={"embedding": SHAPE.size})
    system = System(tied_embeddings=True)
    model = LuongNMT(ModelConfig(system, shape, 7, 6)).double()
    model.initialize(3)
    assert "W_s" not in model.state_dict()
    check_derivatives(model)
    with pytest.raises(InputError, match="tied_embeddings"):
        LuongNMT(ModelConfig(system, SHAPE, 7, 6))


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@each_variant
@torch.no_grad()
def test_each_hypothesis_is_decoded_as_a_sentence_of_its_source(variant):
    """After two of four words, hypotheses change their order, some go on twice, a sentence leaves."""
    model = translator(variant).eval()
    source, lengths, _, _, _ = padded_batch()
    words = torch.randint(0, 6, (3, 3, 4), generator=torch.Generator().manual_seed(1))
    parents = torch.tensor([[2, 0, 0], [1, 1, 2], [0, 2, 1]])
    reordered = words.clone()
    reordered[:, :, :2] = words[torch.arange(3)[:, None], parents, :2]
    state = DecoderState(model.decoder, *model.encode(source, lengths))
    state.reorder(torch.arange(3), torch.zeros(3, 3, dtype=torch.long))  # from one to three
    for texts, steps, kept in ((words, (0, 1), [0, 1, 2]), (reordered, (2, 3), [0, 2])):
        whole, weights = model(
            source.repeat_interleave(3, 0), lengths.repeat_interleave(3), texts.flatten(0, 1)
        )
        if steps[0] == 2:
            state.reorder(torch.tensor(kept), parents[kept])
        for t in steps:
            h_tilde, a = state.step(texts[kept, :, t])
            close(h_tilde, whole.unflatten(0, (3, 3))[kept, :, t])
            assert (a is None) == (weights is None)
            if a is not None:
                close(a, weights.unflatten(0, (3, 3))[kept, :, t])


@each_variant
def test_padding_changes_nothing(variant):
    model = translator(variant).eval()
    source, lengths, words, next_words, predicted = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    together = word_losses(model, h_tilde, next_words, predicted).split(predicted.tolist())
    for i, (S, T) in enumerate(zip(lengths.tolist(), predicted.tolist(), strict=True)):
        alone, _ = model(source[i : i + 1, 6 - S :], lengths[i : i + 1], words[i : i + 1, :T])
        losses = word_losses(model, alone, next_words[i : i + 1, :T], predicted[i : i + 1])
        torch.testing.assert_close(together[i], losses, rtol=1e-12, atol=1e-12)


def test_the_summed_loss_is_the_same_in_chunks(monkeypatch):
    monkeypatch.setattr("attnmt.model.loss.FEWEST", 2)
    monkeypatch.setattr("attnmt.model.loss.CHUNK", {"cpu": 14})  # two words a chunk
    h = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    W = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    y = torch.tensor([0, 6, 3, -1, 3, 1])  # the fourth is padding
    expected = nn.functional.cross_entropy(h @ W.T, y, reduction="sum", ignore_index=-1)
    loss = SummedLoss.apply(h, W, y, True)
    torch.testing.assert_close(loss, expected)
    gradients = torch.autograd.grad(expected, (h, W))
    torch.testing.assert_close(torch.autograd.grad(loss, (h, W)), gradients)
