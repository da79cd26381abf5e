"""The fast path against the reference in every variant; test_recurrent.py has torch's own layers."""

import pytest
import torch
from small_models import VARIANTS, compare_with_reference, padded_batch, translator


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_fast_path_equals_the_reference(variant, reverse, dropout):
    compare_with_reference(translator(variant, reverse, dropout).train())


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.attention == "local_p"], ids=str)
@pytest.mark.parametrize(
    "own", [{"window_D": 1}, {"numbers": {"local_p": {"sigma": 0.4}}}], ids=str
)
def test_the_fast_path_has_the_window_and_the_sigma_of_the_system(variant, own):
    paper, model = translator(variant), translator(variant, **own)
    compare_with_reference(model)
    weights, others = (each(*padded_batch()[:3])[1] for each in (paper, model))
    assert not torch.allclose(weights, others)


FAULTS = [("general_gradient", variant) for variant in VARIANTS if variant.score == "general"]
FAULTS += [("position_gradient", v) for v in VARIANTS if v.attention == "local_p"]
FAULTS += [("unmasked_padding", v) for v in VARIANTS if v.score not in (None, "location")]


@pytest.mark.parametrize(("fault", "variant"), FAULTS, ids=str)
def test_the_fast_path_has_the_faults_of_the_reference(fault, variant):
    compare_with_reference(translator(variant, faults=[fault]))
