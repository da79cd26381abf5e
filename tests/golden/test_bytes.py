"""The same seed, data and code give the same bytes on every x86-64 processor with AVX2."""

import json
from pathlib import Path

import pytest
from same_bytes import TRAININGS, digests

from attnmt.model.instructions import used

EXPECTED = json.loads(Path(__file__).with_name("bytes.json").read_text())


def test_small_trainings_have_the_bytes_of_every_other_machine():
    if used() != "avx2":
        pytest.skip(f"this machine computes with {used()}, so its bytes are its own")
    assert EXPECTED.keys() == TRAININGS.keys()
    assert digests() == EXPECTED
