"""How many logits are held in memory at once."""

from torch import Tensor

# Logits at once: few enough for a processor's cache, and enough to keep a GPU busy.
CHUNK = {"cpu": 1 << 21, "cuda": 1 << 26}
FEWEST = 512  # words of a chunk; with fewer, W_s would be read too often


def rows_at_once(W_s: Tensor) -> int:
    """Return for how many words to compute the logits W_s h~ at once; W_s is [V, n]."""
    return max(FEWEST, CHUNK["cpu" if W_s.is_cpu else "cuda"] // len(W_s))
