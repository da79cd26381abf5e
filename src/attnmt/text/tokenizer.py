"""From lines to tokens and back, by the rule of a language.

Moses' tokenization is made fast here. Its detokenization is that of sacremoses.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain
from typing import Protocol

import regex
from sacremoses import MosesDetokenizer

from attnmt.config import Language
from attnmt.text.moses import MosesRules, has_rules

# Moses writes a split hyphen as @-@; in the authors' files it reads ##AT##-##AT##
_SPLIT_HYPHEN = re.compile(r" ?(?<!\S)(?:@-@|##AT##-##AT##)(?!\S) ?")
# Moses deletes these; some are white space to Python
_CONTROL = dict.fromkeys(set(range(32)) - set(b"\t\n\v\f\r"))
_REMEMBERED = 2**17  # words, some 50 MB
SPACE = "▁"  # stands for white space among characters
ANY = "any"  # sacremoses has no such language, so it uses its rules for all languages
_CLUSTERS = regex.compile(r"\X")
_WORD = "A"  # stands for a neighbor where all that matters is that there is one


class Tokenizer(Protocol):
    """The rule of a language."""

    def tokenize(self, line: str) -> list[str]:
        """Split a line into tokens, none of which holds white space."""

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Return readable text."""

    def joined(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens that BLEU counts."""


@cache  # so that the words remembered from one text serve the next
def tokenizer(language: Language, split_hyphens: bool) -> Tokenizer:
    """Return the rule of a language; ``split_hyphens`` matters to Moses' rules alone."""
    if language.tokenize == "characters":
        return CharacterTokenizer()
    if language.tokenize == "none":
        return WrittenTokenizer(language.code)
    return MosesTokenizer(language.code if language.tokenize == "moses" else None, split_hyphens)


class CharacterTokenizer:
    """Takes each character as a token: each grapheme cluster of Unicode, such as a letter with accents.

    White space between words becomes the token ``▁``. So a ``▁`` of the text itself becomes a space.
    """

    def tokenize(self, line: str) -> list[str]:
        """Split a line into its characters."""
        # Words are split one by one: a space and an accent after it would be one cluster.
        spaced = ([SPACE, *_CLUSTERS.findall(word)] for word in line.split())
        return list(chain.from_iterable(spaced))[1:]

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join characters again."""
        return " ".join("".join(tokens).replace(SPACE, " ").split())

    def joined(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens as they are."""
        return list(tokens)


class MosesTokenizer:
    """Tokenizes as the paper did: by Moses' rules of one language, case kept, XML's characters escaped.

    The rules take 0.1 ms for a line, so the tokens of a word are remembered. They depend on only three
    things in the rest of the line: whether a word comes before, whether a word follows and, if this word
    ends in a full stop, the first character of the next word. There is one exception: a split
    apostrophe uses up the space after it, so the apostrophe of the next word does not see that space.
    """

    def __init__(self, language: str | None, split_hyphens: bool) -> None:
        """Load the rules of ``language``; with ``split_hyphens``, well-known is well @-@ known.

        None takes the rules that hold for any language.
        """
        self._rules = MosesRules(language, split_hyphens)
        self._tokens_of_word = lru_cache(_REMEMBERED)(self._tokens_among_neighbors)
        self._detokenizer = MosesDetokenizer(lang=language or ANY)

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
        text: str = self._detokenizer.detokenize(self.joined(tokens), unescape=True)
        return text

    def joined(self, tokens: Iterable[str]) -> list[str]:
        """Undo the splitting of hyphens, in either spelling; other tokens stay."""
        return _SPLIT_HYPHEN.sub("-", " ".join(tokens)).split()


class WrittenTokenizer(MosesTokenizer):
    """Takes the words of a line as tokens. Only the way back to text is Moses'."""

    def __init__(self, language: str) -> None:
        """Load the rules of ``language``, or those that hold for any language."""
        super().__init__(language if has_rules(language) else None, split_hyphens=False)

    def tokenize(self, line: str) -> list[str]:
        """Split a line at white space."""
        return line.split()
