"""From lines to tokens and back, by the rule of a language."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise

import regex

from attnmt.config import Language
from attnmt.corpora.language_codes import language_code
from attnmt.corpora.normal_form import MARKS
from attnmt.text.moses import MosesRules, escaped, unescaped
from attnmt.text.spacing import joints, spaced

# Moses writes a split hyphen as @-@; in the authors' files it reads ##AT##-##AT##, in lower case where
# all words are
_SPLIT_HYPHEN = re.compile(r" ?(?<!\S)(?:@-@|(?i:##AT##-##AT##))(?!\S) ?")
_REMEMBERED = 2**17  # words, some 50 MB
SPACE = "▁"  # stands for white space among characters
JOIN = "￭"  # stands at the side of a token on which it joins its neighbor
_SQUARE = "■"  # takes the place of a JOIN of the text itself; Unicode calls the two compatible
_CLUSTERS = regex.compile(rf"\X[{MARKS}]*")
# A word, a number, a row of full stops, or any other character
_DIGITS = rf"\p{{N}}[\p{{N}}{MARKS}]*"
_PARTS = regex.compile(
    rf"\p{{L}}[\p{{L}}{MARKS}]*|{_DIGITS}(?:[.,:٫٬]{_DIGITS})*|\.{{2,}}|\X[{MARKS}]*"
)


class Tokenizer(ABC):
    """The rule of a language, for lines in the one form (:mod:`attnmt.corpora.normal_form`)."""

    def __init__(self, language: str) -> None:
        """Keep the code of the language, which decides where spaces stand."""
        self._language = language_code(language)

    @abstractmethod
    def tokenize(self, line: str) -> list[str]:
        """Split a line into tokens, none of which holds white space."""

    @abstractmethod
    def detokenize(self, tokens: Iterable[str]) -> str:
        """Return readable text."""

    def joined(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens that BLEU counts."""
        return list(tokens)

    def tokens_of(self, words: Sequence[str]) -> list[str]:
        """Return one token for each word of a line that somebody else has tokenized."""
        return list(words)


@cache
def tokenizer(language: Language, split_hyphens: bool) -> Tokenizer:
    """Return the rule of a language; ``split_hyphens`` matters to Moses' rules alone."""
    if language.tokenize == "characters":
        return CharacterTokenizer(language.code)
    if language.tokenize == "words":
        return WordTokenizer(language.code)
    if language.tokenize == "none":
        return WrittenTokenizer(language.code)
    return MosesTokenizer(language.code, split_hyphens)


class CharacterTokenizer(Tokenizer):
    """Takes each character as a token: each grapheme cluster of Unicode, such as a letter with accents.

    White space between words becomes the token ``▁``. So a ``▁`` of the text itself becomes a space.
    """

    def tokenize(self, line: str) -> list[str]:
        # Words are split one by one: a space and an accent after it would be one cluster.
        spaced = ([SPACE, *_CLUSTERS.findall(word)] for word in line.split())
        return list(chain.from_iterable(spaced))[1:]

    def detokenize(self, tokens: Iterable[str]) -> str:
        return " ".join("".join(tokens).replace(SPACE, " ").split())


class WordTokenizer(Tokenizer):
    """Splits words, numbers and all other characters from each other, and marks where they joined.

    ``l'aigua (5 m).`` becomes ``l ￭'￭ aigua (￭ 5 m ￭) ￭.``. The mark stands on the side of the other
    character. So a word has the same token wherever it stands, and text comes back as it was.
    """

    def tokenize(self, line: str) -> list[str]:
        return [part for word in line.split() for part in _marked_parts(word)]

    def detokenize(self, tokens: Iterable[str]) -> str:
        text = " ".join(tokens).replace(f"{JOIN} ", JOIN).replace(f" {JOIN}", JOIN)
        return text.replace(JOIN, "")

    def joined(self, tokens: Iterable[str]) -> list[str]:
        return [word for token in tokens if (word := token.strip(JOIN))]

    def tokens_of(self, words: Sequence[str]) -> list[str]:
        """Mark the words where they are likely to have joined."""
        words = [word.replace(JOIN, _SQUARE) for word in words]
        return _marked(words, joints(words, self._language))


@lru_cache(_REMEMBERED)
def _marked_parts(word: str) -> list[str]:
    """Return the tokens of a word, marked where they join."""
    parts: list[str] = _PARTS.findall(word.replace(JOIN, _SQUARE))
    return _marked(parts, [True] * len(parts))


def _marked(parts: list[str], together: list[bool]) -> list[str]:
    """Mark the parts that stand ``together`` with the part before."""
    tokens = parts[:1]
    for (before, part), joins in zip(pairwise(parts), together[1:], strict=True):
        if joins and part[0].isalnum() and not before[0].isalnum():
            tokens[-1] += JOIN
            tokens.append(part)
        else:
            tokens.append(JOIN * joins + part)
    return tokens


class WrittenTokenizer(Tokenizer):
    """Takes the words of a line as tokens. Spaces come back as between Moses' tokens."""

    def tokenize(self, line: str) -> list[str]:
        return line.split()

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Join hyphens, undo escapes, and put spaces where people write them."""
        return spaced([unescaped(token) for token in self.joined(tokens)], self._language)

    def joined(self, tokens: Iterable[str]) -> list[str]:
        """Undo the splitting of hyphens, in either spelling; other tokens stay."""
        return _SPLIT_HYPHEN.sub("-", " ".join(tokens)).split()


class MosesTokenizer(WrittenTokenizer):
    """Tokenizes as the paper did: by Moses' rules, case kept, XML's characters escaped."""

    def __init__(self, language: str, split_hyphens: bool) -> None:
        """Load the rules of ``language``; with ``split_hyphens``, well-known is well @-@ known."""
        super().__init__(language)
        self._rules = MosesRules(language, split_hyphens)

    def tokenize(self, line: str) -> list[str]:
        return self._rules.tokens(" ".join(line.split()))

    def tokens_of(self, words: Sequence[str]) -> list[str]:
        """Escape the words as Moses does."""
        return [escaped(unescaped(word)) for word in words]
