"""The mathematics of the model, against torch's own modules, closed forms and finite differences."""

import itertools
import math

import pytest
import torch
from torch import Tensor, nn

from attnmt.config import ModelShape, System
from attnmt.model.attention import Attention
from attnmt.model.deferred import DeferredProducts, product
from attnmt.model.lstm import lstm_cell
from attnmt.model.output import SummedLoss
from attnmt.model.translator import ModelConfig, Translator

SHAPE = ModelShape(layers=2, size=5, window_D=2, location_slots=4, init=0.8)
KINDS = [
    ("none", None),
    ("global", "location"),
    *itertools.product(("global", "local_m", "local_p"), ("dot", "general", "concat", "additive")),
]
VARIANTS = [(*kind, feeding) for kind in KINDS for feeding in (False, True)]


def translator(
    attention: str, score: str | None, feeding: bool, reverse: bool = True, dropout: float = 0.0
) -> Translator:
    system = System.model_validate(
        {
            "attention": attention,
            "score": score,
            "input_feeding": feeding,
            "reverse": reverse,
            "dropout": dropout,
        }
    )
    model = Translator(ModelConfig(system, SHAPE, source_words=7, target_words=6)).double()
    model.initialise(3)
    return model


def padded_batch() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Sources of 6, 2 and 1 words, targets of 3, 4 and 2 predictions."""
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(3, 7, (3, 6), generator=generator)
    lengths = torch.tensor([6, 2, 1])
    source[torch.arange(6) < 6 - lengths[:, None]] = 0
    words = torch.randint(0, 6, (3, 4), generator=generator)
    next_words = torch.randint(0, 6, (3, 4), generator=generator)
    return source, lengths, words, next_words, torch.tensor([3, 4, 2])


@pytest.mark.parametrize(("attention", "score", "feeding"), VARIANTS)
def test_gradients_are_those_of_finite_differences(
    attention: str, score: str | None, feeding: bool
) -> None:
    model = translator(attention, score, feeding)
    source, lengths, words, next_words, predicted = padded_batch()
    names, parameters = zip(*model.named_parameters(), strict=True)

    def loss(*values: Tensor) -> Tensor:
        h_tilde, _ = torch.func.functional_call(
            model, dict(zip(names, values, strict=True)), (source, lengths, words)
        )
        real = torch.arange(4) < predicted[:, None]
        W_s = values[names.index("W_s")]
        return SummedLoss.apply(h_tilde[real], W_s, next_words[real], True)

    assert torch.autograd.gradcheck(loss, parameters, fast_mode=True, atol=1e-6)


@pytest.mark.parametrize(("attention", "score", "feeding"), VARIANTS)
def test_padding_changes_nothing(attention: str, score: str | None, feeding: bool) -> None:
    model = translator(attention, score, feeding).eval()
    source, lengths, words, next_words, predicted = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    together = model.losses(h_tilde, next_words, predicted).split(predicted.tolist())
    for i, (S, T) in enumerate(zip(lengths.tolist(), predicted.tolist(), strict=True)):
        alone, _ = model(source[i : i + 1, 6 - S :], lengths[i : i + 1], words[i : i + 1, :T])
        losses = model.losses(alone, next_words[i : i + 1, :T], predicted[i : i + 1])
        torch.testing.assert_close(together[i], losses, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("attention", "score", "feeding"), VARIANTS)
def test_stepping_gives_the_states_of_the_whole(
    attention: str, score: str | None, feeding: bool
) -> None:
    model = translator(attention, score, feeding).eval()
    source, lengths, words, _, _ = padded_batch()
    whole, _ = model(source, lengths, words)
    memory, state = model.encode(source, lengths)
    fed = None
    for t in range(4):
        fed, state, _ = model.decoder.step(words[:, t : t + 1], fed, state, memory, t)
        torch.testing.assert_close(fed[:, 0], whole[:, t], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("feeding", [False, True])
def test_input_feeding_is_felt(feeding: bool) -> None:
    model = translator("global", "dot", feeding).eval()
    source, lengths, words, _, _ = padded_batch()
    with torch.no_grad():
        model.decoder.W_c.mul_(2)  # reaches the next state only through what is fed
    memory, state = model.encode(source, lengths)
    steps = [model.decoder.step(words[:, :1], None, state, memory, 0)]
    steps.append(model.decoder.step(words[:, 1:2], steps[0][0], steps[0][1], memory, 1))
    changed = steps[1][1][0]
    with torch.no_grad():
        model.decoder.W_c.div_(2)
    first = model.decoder.step(words[:, :1], None, state, memory, 0)
    same = model.decoder.step(words[:, 1:2], first[0], first[1], memory, 1)[1][0]
    assert torch.equal(changed, same) != feeding


def test_reversal_is_of_the_order_of_reading_only() -> None:
    """A model that reads x_S .. x_1 attends to the same positions as one that reads x_1 .. x_S."""
    forward, backward = (translator("local_m", "dot", False, reverse=r) for r in (False, True))
    source = torch.tensor([[3, 4, 5, 6]])
    lengths = torch.tensor([4])
    assert forward.encode(source, lengths).memory is not None
    orders = [m.encode(source, lengths).memory.positions.tolist() for m in (forward, backward)]
    assert orders == [[[0, 1, 2, 3]], [[3, 2, 1, 0]]]


def loss_and_gradients(model: Translator) -> tuple[Tensor, dict[str, Tensor]]:
    source, lengths, words, next_words, predicted = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    loss = model.loss(h_tilde, next_words, predicted)
    names, parameters = zip(*model.named_parameters(), strict=True)
    return loss.detach(), dict(zip(names, torch.autograd.grad(loss, parameters), strict=True))


def with_fault(fault: str, attention: str, score: str) -> list[Translator]:
    right = translator(attention, score, feeding=False)
    system = right.config.system.model_copy(update={"faults": [fault]})
    wrong = Translator(ModelConfig(system, SHAPE, 7, 6)).double()
    wrong.load_state_dict(right.state_dict())
    return [right, wrong]


def test_fault_in_the_gradient_of_p_t() -> None:
    """W_p and v_p get half their gradient; the loss and all that does not lie before p_t stay."""
    (loss, right), (same_loss, wrong) = map(
        loss_and_gradients, with_fault("position_gradient", "local_p", "dot")
    )
    assert loss == same_loss
    for name in ("decoder.attention.W_p", "decoder.attention.v_p"):
        torch.testing.assert_close(wrong[name], right[name] / 2)
    for name in ("W_s", "decoder.W_c"):
        torch.testing.assert_close(wrong[name], right[name])


def test_fault_in_the_gradient_of_general() -> None:
    """One query, one sentence, by hand: h_s gets h_t for each unit of its score, not W_a h_t."""
    gradients = []
    for faults in ([], ["general_gradient"]):
        system = System.model_validate(
            {"attention": "global", "score": "general", "faults": faults}
        )
        attention = Attention(system, SHAPE).double()
        torch.manual_seed(0)
        nn.init.normal_(attention.W_a)
        values = torch.randn(1, 3, 5, dtype=torch.float64, requires_grad=True)
        h = torch.randn(1, 1, 5, dtype=torch.float64, requires_grad=True)
        memory = attention.remember(values, torch.arange(3)[None], torch.tensor([3]))
        _, weights = attention(h, memory, torch.tensor([0]))
        a = weights[0, 0].detach()
        of_score = a * (torch.tensor([1.0, 0, 0], dtype=torch.float64) - a[0])  # d a_0 / d e
        vector = h[0, 0] if faults else attention.W_a @ h[0, 0]
        found = torch.autograd.grad(weights[0, 0, 0], (values, h, attention.W_a))
        torch.testing.assert_close(found[0][0], torch.outer(of_score, vector).detach())
        gradients.append(found[1:])
    torch.testing.assert_close(gradients[0], gradients[1])  # h_t and W_a are not concerned


@pytest.mark.parametrize("score", ["dot", "additive"])
def test_fault_of_padding_that_takes_part(score: str) -> None:
    """Padding dilutes the weights of global attention as a word with h_s = 0 would."""
    system = System.model_validate(
        {"attention": "global", "score": score, "faults": ["unmasked_padding"]}
    )
    attention = Attention(system, SHAPE).double()
    for parameter in attention.parameters():
        nn.init.normal_(parameter)
    values = torch.randn(1, 4, 5, dtype=torch.float64)
    values[:, :2] = 0  # padding
    h = torch.randn(1, 1, 5, dtype=torch.float64)
    memory = attention.remember(values, torch.tensor([[-2, -1, 0, 1]]), torch.tensor([2]))
    context, weights = attention(h, memory, torch.tensor([0]))
    if score == "dot":
        e = values[0] @ h[0, 0]
        assert e[0] == 0
    else:
        e = torch.tanh(values[0] + attention.W_a @ h[0, 0]) @ attention.v_a
    a = e.exp() / e.exp().sum()
    torch.testing.assert_close(weights[0, 0], a)
    torch.testing.assert_close(context[0, 0], a[2:] @ values[0, 2:])


def test_fault_of_padding_at_the_edge_of_a_window() -> None:
    """Read backwards, padding follows the last word; a window of D = 2 reaches two columns of it."""
    right, wrong = with_fault("unmasked_padding", "local_m", "dot")
    source, lengths = torch.tensor([[0, 0, 0, 0, 4, 3]]), torch.tensor([2])
    words = torch.tensor([[1, 4]])
    none = [False] * 4
    # p_t = 0, then 1: position 2 = S is in the first window, 2 and 3 in the second.
    leaks = [[False, False, False, True], [False, False, True, True]]
    for model, expected in ((right, [none, none]), (wrong, leaks)):
        _, weights = model(source, lengths, words)
        assert weights[0, :, :4].gt(0).tolist() == expected


def test_gaussian_of_local_p() -> None:
    """S = 5, D = 2, p_t = 2.7: window 0 .. 4, the factors computed by hand."""
    system = System(attention="local_p", score="dot", reverse=True)
    attention = Attention(system, SHAPE).double()
    with torch.no_grad():
        attention.W_p.copy_(torch.eye(5))
        attention.v_p.copy_(torch.tensor([1.0, 0, 0, 0, 0]))
    h = torch.zeros(1, 1, 5, dtype=torch.float64)
    # 5 sigmoid(tanh(h_0)) = 2.7
    h[..., 0] = math.atanh(math.log(0.54 / 0.46))
    values = torch.zeros(1, 5, 5, dtype=torch.float64)  # equal scores: a softmax of 1/5 each
    memory = attention.remember(values, torch.arange(5)[None], torch.tensor([5]))
    _, weights = attention(h, memory, torch.tensor([0]))
    expected = torch.tensor([0.026, 0.236, 0.783, 0.956, 0.430], dtype=torch.float64)
    torch.testing.assert_close(weights[0, 0] * 5, expected, rtol=0, atol=5e-4)


def test_location_uses_the_first_slots_for_the_words_read_last() -> None:
    system = System(attention="global", score="location", reverse=True)
    attention = Attention(system, SHAPE).double()
    nn.init.normal_(attention.W_a)
    h = torch.randn(1, 1, 5, dtype=torch.float64)
    slots = torch.softmax(attention.W_a @ h[0, 0], dim=0)  # 4 of them
    for S in (3, 6):
        positions = torch.arange(S).flip(0)[None]
        values = torch.randn(1, S, 5, dtype=torch.float64)
        _, weights = attention(
            h, attention.remember(values, positions, torch.tensor([S])), torch.tensor([0])
        )
        by_position = weights[0, 0].flip(0)
        torch.testing.assert_close(by_position[:4], slots[:S])
        assert by_position[4:].eq(0).all()  # words that no slot addresses


def test_cell_is_torchs() -> None:
    reference = nn.LSTMCell(4, 3, bias=False).double()
    x, h, c = (torch.randn(2, n, dtype=torch.float64, requires_grad=True) for n in (4, 3, 3))
    expected = reference(x, (h, c))
    gates = x @ reference.weight_ih.T + h @ reference.weight_hh.T
    found = lstm_cell(gates, c)
    torch.testing.assert_close(found, expected)
    weights = [torch.randn_like(v) for v in found]
    wanted = torch.autograd.grad(expected, (x, h, c), weights)
    torch.testing.assert_close(torch.autograd.grad(found, (x, h, c), weights), wanted)


def test_deferred_products_have_the_plain_gradients() -> None:
    W = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)

    def recurrence(times: object) -> Tensor:
        h = x
        for _ in range(5):
            h = torch.tanh(times(h, W) + x)  # type: ignore[operator]
        return h.square().sum()

    plain = torch.autograd.grad(recurrence(product), (x, W))
    deferred = torch.autograd.grad(recurrence(DeferredProducts()), (x, W))
    torch.testing.assert_close(deferred, plain)


def test_summed_loss_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnmt.model.output.FEWEST", 2)
    monkeypatch.setattr("attnmt.model.output.CHUNK", {"cpu": 14})  # two words a chunk
    h = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    W = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    y = torch.tensor([0, 6, 3, 3, 1])
    expected = nn.functional.cross_entropy(h @ W.T, y, reduction="sum")
    found = SummedLoss.apply(h, W, y, True)
    torch.testing.assert_close(found, expected)
    wanted = torch.autograd.grad(expected, (h, W))
    torch.testing.assert_close(torch.autograd.grad(found, (h, W)), wanted)


@pytest.mark.parametrize("feeding", [False, True])
def test_dropout_acts_on_the_inputs_of_layers_alone(
    feeding: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[Tensor] = []

    def record(x: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
        assert (p, training) == (0.5, True)
        dropped.append(x)
        return x

    monkeypatch.setattr(nn.functional, "dropout", record)
    model = translator("global", "dot", feeding, dropout=0.5).train()
    source, lengths, words, _, _ = padded_batch()
    h_tilde, _ = model(source, lengths, words)
    monkeypatch.undo()
    model.eval()

    embedded = model.encoder.embedding(source) * (source > 0).unsqueeze(-1)
    first = model.encoder.lstm.layers[0](embedded.transpose(0, 1))[0]
    expected = [embedded.transpose(0, 1), first]
    inputs = model.decoder.embedding(words.T)
    if feeding:
        fed = torch.cat([torch.zeros_like(inputs[:1]), h_tilde.transpose(0, 1)[:-1]])
        state = model.encode(source, lengths).state
        for x in torch.cat([inputs, fed], dim=-1):
            _, state = model.decoder.lstm.step(x, state)
            expected += [x, state[0][0]]  # the second layer reads the first one's h
    else:
        h, c = model.encode(source, lengths).state
        expected += [inputs, model.decoder.lstm.layers[0](inputs, (h[:1], c[:1]))[0]]
    assert len(dropped) == len(expected)
    for found, wanted in zip(dropped, expected, strict=True):
        torch.testing.assert_close(found, wanted)


def test_dropout_is_fresh_in_training_and_off_in_evaluation() -> None:
    model = translator("global", "dot", True, dropout=0.5).train()
    source, lengths, words, _, _ = padded_batch()

    def run(seed: int) -> Tensor:
        torch.manual_seed(seed)
        h_tilde: Tensor = model(source, lengths, words)[0]
        return h_tilde

    assert torch.equal(run(0), run(0))
    assert not torch.equal(run(0), run(1))
    model.eval()
    assert torch.equal(run(0), run(1))
