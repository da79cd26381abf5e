"""Both decoders, their encoder and where they drop out, against torch's own cells a word at a time."""

import pytest
import torch
from small_models import VARIANTS, Variant, padded_batch, translator
from torch import Tensor, nn

from attnmt.model.attention import Memory
from attnmt.model.cells import LayerState
from attnmt.model.dropout import Dropout
from attnmt.model.recurrent import Stack
from attnmt.model.translator import Translator


def advance(stack: Stack, x: Tensor, masks: list[Tensor], state: list[LayerState]) -> Tensor:
    """Take one step with ``torch.nn``'s cell, write the new state to ``state``, return the top h_t."""
    for layer, (W_x, W_h) in enumerate(stack.weights()):
        cell = {"lstm": nn.LSTMCell, "gru": nn.GRUCell}[stack.cell]
        module = cell(W_x.shape[1], stack.size, bias=False).double()
        before = state[layer] if stack.cell == "lstm" else state[layer][0]
        after = torch.func.functional_call(
            module, {"weight_ih": W_x, "weight_hh": W_h}, (x * masks[layer], before)
        )
        state[layer] = after if stack.cell == "lstm" else (after,)
        x = state[layer][0]
    return x


def plain(model: Translator, masks: list[Tensor]) -> Tensor:
    """Return h~ of the padded batch.

    Args:
        model: whose weights to use.
        masks: for the input of each layer at all steps; of the decoder's first layer, first for the
            embedding, then for what else it reads, if anything.
    """
    source, lengths, words, _, _ = padded_batch()
    system, encoder = model.config.system, model.encoder
    embedded = encoder.embedding(source) * (source > 0).unsqueeze(-1)
    state = list(encoder.stack.zeros(embedded[:, 0]))
    ours, masks = masks[: len(state)], masks[len(state) :]
    columns = range(source.shape[1])
    tops = [advance(encoder.stack, embedded[:, s], [m[s] for m in ours], state) for s in columns]
    memory = None
    if model.decoder.attention is not None:
        read = torch.arange(6) - (6 - lengths)[:, None]
        positions = lengths[:, None] - 1 - read if system.reverse else read
        memory = model.decoder.attention.remember(torch.stack(tops, 1), positions, lengths)
    outputs: list[Tensor] = [torch.zeros_like(tops[0])]
    for t in range(words.shape[1]):
        at_t = [mask[t] for mask in masks]
        x = model.decoder.embedding(words[:, t])
        if model.config.shape.cell == "gru":
            x = torch.cat([context(model, state[-1][0], memory, t), x], 1)
            outputs.append(
                advance(model.decoder.stack, x, [torch.cat(at_t[1::-1], 1), *at_t[2:]], state)
            )
            continue
        if system.input_feeding:
            x, at_t = torch.cat([x, outputs[-1]], 1), [torch.cat(at_t[:2], 1), *at_t[2:]]
        h = advance(model.decoder.stack, x, at_t, state)
        if memory is not None:
            c = context(model, h, memory, t)
            h = torch.tanh(torch.cat([c, h], 1) @ model.decoder.W_c.T)
        outputs.append(h)
    return torch.stack(outputs[1:], 1)


def context(model: Translator, h: Tensor, memory: Memory, t: int) -> Tensor:
    """Return c_t of queries h [N, n]."""
    found, _ = model.decoder.attention(h.unsqueeze(1), memory, torch.tensor([t]))
    return found.squeeze(1)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_model_is_that_of_torchs_cells(
    variant: Variant, reverse: bool, dropout: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values and gradients; dropout acts on the inputs of every layer, and nowhere else."""
    masks: list[Tensor] = []
    draw = Dropout.mask

    def record(self: Dropout, shape: tuple[int, ...], like: Tensor) -> Tensor | None:
        mask = draw(self, shape, like)
        assert (mask is None) == (dropout == 0)
        masks.append(like.new_ones(shape) if mask is None else mask)
        return mask

    monkeypatch.setattr(Dropout, "mask", record)
    model = translator(variant, reverse, dropout).train()
    source, lengths, words, _, _ = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    assert len(masks) == 4 + (variant.feeding or variant.cell == "gru")  # 2 layers on each side
    expected = plain(model, masks)
    torch.testing.assert_close(h_tilde, expected, rtol=1e-12, atol=1e-12)

    names, parameters = zip(*model.named_parameters(), strict=True)
    direction = torch.randn_like(expected)
    wanted = torch.autograd.grad(expected, parameters, direction, materialize_grads=True)
    found = torch.autograd.grad(h_tilde, parameters, direction, materialize_grads=True)
    for name, mine, theirs in zip(names, found, wanted, strict=True):
        torch.testing.assert_close(
            mine, theirs, rtol=1e-9, atol=1e-12, msg=lambda m, n=name: f"{n}: {m}"
        )


@pytest.mark.parametrize(
    "variant",
    [
        Variant("lstm", "global", "dot", False),
        Variant("lstm", "global", "dot", True),
        Variant("gru", "global", "dot", False),
    ],
    ids=str,
)
def test_dropout_is_fresh_in_training_and_off_in_evaluation(variant: Variant) -> None:
    model = translator(variant, dropout=0.5).train()
    source, lengths, words, _, _ = padded_batch()

    def run(seed: int) -> Tensor:
        torch.manual_seed(seed)
        h_tilde: Tensor = model(source, lengths, words)[0]
        return h_tilde

    assert torch.equal(run(0), run(0))
    assert not torch.equal(run(0), run(1))
    model.eval()
    assert torch.equal(run(0), run(1))
    assert torch.equal(run(0), translator(variant).eval()(source, lengths, words)[0])
