"""The fast path against the reference in every variant; test_recurrent.py has torch's own layers."""

import pytest
from small_models import VARIANTS, compare_with_reference, translator


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_fast_path_equals_the_reference(variant, reverse, dropout):
    compare_with_reference(translator(variant, reverse, dropout).train())


FAULTS = [("general_gradient", variant) for variant in VARIANTS if variant.score == "general"]
FAULTS += [("position_gradient", v) for v in VARIANTS if v.attention == "local_p"]
FAULTS += [("unmasked_padding", v) for v in VARIANTS if v.score not in (None, "location")]


@pytest.mark.parametrize(("fault", "variant"), FAULTS, ids=str)
def test_the_fast_path_has_the_faults_of_the_reference(fault, variant):
    compare_with_reference(translator(variant, faults=[fault]))
