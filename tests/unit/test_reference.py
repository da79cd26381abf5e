"""The reference against torch's own cells, and the fast path against the reference, in every variant."""

import pytest
import torch
from small_models import VARIANTS, Variant, padded_batch, translator
from torch import Tensor, nn

from attnmt.model.reference import GRU, LSTM, Reference
from attnmt.model.translator import Translator


def reference_of(model: Translator) -> Reference:
    """Return the reference with the same weights, in the same mode."""
    reference = Reference(model.config).double().train(model.training)
    reference.load_state_dict(model.state_dict())
    return reference


def gradients(loss: Tensor, model: nn.Module) -> dict[str, Tensor]:
    names, parameters = zip(*model.named_parameters(), strict=True)
    values = torch.autograd.grad(loss, parameters, materialize_grads=True)
    return dict(zip(names, values, strict=True))


def compare(model: Translator) -> None:
    """Require equal outputs, weights, loss and gradients of both, with the same random numbers."""
    source, lengths, words, next_words, predicted = padded_batch()
    results = []
    for either in (model, reference_of(model)):
        torch.manual_seed(1)
        h_tilde, weights = either(source, lengths, words)
        loss = either.loss(h_tilde, next_words, predicted)
        results.append((h_tilde, weights, loss, gradients(loss, either), torch.get_rng_state()))
    fast, expected = results
    torch.testing.assert_close(fast[:3], expected[:3], rtol=1e-12, atol=1e-12)
    assert fast[3].keys() == expected[3].keys()
    for name, gradient in expected[3].items():
        torch.testing.assert_close(
            fast[3][name], gradient, rtol=1e-9, atol=1e-12, msg=lambda m, n=name: f"{n}: {m}"
        )
    assert torch.equal(fast[4], expected[4])


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_fast_path_equals_the_reference(
    variant: Variant, reverse: bool, dropout: float
) -> None:
    compare(translator(variant, reverse, dropout).train())


FAULTS = [("general_gradient", variant) for variant in VARIANTS if variant.score == "general"]
FAULTS += [("position_gradient", v) for v in VARIANTS if v.attention == "local_p"]
FAULTS += [("unmasked_padding", v) for v in VARIANTS if v.score not in (None, "location")]


@pytest.mark.parametrize(("fault", "variant"), FAULTS, ids=str)
def test_the_fast_path_has_the_faults_of_the_reference(fault: str, variant: Variant) -> None:
    compare(translator(variant, faults=[fault]))


@pytest.mark.parametrize(("cell", "theirs"), [(LSTM, nn.LSTMCell), (GRU, nn.GRUCell)])
def test_the_cells_equal_torchs(
    cell: type[LSTM | GRU], theirs: type[nn.LSTMCell | nn.GRUCell]
) -> None:
    torch.manual_seed(0)
    expected = theirs(4, 3, bias=False)
    mine = cell(4, 3)
    names = {f"{name}_l0": value for name, value in expected.state_dict().items()}
    mine.load_state_dict(names)
    x, *state = torch.randn(2, 4), torch.randn(2, 3), torch.randn(2, 3)
    if cell is LSTM:
        torch.testing.assert_close(mine(x, tuple(state)), expected(x, tuple(state)))
    else:
        torch.testing.assert_close(mine(x, (state[0],)), (expected(x, state[0]),))


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
