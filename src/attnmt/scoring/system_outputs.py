"""What a model or an ensemble wrote for a test set, and the references that it is scored against."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from attnmt.config import Params
from attnmt.corpora.writing import written_without_spaces
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.scoring.metric import Form, References
from attnmt.text.encoded import EncodedSets
from attnmt.text.tokenizer import Tokenizer, tokenizer


class Text:
    """Sentences of one language in the two forms that metrics take, each made at first use.

    Attributes:
        sentences: the words of each sentence.
    """

    def __init__(
        self, sentences: list[list[str]], rule: Tokenizer, written: list[str] | None = None
    ) -> None:
        """Keep ``sentences``, the rule of their language, and their detokenized text if it is known."""
        self.sentences = sentences
        self._rule, self._written = rule, written

    @cached_property
    def tokens(self) -> list[str]:
        """Tokens joined by spaces, split hyphens joined again."""
        return [" ".join(self._rule.joined(words)) for words in self.sentences]

    @cached_property
    def written(self) -> list[str]:
        """Detokenized text."""
        return self._written or [self._rule.detokenize(words) for words in self.sentences]


@dataclass(frozen=True)
class Outputs:
    """The translations of one test set and their references, ready to be scored.

    Attributes:
        source: the words or pieces of each sentence that was translated.
        before: the translations as decoded; the same text as ``after`` if no word was replaced.
        after: the translations with unknown words replaced, which have as many words.
        reference: as the family reads it.
        raw: the reference as it was before any tokenizing; None if the family reads other text
            (lower-cased, cut, or tokenized before).
        characters: whether the target language is written without spaces.
    """

    source: list[list[str]]
    before: Text
    after: Text
    reference: Text
    raw: list[str] | None
    characters: bool

    @classmethod
    def read(cls, params: Params, name: str, test: str) -> Self:
        """Read what the model or ensemble ``name`` wrote for the set ``test``.

        Raises:
            InputError: if a file is missing, has not as many lines as the reference, or a line of the
                replaced translations not as many words as before.
        """
        layout, system = Layout(params.experiment), params.translators(name)
        source, target = params.sides(name)
        data = EncodedSets(layout.encoded(system.family))
        rule = tokenizer(params.languages.of(target), params.tokenize.split_hyphens)
        path = data.text_path(test, target)
        reference = [data.words(units) for units in data.units(test, target)]

        def lines(file: Path, cure: str, may_be_blank: bool = False) -> list[str]:
            text = read_lines(file, may_be_blank)
            if len(text) != len(reference):
                raise InputError(
                    f"{file}: {len(text)} lines, but {path} has {len(reference)}; {cure}"
                )
            return text

        def translations(end: str) -> list[str]:
            file = layout.translations(name) / f"{test}.{end}"
            return lines(file, f"run the stage translate for {name} again", may_be_blank=True)

        encoding, raw = params.families[system.family].encoding, None
        tokenized = params.languages.of(target).tokenize == "none"
        if not tokenized and not encoding.lowercase and encoding.length is None:
            raw = lines(layout.raw / f"{test}.{target}", "run the stages tokens and encode again")
        before, replaced = ([line.split() for line in translations(e)] for e in ("out", "replaced"))
        for number, (words, others) in enumerate(zip(before, replaced, strict=True), start=1):
            if len(words) != len(others):
                place = layout.translations(name) / f"{test}.replaced:{number}"
                why = (
                    f"not as many words as in {test}.out; run the stage translate for {name} again"
                )
                raise InputError(f"{place}: {why}")
        after = Text(replaced, rule, translations("txt"))
        read = Text(reference, rule)
        characters = written_without_spaces(read.written)
        return cls(
            source=data.units(test, source),
            before=after if before == replaced else Text(before, rule),
            after=after,
            reference=read,
            raw=raw,
            characters=characters,
        )

    @property
    def reference_lengths(self) -> NDArray[np.int64]:
        """(n,), the number of tokens of each reference."""
        return np.array([len(line.split()) for line in self.reference.tokens])

    def references(self, form: Form) -> References:
        """Return the references in the form that a metric takes."""
        if form == "tokens":
            return References(self.reference.tokens, self.characters)
        detokenized = form == "detokenized" or self.raw is None
        return References(
            self.reference.written if detokenized else self.raw or [], self.characters
        )

    def translations(self, form: Form, replaced: bool) -> list[str]:
        """Return the translations in the form that a metric takes, unknown words replaced or not."""
        text = self.after if replaced else self.before
        return text.tokens if form == "tokens" else text.written
