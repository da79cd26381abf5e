# ruff: noqa: N999  # the name in the configuration
"""The window that holds all words."""

from attnmt.model.windows import Window


class Global(Window):
    """All words (section 3.1)."""
