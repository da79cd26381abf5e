"""From raw text to translations, by any model or ensemble of an experiment."""

from collections.abc import Sequence
from pathlib import Path

from attnmt.config import Encoding, Params, Tokenize
from attnmt.decoding.reading import load_reading
from attnmt.decoding.search import Search
from attnmt.decoding.text_translator import TextTranslator, Translation, Units, load_translator
from attnmt.text.encode import words_read
from attnmt.text.pieces import Cutter, read_codes
from attnmt.text.tokens import splitter
from attnmt.text.vocabulary import SPECIAL


class Pipeline:
    """Does for any text what the stages do for a test set: from raw text to plain translations.

    Words are cut into pieces by the codes and by the vocabulary. If ``encoding.vocabulary`` leaves room,
    the vocabulary holds every piece that training saw. If not, a piece that the vocabulary lacks is cut
    further here, but is unknown in the encoded sets.
    """

    def __init__(self, translator: TextTranslator, tokenize: Tokenize, encoding: Encoding) -> None:
        """Join the models to the settings by which their training text was read."""
        self.translator = translator
        self._split = splitter(translator.source, tokenize)
        self._encoding = encoding
        self._cutter: Cutter | None = None
        data = translator.data
        if data.pieces:
            codes = read_codes(data.folder / "codes")
            known = data.vocabulary(translator.source).words[len(SPECIAL) :]
            self._cutter = Cutter(codes, known)

    def translate(
        self, lines: Sequence[str], options: Search | None = None
    ) -> list[list[Translation]]:
        """Return the best translations of each raw line, the best first.

        A line without words has one translation, which is empty.

        ``options`` are those of this search; None takes the translator's own.

        Raises:
            InputError: if a line holds a mark that cannot be cut into pieces.
        """
        sentences = [self.units(line) for line in lines]
        with_words = [units for units in sentences if units]
        translations = iter(self.translator.translate(with_words, options))
        empty = Translation("", [], [], [], [], 0.0, [])
        return [next(translations) if units else [empty] for units in sentences]

    def units(self, line: str) -> Units:
        """Return the units that the models read for a raw line."""
        words = words_read(" ".join(self._split(line)), self._encoding, f"{line[:60]!r}")
        return self._cutter.cut(words) if self._cutter else words

    def plain(self, words: Sequence[str]) -> str:
        """Return tokens as plain text: hyphens joined, detokenized."""
        return self.translator.plain(words)


def load_pipeline(
    params: Params,
    name: str,
    root: Path = Path(),
    *,
    beam: int | None = None,
    n_best: int | None = None,
) -> Pipeline:
    """Load a model or an ensemble; see :func:`load_translator` and :func:`load_reading`.

    Below ``root`` it reads ``data/<experiment>/encoded/<family>/{vocab.*,codes,summary.json}``,
    ``data/<experiment>/dictionary/<direction>.tsv``,
    ``models/<experiment>/<name>/weights.safetensors`` and, where there is attention,
    ``translations/<experiment>/<name>/reading.json``.
    """
    translator = load_translator(params, name, root, beam=beam, n_best=n_best)
    if translator.attends:
        translator.read_at(load_reading(params, name, root).chosen)
    encoding = params.families[params.translators(name).family].encoding
    return Pipeline(translator, params.tokenize, encoding)
