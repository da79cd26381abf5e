"""Table 5: sample translations of the best system with attention and of the best one without."""

from collections.abc import Iterator

from attnmt.config import DIRECTIONS, Direction, Language, Params
from attnmt.decoding.kept_attention import sampled_lines
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines
from attnmt.layout import Layout
from attnmt.reporting.table import Cell, Format, Table, table_of
from attnmt.scoring.ranking import best_systems
from attnmt.scoring.score_table import ScoreTable
from attnmt.text.tokenizer import tokenizer

TITLE, OWN_TITLE = "Table 5, sample translations", "Sample translations"
CAPTION = (
    "Sample translations of sentences that are spread evenly over a test set; nobody chose them by "
    "hand. The systems are the best on the development set, with attention and without it; with several "
    "seeds, the first is shown. Where attention links an unknown word, it is replaced."
)
TESTS: dict[Direction, int] = {"forward": 1, "backward": 2}  # the paper has a test set for each


def samples_table(params: Params, numbers: ScoreTable) -> Table | None:
    """Return the source, the reference and the translations of each sampled sentence, a row for each.

    Returns:
        None if the experiment has no ranked system.
    """
    rows = dict(row for direction in DIRECTIONS for row in _rows(params, numbers, direction))
    title = OWN_TITLE if params.own_text else TITLE
    return table_of("table5", title, CAPTION, rows, {"line": Format(0)}) if rows else None


def _rows(
    params: Params, numbers: ScoreTable, direction: Direction
) -> Iterator[tuple[str, dict[str, Cell]]]:
    test = params.sets.numbered(TESTS[direction])
    systems = [name for name in best_systems(params, numbers, direction) if name]
    if not systems:
        return
    source, reference = (_plain(params, test, side) for side in params.languages.sides(direction))
    texts, layout = {"source": source, "reference": reference}, Layout(params.experiment)
    for name in systems:
        path = layout.translations(name) / f"{test}.txt"
        texts[name] = read_lines(path, may_be_blank=True)
        if {len(lines) for lines in texts.values()} != {len(source)}:
            why = f"not as many lines as the files of {test} in {layout.raw}"
            raise InputError(f"{path}: {why}; run the stages corpus and translate again")
    for line in sampled_lines(len(source), params.decoding.samples):
        for who, lines in texts.items():
            where: dict[str, Cell] = {"set": test, "line": float(line + 1)}
            yield f"{test}/{line}/{direction}/{who}", where | {"text of": who, "text": lines[line]}


def _plain(params: Params, test: str, language: Language) -> list[str]:
    """Return the sentences of a set as they are written."""
    lines = read_lines(Layout(params.experiment).raw / f"{test}.{language.code}")
    if language.tokenize != "none":
        return lines
    rule = tokenizer(language, params.tokenize.split_hyphens)  # the raw text is tokens
    return [rule.detokenize(line.split()) for line in lines]
