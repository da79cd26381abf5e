"""The same seed, data and code give the same bytes on every x86-64 processor with AVX2."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from same_bytes import TRAININGS, digests

from attnmt.model.cpu_isa import used

EXPECTED = json.loads(Path(__file__).with_name("bytes.json").read_text())


SCRIPT = Path(__file__).parents[1] / "support/same_bytes.py"
LOADED = """
import attnmt
from attnmt.model.cpu_isa import used
attnmt.load('weights/demo')
print(used())
"""
CPUINFO = Path("/proc/cpuinfo")
has_avx512 = torch.cpu._is_avx512_supported()
is_zen5 = CPUINFO.exists() and "cpu family\t: 26\n" in CPUINFO.read_text()


@pytest.mark.skipif(
    not torch.cpu._is_avx2_supported(),
    reason="needs a processor with AVX2; the bytes of this one are its own",
)
def test_small_trainings_have_the_bytes_of_every_other_machine():
    assert used() == "avx2"
    assert EXPECTED.keys() == {*TRAININGS, "long sums"}
    assert digests() == EXPECTED


@pytest.mark.skipif(not has_avx512, reason="needs a processor with AVX-512")
@pytest.mark.xfail(is_zen5, strict=True, reason="there oneDNN's LSTM differs")
def test_they_have_them_where_products_use_avx512():
    done = subprocess.run([sys.executable, SCRIPT, "avx512"], capture_output=True, check=True)
    assert json.loads(done.stdout) == EXPECTED


@pytest.mark.skipif(not torch.cpu._is_avx2_supported(), reason="needs a processor with AVX2")
def test_a_loaded_model_computes_with_avx2_alone():
    command = [sys.executable, "-c", LOADED]
    # Without the variables that tests/conftest.py has set.
    printed = subprocess.check_output(command, cwd=SCRIPT.parents[2], env={"OMP_NUM_THREADS": "1"})
    assert printed.decode() == "avx2\n"
