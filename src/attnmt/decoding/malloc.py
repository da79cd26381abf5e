"""The memory that the search of a long sentence takes."""

import ctypes
import platform
from typing import Any

M_MMAP_THRESHOLD = -3  # an option of mallopt, from glibc's malloc.h
LARGE = 1 << 20  # bytes


def give_back_large_blocks() -> None:
    """Have the C library give large blocks back to the system as soon as they are free.

    Each step of a search leaves a few small tensors. If large blocks come from the same heap, the small
    ones keep the heap from shrinking, so that its size grows with the square of a sentence's length. A
    library that is not glibc is left as it is.
    """
    library: Any = ctypes.CDLL(None) if platform.system() == "Linux" else None
    if hasattr(library, "mallopt"):
        library.mallopt(M_MMAP_THRESHOLD, LARGE)
