"""What a model or an ensemble wrote for a test set, and the references that it is scored against."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.scoring.results import Script
from attnmt.text.encoded import EncodedSets
from attnmt.text.tokenizer import MosesTokenizer


class Text:
    """Sentences of one language in the two forms that scripts take, each made at first use.

    Attributes:
        sentences: the words of each.
    """

    def __init__(self, sentences: list[list[str]], moses: MosesTokenizer) -> None:
        """Keep ``sentences``; ``moses`` knows the rules of their language."""
        self.sentences = sentences
        self._moses = moses

    @cached_property
    def tokens(self) -> list[str]:
        """Moses tokens joined by spaces, split hyphens joined again."""
        return [" ".join(self._moses.join_hyphens(words)) for words in self.sentences]

    @cached_property
    def written(self) -> list[str]:
        """Detokenized text."""
        return [self._moses.detokenize(words) for words in self.sentences]


@dataclass(frozen=True)
class Outputs:
    """The translations of one test set and their references, ready to be scored.

    Attributes:
        before: the translations as decoded.
        after: the translations with unknown words replaced.
        reference: as the family reads it.
        raw: the reference as it was before any tokenizing; None if the family reads other text
            (lower-cased, cut, or not tokenized by Moses).
        reference_path: the file of ``reference``.
        written_reference: the file that sacrebleu, chrf and ter score against.
    """

    before: Text
    after: Text
    reference: Text
    raw: list[str] | None
    reference_path: Path
    written_reference: Path

    @classmethod
    def read(cls, params: Params, name: str, test: str, root: Path = Path()) -> Self:
        """Read what the model or ensemble ``name`` wrote for the set ``test``.

        Raises:
            InputError: if a file is missing, or does not have as many lines as the reference.
        """
        layout, system = Layout(params.experiment, root), params.translators(name)
        target = params.model(system.members[0]).target
        data = EncodedSets(layout.encoded(system.family))
        moses = MosesTokenizer(target, params.tokenize.split_hyphens)
        path = data.text_path(test, target)
        reference = [data.words(units) for units in data.units(test, target)]

        def lines(file: Path, cure: str, may_be_blank: bool = False) -> list[str]:
            text = read_lines(file, may_be_blank)
            if len(text) != len(reference):
                raise InputError(
                    f"{file}: {len(text)} lines, but {path} has {len(reference)}; {cure}"
                )
            return text

        def translations(end: str) -> Text:
            file = layout.translations(name) / f"{test}.{end}"
            text = lines(file, f"run the stage translate for {name} again", may_be_blank=True)
            return Text([line.split() for line in text], moses)

        written, raw = path, None
        if _reads_raw_text(params, system.family):
            written = layout.raw / f"{test}.{target}"
            raw = lines(written, "run the stages tokens and encode again")
        before, after = translations("out"), translations("replaced")
        return cls(before, after, Text(reference, moses), raw, path, written)

    def references(self, script: Script) -> list[str]:
        """Return the references in the form that a script takes."""
        if script == "tokenized":
            return self.reference.tokens
        return self.reference.written if script == "nist" or self.raw is None else self.raw

    def translations(self, script: Script, replaced: bool) -> list[str]:
        """Return the translations in the form that a script takes, unknown words replaced or not."""
        text = self.after if replaced else self.before
        return text.tokens if script == "tokenized" else text.written


def _reads_raw_text(params: Params, family: str) -> bool:
    """Return whether a family's words, detokenized, are the raw text again."""
    encoding = params.families[family].encoding
    return params.tokenize.moses and not encoding.lowercase and encoding.length is None
