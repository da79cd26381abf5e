"""The window that holds all words."""

from attnmt.model.windows import Window


class Global(Window):
    """All words (section 3.1)."""
