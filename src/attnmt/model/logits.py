"""How many logits are held in memory at once."""

import torch

# Logits at once: few enough for a processor's cache, and enough to keep a GPU busy.
CHUNK = {"cpu": 1 << 21, "cuda": 1 << 26}
FEWEST = 512  # words of a chunk; with fewer, W_s would be read too often


def rows_at_once(words: int, device: torch.device) -> int:
    """Return for how many steps to compute the logits of ``words`` words at once."""
    return max(FEWEST, CHUNK["cpu" if device.type == "cpu" else "cuda"] // words)
