"""Which of its instructions a processor computes with.

With AVX2 alone, a training, a translation and its links have the same bytes on every x86-64 processor
that has AVX2, Intel's and AMD's. Three libraries compute. Each reads a variable of its own before it
computes for the first time:

- torch's own loops (sums, softmax, tanh) work on as many numbers at once as the instructions allow;
- oneDNN makes the code of the products of matrices (``products.py``) from the instructions;
- MKL has the rest: batched products, products with vectors, exp and log. It looks at the processor's
  maker unless it is told to be ``COMPATIBLE``, which is slow.

One function cannot be held: MKL's square root (``torch.sqrt``) starts from an estimate that Intel's and
AMD's processors make differently. No result here depends on it.
"""

import logging
import os

import torch

from attnmt.config import Instructions

HELD = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_CBWR": "COMPATIBLE"}

log = logging.getLogger(__name__)


def hold(instructions: Instructions) -> None:
    """Compute with AVX2 alone in this process; with ``all``, leave everything as it is.

    It must come before torch's first computation. If it cannot keep its promise, it warns.
    """
    if instructions == "avx2" and not held():
        log.warning("%s", unlike())


def held() -> bool:
    """Compute with AVX2 alone from now on; return whether this process can."""
    os.environ.update(HELD)
    return used() == "avx2"


def used() -> str:
    """Return what torch computes with here: avx2, or for example avx512 or default (none of these).

    Only ``avx2`` promises the bytes of other machines; ``avx2, not held`` does not, because of MKL.
    """
    capability = torch.backends.cpu.get_cpu_capability().lower()
    held = all(os.environ.get(name) == value for name, value in HELD.items())
    return capability if held or capability != "avx2" else "avx2, not held"


def unlike() -> str:
    """Say why the numbers of this process may differ from those of other machines."""
    return (
        f"this process computes with {used()} and cannot keep to AVX2 (the processor lacks it, or torch "
        f"has computed here before), so its numbers may differ from those of other machines"
    )
