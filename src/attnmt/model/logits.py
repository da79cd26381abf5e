"""How many logits are held at once."""

from torch import Tensor

# Logits held at once: what a processor's cache takes, what keeps a GPU busy.
CHUNK = {"cpu": 1 << 21, "cuda": 1 << 26}
FEWEST = 512  # words in a chunk, below which W_s would be read too often


def rows_at_once(W_s: Tensor) -> int:
    """Return of how many words to compute the logits W_s h~ at once; W_s is [V, n]."""
    return max(FEWEST, CHUNK[W_s.device.type] // len(W_s))
