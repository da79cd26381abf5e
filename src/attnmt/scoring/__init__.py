"""Scores of translations and of alignments against references."""
