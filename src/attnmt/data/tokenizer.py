"""Moses' tokenisation and its undoing, by sacremoses."""

import re
from collections.abc import Iterable

from sacremoses import MosesDetokenizer
from sacremoses import MosesTokenizer as SacreMosesTokenizer

# Moses writes a split hyphen as @-@; in the authors' files it reads ##AT##-##AT##
_SPLIT_HYPHEN = re.compile(r" ?(?<!\S)(?:@-@|##AT##-##AT##)(?!\S) ?")


class MosesTokenizer:
    """Tokens as the paper's: Moses' rules of one language, case kept, XML's characters escaped."""

    def __init__(self, language: str, split_hyphens: bool) -> None:
        """Load the rules of ``language``; with ``split_hyphens``, well-known is well @-@ known."""
        self._split_hyphens = split_hyphens
        self._tokenizer = SacreMosesTokenizer(lang=language)
        self._detokenizer = MosesDetokenizer(lang=language)

    def tokenize(self, line: str) -> list[str]:
        """Split a sentence into tokens, none of which holds white space."""
        tokens: list[str] = self._tokenizer.tokenize(
            line, aggressive_dash_splits=self._split_hyphens, escape=True
        )
        return tokens

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Return readable text: hyphens joined, escapes undone, spaces as they are written."""
        text: str = self._detokenizer.detokenize(self.join_hyphens(tokens), unescape=True)
        return text

    @staticmethod
    def join_hyphens(tokens: Iterable[str]) -> list[str]:
        """Undo the splitting of hyphens, in either spelling; other tokens stay."""
        return _SPLIT_HYPHEN.sub("-", " ".join(tokens)).split()
