"""Moses' tokenization, made fast, and sacremoses' detokenization."""

import re
from collections.abc import Iterable
from functools import lru_cache

from sacremoses import MosesDetokenizer

from attnmt.text.moses import MosesRules

# Moses writes a split hyphen as @-@; in the authors' files it reads ##AT##-##AT##
_SPLIT_HYPHEN = re.compile(r" ?(?<!\S)(?:@-@|##AT##-##AT##)(?!\S) ?")
# Moses deletes these; some are white space to Python
_CONTROL = dict.fromkeys(set(range(32)) - set(b"\t\n\v\f\r"))
_REMEMBERED = 2**17  # words, some 50 MB
_WORD = "A"  # stands for a neighbor where it only matters that there is one


class MosesTokenizer:
    """Tokenizes as the paper did: by Moses' rules of one language, case kept, XML's characters escaped.

    The rules take 0.1 ms for a line, so the tokens of a word are remembered. They depend on only three
    things in the rest of the line: whether a word comes before, whether a word follows and, if this word
    ends in a full stop, the first character of the next word. There is one exception: a split
    apostrophe uses up the space after it, so the apostrophe of the next word does not see that space.
    """

    def __init__(self, language: str, split_hyphens: bool) -> None:
        """Load the rules of ``language``; with ``split_hyphens``, well-known is well @-@ known."""
        self._rules = MosesRules(language, split_hyphens)
        self._tokens_of_word = lru_cache(_REMEMBERED)(self._tokens_among_neighbors)
        self._detokenizer = MosesDetokenizer(lang=language)

    def tokenize(self, line: str) -> list[str]:
        """Split a sentence into tokens, none of which holds white space."""
        words = (line if line.isprintable() else line.translate(_CONTROL)).split()
        if "'" in line and "' '" in (text := " ".join(words)):
            return self._rules.tokens(text)
        tokens: list[str] = []
        for left, word, right in zip(["", *words], words, [*words[1:], ""], strict=False):
            if word.isalpha():
                tokens.append(word)
            else:
                right = right[:1] if word[-1] == "." else right and _WORD
                tokens += self._tokens_of_word(word, left and _WORD, right)
        return tokens

    def _tokens_among_neighbors(self, word: str, left: str, right: str) -> list[str]:
        """Return the tokens of a word between neighbors of one character or none."""
        tokens = self._rules.tokens(f"{left} {word} {right}".strip())
        return tokens[len(left) : len(tokens) - len(right)]

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Return readable text: hyphens joined, escapes undone, spaces as people write them."""
        text: str = self._detokenizer.detokenize(self.join_hyphens(tokens), unescape=True)
        return text

    @staticmethod
    def join_hyphens(tokens: Iterable[str]) -> list[str]:
        """Undo the splitting of hyphens, in either spelling; other tokens stay."""
        return _SPLIT_HYPHEN.sub("-", " ".join(tokens)).split()
