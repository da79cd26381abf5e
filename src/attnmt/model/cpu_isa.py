"""Which of its instructions a processor computes with.

With AVX2 alone, a training, a translation and its links have the same bytes on every x86-64 processor
that has AVX2, Intel's and AMD's. Three libraries compute. Each reads a variable of its own before it
computes for the first time:

- torch's own loops (sums, softmax, tanh) work on as many numbers at once as the instructions allow;
- oneDNN makes the code of products of matrices (``products.py``) and of an LSTM's layers (``stack.py``)
  from the instructions, whoever made the processor;
- MKL has the rest: batched products, products with vectors, exp and log. It looks at the processor's
  maker unless it is told to be ``COMPATIBLE``, which is slow.

One function cannot be held: MKL's square root (``torch.sqrt``) starts from an estimate that Intel's and
AMD's processors make differently. No result here depends on it.
"""

import logging
import os

import torch

from attnmt.config import CpuISA

VARIABLES = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "COMPATIBLE"}
ONEDNN, PRODUCTS = "ONEDNN_MAX_CPU_ISA", {"avx2": "AVX2", "avx512": "AVX512_CORE"}

log = logging.getLogger(__name__)


def compute_with(instructions: CpuISA) -> None:
    """Compute with AVX2 in this process, or say that it cannot; ``all`` leaves it as it is.

    ``avx512`` lets oneDNN use AVX-512 where there is such. Products of matrices then have the same
    bytes, and so has an LSTM, but not on AMD's Zen 5.
    """
    if instructions != "all" and (why := keep_to_avx2(instructions)):
        log.warning("%s", why)


def keep_to_avx2(products: CpuISA = "avx2") -> str | None:
    """Compute with AVX2 from now on; return why this process cannot, or None.

    It must come before torch's first computation.
    """
    os.environ.update({**VARIABLES, ONEDNN: PRODUCTS[products]})
    if used() == "avx2":
        return None
    return (
        f"this process computes with {used()} and cannot keep to AVX2 (the processor lacks it, or torch "
        f"has computed here before), so its numbers may differ from those of other machines"
    )


def used() -> str:
    """Return what torch computes with here: avx2, or for example avx512 or default (none of these).

    Only ``avx2`` promises the bytes of other machines; ``avx2, not held`` does not, because of MKL.
    """
    capability = torch.backends.cpu.get_cpu_capability().lower()
    held = all(os.environ.get(name) == value for name, value in VARIABLES.items())
    held &= os.environ.get(ONEDNN) in PRODUCTS.values()
    return capability if held or capability != "avx2" else "avx2, not held"
