"""The sections about text, from the sets of the corpus to the ids that a family reads."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, PositiveInt, model_validator

from attnmt.config.strict import Distinct, Name, Strict, differ
from attnmt.files.yaml_file import error_at


class Sets(Strict):
    """Which part each set of the corpus plays."""

    train: Name
    dev: Name  # chooses the checkpoint
    tests: Distinct[Name]  # the first stands for newstest2014 (Table 1), the last for newstest2015
    aligned: Distinct[
        Name
    ]  # sets whose references are force-decoded for alignment; Table 6 has the first

    @model_validator(mode="after")
    def _parts_differ(self) -> Self:
        if self.dev == self.train:
            raise error_at(["dev"], f"{self.dev!r} is the training set; choose another")
        if self.train in self.aligned:
            at = self.aligned.index(self.train)
            raise error_at(["aligned", at], f"{self.train!r} is the training set; choose another")
        for i, name in enumerate(self.tests):
            if name in (self.train, self.dev):
                part = "training set" if name == self.train else "dev set"
                raise error_at(["tests", i], f"{name!r} is the {part}; a test set must be unseen")
        return self

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
    tokenized: Annotated[list[Name], AfterValidator(differ)] = Field(default=[])


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
