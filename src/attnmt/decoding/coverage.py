"""How much of a text the models know."""

from collections.abc import Iterable

from attnmt.decoding.reader import Reader, Units


class Coverage:
    """Counts the words or pieces of one side of a text, and those that the models do not know."""

    def __init__(self, reader: Reader, sentences: Iterable[Units] = ()) -> None:
        """Begin with some sentences; ``reader`` is that of the side."""
        self.reader = reader
        self.units, self.unknown = 0, 0
        for units in sentences:
            self.add(units)

    def add(self, units: Units) -> None:
        """Count a sentence."""
        self.units += len(units)
        self.unknown += sum(unit not in self.reader.vocabulary for unit in units)

    @property
    def mostly_unknown(self) -> bool:
        """Whether more than half of what was counted is unknown.

        Of text of another kind than the training text, less is: the demo's model does not know 45% of
        Multi30k's captions. Of the other language, it does not know 80% and more.
        """
        return 2 * self.unknown > self.units
