"""The fast path against the reference in every variant; test_recurrent.py has torch's own layers."""

import pytest
import torch
from small_models import VARIANTS, Variant, compare_with_reference, padded_batch, translator
from torch import Tensor


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_fast_path_equals_the_reference(
    variant: Variant, reverse: bool, dropout: float
) -> None:
    compare_with_reference(translator(variant, reverse, dropout).train())


FAULTS = [("general_gradient", variant) for variant in VARIANTS if variant.score == "general"]
FAULTS += [("position_gradient", v) for v in VARIANTS if v.attention == "local_p"]
FAULTS += [("unmasked_padding", v) for v in VARIANTS if v.score not in (None, "location")]


@pytest.mark.parametrize(("fault", "variant"), FAULTS, ids=str)
def test_the_fast_path_has_the_faults_of_the_reference(fault: str, variant: Variant) -> None:
    compare_with_reference(translator(variant, faults=[fault]))


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
