"""The same seed, data and code give the same bytes on every x86-64 processor with AVX2."""

import json
from pathlib import Path

import pytest
import torch
from same_bytes import TRAININGS, digests

from attnmt.model.cpu_isa import used

EXPECTED = json.loads(Path(__file__).with_name("bytes.json").read_text())


@pytest.mark.skipif(
    not torch.cpu._is_avx2_supported(),
    reason="needs a processor with AVX2; the bytes of this one are its own",
)
def test_small_trainings_have_the_bytes_of_every_other_machine():
    assert used() == "avx2"
    assert EXPECTED.keys() == {*TRAININGS, "long sums"}
    assert digests() == EXPECTED
