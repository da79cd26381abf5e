"""How much of a text the models know and read."""

from collections import Counter
from collections.abc import Sequence

from attnmt.decoding.reader import Reader, Units


class Coverage:
    """Counts the words or pieces of one side of a text, and those not known or not read."""

    def __init__(self, reader: Reader) -> None:
        """Take the reader of the side."""
        self.reader = reader
        self.units, self.unknown = 0, Counter[str]()
        self.lost = 0  # the first words of lines that are too long for the family

    def read(self, line: str, place: str) -> Units:
        """Return the units of a raw line, and count them."""
        return self.read_tokens(self.reader.tokens(line, place), place)

    def read_tokens(self, tokens: Sequence[str], place: str) -> Units:
        """Return the units of tokens, and count them; see :meth:`read`."""
        units = self.reader.units_of(tokens, place)
        self.units += len(units)
        self.lost += self.reader.words_lost(tokens)
        self.unknown.update(unit for unit in units if unit not in self.reader.vocabulary)
        return units
