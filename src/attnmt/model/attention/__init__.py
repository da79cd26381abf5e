"""Attention in parts: a class for each score, a class for each window, and the layer that joins them."""
