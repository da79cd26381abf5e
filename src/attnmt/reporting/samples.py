"""Table 5: sample translations of the best system with attention and of the best one without."""

from collections.abc import Sequence
from dataclasses import dataclass

from attnmt.config import DIRECTIONS, Direction, Language, Params
from attnmt.decoding.kept_attention import sampled_lines
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.ranking import best_systems
from attnmt.text.tokenizer import tokenizer

CAPTION = (
    "Sentences spread evenly over the test set, by the systems with and without attention that are best "
    "on the development set. Where attention links an unknown word, it is replaced."
)
# The test set of each direction, as an index; the paper has one for each.
TESTS: dict[Direction, int] = {"forward": 0, "backward": -1}


@dataclass(frozen=True)
class Sample:
    """A sentence of a test set, ``line`` counted from 0, in all its forms.

    ``texts`` has the source, the reference and the translations, by who wrote them.
    """

    direction: Direction
    set: str
    line: int
    texts: dict[str, str]


def make_samples(params: Params, numbers: Numbers) -> list[Sample]:
    """Return the sampled sentences of each direction for which the experiment has a system.

    Raises:
        InputError: if a file is missing, or has more or fewer lines than the test set.
    """
    return [s for direction in DIRECTIONS for s in _samples(params, numbers, direction)]


def samples_table(params: Params, samples: Sequence[Sample]) -> Table | None:
    """Return Table 5 with a row for each text; None if there is no sample."""
    if not samples:
        return None
    rows: dict[str, dict[str, Cell]] = {
        f"{one.set}/{one.line}/{one.direction}/{who}": {
            "set": one.set,
            "line": float(one.line + 1),
            "text of": who,
            "text": text,
        }
        for one in samples
        for who, text in one.texts.items()
    }
    title = "Sample translations" if params.own_text else "Table 5, sample translations"
    return table_of("table5", title, CAPTION, rows, {"line": Format(0)})


def _samples(params: Params, numbers: Numbers, direction: Direction) -> list[Sample]:
    test = params.sets.tests[TESTS[direction]]
    systems = [name for name in best_systems(params, numbers, direction) if name]
    if not systems:
        return []
    source, reference = (_plain(params, test, side) for side in params.languages.sides(direction))
    texts = {"source": source, "reference": reference}
    texts |= {name: _translations(params, name, test, len(source)) for name in systems}
    return [
        Sample(direction, test, line, {who: lines[line] for who, lines in texts.items()})
        for line in sampled_lines(len(source), params.decoding.samples)
    ]


def _plain(params: Params, test: str, language: Language) -> list[str]:
    """Return the sentences of a set as they are written."""
    lines = read_lines(Layout(params.experiment).raw / f"{test}.{language.code}")
    if language.tokenize != "none":
        return lines
    rule = tokenizer(language, params.tokenize.split_hyphens)  # the raw text is tokens
    return [rule.detokenize(line.split()) for line in lines]


def _translations(params: Params, name: str, test: str, lines: int) -> list[str]:
    path = Layout(params.experiment).translations(name) / f"{test}.txt"
    texts = read_lines(path, may_be_blank=True)
    if len(texts) != lines:
        raise InputError(
            f"{path}: {len(texts)} lines where {test} has {lines}; run translate of {name} again"
        )
    return texts
