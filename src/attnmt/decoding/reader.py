"""How the models of a family read text of one language: as words or pieces, and these as ids."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from attnmt.config import Language, Params
from attnmt.corpora.normal_form import normalized
from attnmt.errors import InputError
from attnmt.model.luong import Ids
from attnmt.text.encode import words_read
from attnmt.text.encoded import EncodedSets
from attnmt.text.pieces import Cutter, read_codes
from attnmt.text.tokenizer import tokenizer
from attnmt.text.vocabulary import SPECIAL

Units = list[str]  # a sentence as models read it: words or pieces


class Reader:
    """Turns raw text of one language into what the models of a family read.

    Words are cut into pieces by the codes and by the vocabulary. If ``encoding.vocabulary`` leaves room,
    the vocabulary holds every piece that training saw. If not, a piece that the vocabulary lacks is cut
    further here, but is unknown in the encoded sets.
    """

    def __init__(self, params: Params, family: str, data: EncodedSets, language: Language) -> None:
        """Take the settings by which the family's text in ``language`` was read."""
        self.language = language
        self.code = language.code
        self.vocabulary = data.vocabulary(language.code)
        self._data = data
        self._encoding = params.families[family].encoding
        self._split = tokenizer(language, params.tokenize.split_hyphens).tokenize

    @cached_property
    def _cutter(self) -> Cutter | None:
        if not self._data.pieces:
            return None
        codes = read_codes(self._data.folder / "codes")
        return Cutter(codes, self.vocabulary.words[len(SPECIAL) :])

    def tokens(self, line: str, place: str = "") -> list[str]:
        """Return the tokens of a raw line; ``place`` names it in an error.

        Raises:
            InputError: if the line is not text, or has a line feed before its end.
        """
        if not isinstance(line, str):
            raise InputError(f"{place or repr(line)[:60]}: a sentence must be text")
        if "\n" in line.strip():
            raise InputError(f"{place or repr(line)[:60]}: several lines; give each as a sentence")
        return self._split(normalized(line))

    def units(self, line: str, place: str = "") -> Units:
        """Return the words or the pieces of a raw line; see :meth:`tokens` and :meth:`units_of`."""
        return self.units_of(self.tokens(line, place), place or f"{line[:60]!r}")

    def units_of(self, tokens: Sequence[str], place: str) -> Units:
        """Return the words or the pieces of tokens."""
        words = words_read(" ".join(tokens), self._encoding, place)
        return self._cutter.cut(words) if self._cutter else words

    def ids(self, units: Units) -> Ids:
        """Return the ids of words or pieces."""
        return np.array(self.vocabulary.encode(units), dtype=np.int32)

    def words_lost(self, tokens: Sequence[str]) -> int:
        """Return how many of the first tokens are not read, by ``encoding.length``."""
        most = self._encoding.length
        return max(0, len(tokens) - most) if most else 0

    @property
    def unit(self) -> str:
        """What the models read, in the plural: words or pieces."""
        return "pieces" if self._data.pieces else "words"
