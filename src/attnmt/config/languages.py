"""The section about the two languages: what they are called, and how their lines become tokens."""

from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, Field, model_validator

from attnmt.config.strict import Name, Strict
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


def _is_no_suffix(code: str) -> str:
    if code == LINKS:
        raise error_at([], f"files with the suffix {LINKS!r} hold gold links; choose another code")
    return code


class Language(Strict):
    """One side of the text."""

    code: Annotated[Name, AfterValidator(_is_no_suffix)]  # ends its files' names, as in train.en
    # for titles; in Markdown and HTML, other signs would mean something
    name: Annotated[str, Field(pattern=r"^[\w (),.'’-]+$")]
    tokenize: Rule


class Languages(Strict):
    """The two sides of the text, as systems that translate forward read them."""

    source: Language
    target: Language

    @model_validator(mode="after")
    def _sides_differ(self) -> Self:
        if self.source.code == self.target.code:
            why = f"{self.target.code!r} is the source, too; give the two sides different codes"
            raise error_at(["target", "code"], why)
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
