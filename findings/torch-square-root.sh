#!/usr/bin/env bash
# torch 2.13.0: torch.sqrt of a float32 tensor on a processor is not the nearest float32 number.
#
# One would guess: IEEE 754 asks for the nearest number, the instruction of every processor gives it, and
# numpy's square root does. So a square root cannot differ between two machines.
# What happens: torch's tensor function calls MKL's vector library, whose answer is off by one in the last
# place for a fifth of random numbers. It starts from an estimate (rsqrt), which processors of Intel and AMD
# make differently, and MKL_CBWR=COMPATIBLE, which makes MKL's exp, log and products alike, does not help.
# Why it matters here: a training is to have the same bytes on every processor with AVX2
# (src/attnmt/model/instructions.py), so no result may depend on torch.sqrt. The norm of a gradient and
# Adam's fused step take the instruction itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 torch==2.13.0
MKL_CBWR=COMPATIBLE "$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import torch

x = torch.rand(100_000, generator=torch.Generator().manual_seed(1))
nearest = np.sqrt(x.double().numpy()).astype(np.float32)
by_torch = int((x.sqrt().numpy() != nearest).sum())
by_numpy = int((np.sqrt(x.numpy()) != nearest).sum())
print(f"of {len(x):,} square roots, not the nearest number: torch {by_torch:,}, numpy {by_numpy:,}")
assert torch.backends.mkl.is_available(), "this build of torch has no MKL"
assert by_torch > 1000
assert by_numpy == 0
PYTHON
