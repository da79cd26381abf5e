"""From raw text to translations, by any model or ensemble of an experiment."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from attnmt.config import Encoding, Language, Params, Tokenize
from attnmt.decoding.link_step import load_reading
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.search import Search
from attnmt.decoding.text_translator import (
    TextTranslator,
    Translation,
    Units,
    load_translator,
)
from attnmt.errors import InputError
from attnmt.text.encode import words_read
from attnmt.text.encoded import EncodedSets, EncodedText
from attnmt.text.pieces import Cutter, read_codes
from attnmt.text.tokenizer import tokenizer
from attnmt.text.vocabulary import SPECIAL


class Reader:
    """Turns raw text of one language into what the models of a family read.

    Words are cut into pieces by the codes and by the vocabulary. If ``encoding.vocabulary`` leaves room,
    the vocabulary holds every piece that training saw. If not, a piece that the vocabulary lacks is cut
    further here, but is unknown in the encoded sets.
    """

    def __init__(
        self, data: EncodedSets, language: Language, tokenize: Tokenize, encoding: Encoding
    ) -> None:
        """Take the settings by which the family's text in ``language`` was read."""
        self.vocabulary = data.vocabulary(language.code)
        self._split = tokenizer(language, tokenize.split_hyphens).tokenize
        self._encoding = encoding
        self._cutter: Cutter | None = None
        if data.pieces:
            codes = read_codes(data.folder / "codes")
            self._cutter = Cutter(codes, self.vocabulary.words[len(SPECIAL) :])

    def units(self, line: str, place: str = "") -> Units:
        """Return the words or the pieces of a raw line; ``place`` names it in an error.

        Raises:
            InputError: if the line is not text, has a line feed before its end, or holds a mark that
                cannot be cut into pieces.
        """
        if not isinstance(line, str):
            raise InputError(f"{place or repr(line)[:60]}: a sentence must be text")
        if "\n" in line.strip():
            raise InputError(f"{place or repr(line)[:60]}: several lines; give each as a sentence")
        return self.units_of(self._split(line), place or f"{line[:60]!r}")

    def units_of(self, tokens: Sequence[str], place: str) -> Units:
        """Return the words or the pieces of tokens.

        Raises:
            InputError: if a token holds a mark that cannot be cut into pieces.
        """
        words = words_read(" ".join(tokens), self._encoding, place)
        return self._cutter.cut(words) if self._cutter else words

    def words_lost(self, line: str) -> int:
        """Return how many of a raw line's first words are not read, by ``encoding.length``."""
        most = self._encoding.length
        return max(0, len(self._split(line)) - most) if most else 0

    @property
    def unit(self) -> str:
        """What the models read, in the plural: words or pieces."""
        return "pieces" if self._cutter else "words"


class Pipeline:
    """Does for any text what the stages do for a test set: from raw text to plain translations."""

    def __init__(
        self, translator: TextTranslator, tokenize: Tokenize, encoding: Encoding, longest: int
    ) -> None:
        """Join the models to the settings by which their training text was read.

        ``longest`` is the number of units of the longest source sentence that was trained on.
        """
        self.translator = translator
        self.longest = longest
        self._settings = tokenize, encoding
        self.source = self._reader(translator.sides[0])

    @cached_property
    def target(self) -> Reader:
        """Return the reader of the language that is translated into, for references."""
        return self._reader(self.translator.sides[1])

    def _reader(self, language: Language) -> Reader:
        return Reader(self.translator.data, language, *self._settings)

    def translate(
        self, lines: Sequence[str], options: Search | None = None
    ) -> list[list[Translation]]:
        """Return the best translations of each raw line, the best first.

        A line without words has one translation, which is empty.

        ``options`` hold for this search only; None takes the translator's own.

        Raises:
            InputError: if ``lines`` is one text, or a line is not text or holds a mark that cannot be
                cut into pieces.
        """
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise InputError(f"{repr(lines)[:60]}: give a list of sentences")
        return self.translate_units([self.source.units(line) for line in lines], options)

    def translate_units(
        self, sentences: Sequence[Units], options: Search | None = None
    ) -> list[list[Translation]]:
        """Return the best translations of each sentence of units; see :meth:`translate`."""
        with_words = [units for units in sentences if units]
        translations = iter(self.translator.translate(with_words, options))
        empty = Translation("", [], [], [], [], 0.0, [])
        return [next(translations) if units else [empty] for units in sentences]


def load_pipeline(
    params: Params,
    name: str,
    root: Path | str = Path(),
    *,
    beam: int | None = None,
    n_best: int | None = None,
) -> Pipeline:
    """Load a model or an ensemble; see :func:`load_translator` and :func:`load_reading`.

    Below ``root`` it reads ``data/<experiment>/encoded/<family>/{vocab.*,codes,summary.json}``,
    ``data/<experiment>/dictionary/<source>-<target>.tsv``,
    ``models/<experiment>/<member>/weights.safetensors`` of every member and, where there is attention,
    ``translations/<experiment>/<name>/reading.json``. It also reads the ids of the encoded training
    text, if they are there, to find its longest sentence.

    Raises:
        InputError: if a file is missing (naming the command that makes it), or for what
            :func:`load_translator` refuses.
    """
    root = Path(root)
    translator_files(params, name, root)  # refuses what is not trained
    translator = load_translator(params, name, root, beam=beam, n_best=n_best)
    if translator.attends:
        translator.read_at(load_reading(params, name, root).chosen)
    encoding = params.families[params.translators(name).family].encoding
    longest = _longest_trained(params, translator, encoding)
    return Pipeline(translator, params.tokenize, encoding, longest)


def _longest_trained(params: Params, translator: TextTranslator, encoding: Encoding) -> int:
    """Return the units of the longest source sentence of the training text.

    The encoded text beside the vocabularies says it. A model that is packed or served has no such text.
    Then the result is the most words that the tokens stage keeps, or fewer if the family reads fewer.
    """
    folder, train = translator.data.folder, params.sets.train
    try:
        return int(EncodedText.open(folder, train, translator.source).lengths.max())
    except InputError:
        return min(params.tokenize.max_length, encoding.length or params.tokenize.max_length)
