"""The step whose attention links a word: its own (offset 0), or the next, whose input it is (offset 1).

Which of the two is right differs from training to training, so the development set chooses, without gold
links and without a search. The set's references are force-decoded, and the offset is taken whose links
have the lower alignment error rate against the outside aligner's. It holds for links, error rates and
the replacement of unknown words.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped
from attnmt.files.json_file import Record, read_model
from attnmt.layout import Layout
from attnmt.text.aer import aer
from attnmt.text.reference_links import aligner_links

DIGITS = 6  # decimals of an error rate that are kept; equal ones are a tie
OFFSETS: tuple[Literal[0], Literal[1]] = (0, 1)
Rate = Annotated[float, Field(ge=0, le=1)]


class Offset(Record):
    """The content of ``offset.json``."""

    attention_offset: Literal[0, 1]
    dev_aer: Annotated[list[Rate], Field(min_length=2, max_length=2)]  # at offset 0, at offset 1


def silver_links(params: Params, name: str) -> list[Links]:
    """Return the outside aligner's links of the development set's words, as a system reads them.

    The links go from the language that the system reads to the one that it writes.
    """
    lines = aligner_links(params, params.sets.dev, params.translators(name).family)
    backward = params.direction(name) == "backward"
    return [flipped(line.sure) if backward else line.sure for line in lines]


def choose_offset(links: Sequence[Sequence[Links]], silver: Sequence[Links]) -> Offset:
    """Return the offset whose links are nearer to the aligner's; in a tie it is 0."""
    rates = [round(aer(links[offset], silver, silver), DIGITS) for offset in OFFSETS]
    return Offset(attention_offset=1 if rates[1] < rates[0] else 0, dev_aer=rates)


def load_offset(params: Params, name: str, root: Path = Path()) -> int:
    """Return the offset of a model or an ensemble with attention."""
    path = Layout(params.experiment, root).offset(name)
    return read_model(path, Offset, f"run the stage translate for {name} again").attention_offset
