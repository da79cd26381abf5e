"""The table of dictionaries: what they hold for the words that a vocabulary lacks."""

from dataclasses import asdict, dataclass

from attnmt.config import DIRECTIONS, Direction, Params
from attnmt.layout import Layout
from attnmt.reporting.columns import filled, number_column, text_column
from attnmt.reporting.tables import Caption, Table, Title
from attnmt.scoring.results import read_aligner
from attnmt.text.dictionary import Dictionary
from attnmt.text.encoded import EncodedSets

NUMBERS = {  # the columns of numbers with their headings
    "entries": "source words",
    "outside": "outside the vocabulary",
    "translated_outside": "translation outside",
}


@dataclass(frozen=True)
class Entries:
    """A row of the CSV file: how many entries a family finds in the dictionary of a direction.

    ``outside`` counts the source words that the family's vocabulary lacks. ``translated_outside`` counts
    the source words whose best translation the vocabulary of the other language lacks.
    """

    system: str
    family: str
    entries: int
    outside: int
    translated_outside: int
    direction: Direction
    stage: str
    files: str


def dictionary_table(params: Params) -> Table:
    """Return the table of both dictionaries, for each family that reads words.

    Raises:
        InputError: if a dictionary or a vocabulary is missing or damaged.
    """
    aligner = read_aligner(params)
    families = [name for name, family in params.families.items() if not family.encoding.pieces]
    rows = [_row(params, name, direction) for direction in DIRECTIONS for name in families]
    columns = [
        text_column("system", "dictionary", [row.system for row in rows], "name"),
        text_column("family", "family", [row.family for row in rows], "name"),
    ]
    columns += [
        number_column(key, text, [getattr(row, key) for row in rows], 0)
        for key, text in NUMBERS.items()
    ]
    in_parts = f", in {aligner.parts} parts" if aligner.parts > 1 else ""
    caption = Caption(
        f"{aligner.system} aligned all {aligner.pairs:,} training pairs{in_parts}. A dictionary holds "
        f"the pairs of words that were linked {aligner.min_count} times or more.",
        "An unknown word is replaced by the best translation of its source word, or by the source "
        "word itself if that has no translation. So an entry is mostly useful if one of its two words "
        "is outside the family's vocabulary.",
    )
    title = Title("Dictionaries for unknown words", "", params.experiment)
    cells, keys = [asdict(row) for row in rows], [f"{row.direction} {row.family}" for row in rows]
    return Table("table_dictionary", title, caption, filled(columns), cells, keys)


def _row(params: Params, family: str, direction: Direction) -> Entries:
    layout = Layout(params.experiment)
    source, target = (side.code for side in params.languages.sides(direction))
    path = layout.dictionary_file(source, target)
    dictionary = Dictionary.load(path, lowercase=params.families[family].encoding.lowercase)
    data = EncodedSets(layout.encoded(family))
    sources, targets = data.vocabulary(source), data.vocabulary(target)
    return Entries(
        system=params.languages.title(direction),
        family=family,
        entries=len(dictionary),
        outside=sum(word not in sources for word in dictionary),
        translated_outside=sum(dictionary.best(word) not in targets for word in dictionary),
        direction=direction,
        stage="dictionary",
        files=path.as_posix(),
    )
