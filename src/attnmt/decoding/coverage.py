"""How much of a text the models know and read."""

from collections import Counter
from collections.abc import Sequence

from attnmt.decoding.reader import Reader, Units
from attnmt.training.machine import give_back_large_blocks

FAR = 1.5  # times the units of the longest sentence that was trained on


class Coverage:
    """Counts the words or pieces of one side of a text, and those not known or not read."""

    def __init__(self, reader: Reader) -> None:
        """Take the reader of the side."""
        self.reader = reader
        self.units, self.unknown = 0, Counter[str]()
        self.lost = 0  # the first words of lines that are too long for the family
        self.far = list[str]()  # the places of sentences much longer than any that was trained on

    def read(self, line: str, place: str) -> Units:
        """Return the units of a raw line, and count them.

        Raises:
            InputError: as :meth:`Reader.units` does.
        """
        return self.read_tokens(self.reader.tokens(line, place), place)

    def read_tokens(self, tokens: Sequence[str], place: str) -> Units:
        """Return the units of tokens, and count them; see :meth:`read`."""
        units = self.reader.units_of(tokens, place)
        self.units += len(units)
        self.lost += self.reader.words_lost(tokens)
        self.unknown.update(unit for unit in units if unit not in self.reader.vocabulary)
        if len(units) > FAR * self.reader.longest:
            give_back_large_blocks()
            self.far.append(place)
        return units

    @property
    def mostly_unknown(self) -> bool:
        """Whether more than half of what was counted is unknown.

        Of text of another kind than the training text, less is: the demo's model does not know 45% of
        Multi30k's captions. Of the other language, it does not know 80% and more.
        """
        return 2 * self.unknown.total() > self.units
