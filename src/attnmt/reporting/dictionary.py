"""What the dictionaries hold for the words that a vocabulary lacks: the table of dictionaries."""

from typing import Any

from attnmt.config import Params
from attnmt.data.encoded import EncodedSets
from attnmt.data.lexicon import Lexicon
from attnmt.layout import Layout
from attnmt.metrics.scored import read_aligner
from attnmt.reporting.caption import LANGUAGES
from attnmt.reporting.columns import filled, number_column, text_column
from attnmt.reporting.tables import Table

NUMBERS = {  # the columns of numbers with their headings
    "entries": "source words",
    "outside": "outside the vocabulary",
    "translated_outside": "translation outside",
}


def dictionary_table(params: Params) -> Table:
    """Return the table of both dictionaries, for each family of words.

    Raises:
        InputError: if a dictionary or a vocabulary is missing or damaged.
    """
    made = read_aligner(params)
    families = [name for name, family in params.families.items() if not family.encoding.pieces]
    rows = [_row(params, name, direction) for direction in LANGUAGES for name in families]
    columns = [text_column("system", "dictionary", rows), text_column("family", "family", rows)]
    columns += [number_column(key, text, rows, 0) for key, text in NUMBERS.items()]
    in_parts = f", in {made['parts']} parts" if made["parts"] > 1 else ""
    caption = (
        f"{made['system']} aligned all {made['pairs']:,} training pairs{in_parts}. A dictionary holds "
        f"the pairs of words that it linked {made['min_count']} times or more. An unknown word is "
        "replaced by the best translation of its source word, or by the source word itself if it has "
        "none. So entries are of use mostly where one of their two words is outside the family's "
        "vocabulary."
    )
    title = f"Dictionaries for unknown words, experiment {params.experiment}"
    return Table("table_dictionary", title, caption, filled(columns), rows)


def _row(params: Params, family: str, direction: str) -> dict[str, Any]:
    layout, (source, target) = Layout(params.experiment), direction.split("-")
    path = layout.lexicon / f"{direction}.tsv"
    lexicon = Lexicon.load(path, lowercase=params.families[family].encoding.lowercase)
    data = EncodedSets(layout.encoded(family))
    known, known_targets = data.vocabulary(source), data.vocabulary(target)
    return {
        "system": LANGUAGES[direction],
        "family": family,
        "entries": len(lexicon),
        "outside": sum(word not in known for word in lexicon),
        "translated_outside": sum(lexicon.best(word) not in known_targets for word in lexicon),
        "direction": direction,
        "stage": "lexicon",
        "files": path.as_posix(),
    }
