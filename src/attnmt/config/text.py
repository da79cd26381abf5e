"""The sections about text: languages, sets, and how lines become tokens and tokens become ids."""

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, PositiveInt, model_validator

from attnmt.config.strict import Distinct, Name, Strict
from attnmt.files.yaml_file import error_at

LINKS = "links"  # the suffix of a file of gold links, so no language has this code
# Which way a system translates: from the experiment's source language to its target language, or back.
Direction = Literal["forward", "backward"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
# How lines become tokens.
#   moses       the rules of Moses' tokenizer.perl for the language, as in the paper
#   words       words, numbers and single signs, for any language; a mark (￭) says where a token joins
#               its neighbor, so a translation brings its own spacing
#   characters  one token for each character, for languages that write no spaces
#   none        the text is tokenized already: tokens stand between spaces
Rule = Literal["moses", "words", "characters", "none"]


class Language(Strict):
    """One side of the text."""

    code: Name  # ends its files' names, as in train.en
    # for titles; in Markdown and HTML, other signs would mean something
    name: Annotated[str, Field(pattern=r"^([^\W_]|[ (),.'’-])+$")]
    tokenize: Rule


class Languages(Strict):
    """The two sides of the text, as systems that translate forward read them."""

    source: Language
    target: Language

    @model_validator(mode="after")
    def _codes_differ(self) -> Self:
        if self.source.code == self.target.code:
            why = f"{self.target.code!r} is the source, too; give the two sides different codes"
            raise error_at(["target", "code"], why)
        for side in ("source", "target"):
            if getattr(self, side).code == LINKS:
                why = f"files with the suffix {LINKS!r} hold gold links; choose another code"
                raise error_at([side, "code"], why)
        return self

    @property
    def codes(self) -> tuple[str, str]:
        """The codes of source and target."""
        return self.source.code, self.target.code

    def sides(self, direction: Direction) -> tuple[Language, Language]:
        """Return what a system reads and what it writes."""
        sides = self.source, self.target
        return sides if direction == "forward" else sides[::-1]

    def of(self, code: str) -> Language:
        """Return the language with a code, which must be one of the two."""
        return {side.code: side for side in (self.source, self.target)}[code]

    def title(self, direction: Direction) -> str:
        """Return a direction for titles, such as "English-German"."""
        return "-".join(side.name for side in self.sides(direction))


class Sets(Strict):
    """Which part each set of the corpus plays."""

    train: Name
    dev: Name  # chooses the checkpoint
    # The first stands for newstest2014 (Table 1), the second for newstest2015. No table and no claim
    # takes a third one.
    tests: Distinct[Name]
    # sets whose references are force-decoded for alignment; Table 6 has the first
    aligned: Distinct[Name]

    @model_validator(mode="after")
    def _parts_differ(self) -> Self:
        for key, names in {"dev": [self.dev], "tests": self.tests, "aligned": self.aligned}.items():
            if self.train in names:
                raise error_at([key], f"{self.train!r} is the training set; choose another")
        if self.dev in self.tests:
            raise error_at(["tests"], f"{self.dev!r} is the dev set; a test set must be unseen")
        return self

    def numbered(self, test: int, of_links: bool = False) -> str:
        """Return the test set, or the aligned set, with a number from 1, or the last one before it."""
        names = self.aligned if of_links else self.tests
        return names[min(test, len(names)) - 1]

    def all(self) -> list[str]:
        """Return every set once, training first."""
        return list(dict.fromkeys([self.train, self.dev, *self.tests, *self.aligned]))


class Tokenize(Strict):
    """Which pairs are trained on, and what their tokens are. All families share this."""

    split_hyphens: bool  # Moses' aggressive splitting; hyphens are joined again before scoring
    max_length: PositiveInt  # words; training pairs with a longer side are dropped
    # sets whose raw text is tokenized already, whatever its language says. Gold links count the tokens
    # of this text. So the tokens are not split again; they are only escaped or marked as those of the
    # language are
    tokenized: list[Name] = Field(default=[])


class Dictionary(Strict):
    """The word dictionary that replaces unknown words, learned from aligned training text."""

    max_pairs: PositiveInt  # aligned at once, which bounds memory; a longer text is divided
    min_count: PositiveInt  # links that a pair of words needs in the whole text


class Pieces(Strict):
    """Byte-pair encoding (Sennrich et al. 2016) with codes learned from both languages together."""

    merges: PositiveInt
    threshold: PositiveInt  # a piece seen less often in its language's training text is split again


class Encoding(Strict):
    """How tokens become the ids that a model reads."""

    vocabulary: Annotated[int, Field(ge=4)]  # entries of a language, <unk>, <s> and </s> included
    lowercase: bool = False
    length: PositiveInt | None = None  # a longer sentence loses its first words
    pieces: Pieces | None = None  # if given, the units are parts of words
