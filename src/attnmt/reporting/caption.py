"""The caption of a table: first how to read it, then what its numbers are."""

from collections.abc import Collection, Mapping, Sequence

from attnmt.config import ALIGNER, DIAGONAL, Direction, Params, Rule
from attnmt.reporting.columns import LEVEL
from attnmt.reporting.lines import Compared
from attnmt.reporting.paper import paper_set
from attnmt.reporting.recipes import marks
from attnmt.reporting.tables import FAULTS, METRICS, SUBWORDS, Caption, Cell, TableSpec, Title

LINKED = (
    "AER is measured on force-decoded references. Each {target} word is linked to the {source} word "
    "that has the largest attention weight at one step. For content scores, and for ensembles that "
    "have one, this is the step after the one that predicts the word; the word is its input. The "
    "authors' program does the same. For location and for the GRU it is the step that predicts the word."
)
READINGS = (
    "The columns “same step” and “next step” show both readings for every system. The diagonal is not "
    "a model. It links each {target} word to the {source} word at the same position, or to the last "
    "one if the {source} sentence is shorter."
)
SILVER = (
    " No person linked the words of this set. The outside aligner, which also made the dictionary, made "
    "these silver links. So this AER says how far attention is from that aligner."
)
REPLACED = (
    "To replace an unknown word we look up the source word that has the largest attention weight at "
    "the same step, or at the next one. For each system we take the step that restores more of the "
    "unknown words in the development set's references."
)
ONE_SEED = (
    "Each system was trained once. So the intervals and p are about other sentences and not about "
    "another training. This table has no verdict."
)
SEVERAL_SEEDS = (
    "Where a system has several seeds, its number is their mean, and the number after ± is the standard "
    "deviation between them. The interval then holds for a new training on a new sample of sentences. "
    "Where it has one seed, the interval is from the bootstrap and holds for the sentences."
)
TESTED_SEEDS = (
    "Where both systems of a gain have several seeds, p and the interval of the gain are about the "
    "systems: they hold for other seeds and other sentences. Only such a gain has a verdict. The "
    "test takes the two systems of a gain as trained independently. Two that share trainings, such as "
    "an ensemble and its member, are compared seed by seed, over the seeds that both have."
)
TESTED_SENTENCES = (
    "Where both have one seed, p is about the sentences, by approximate randomization. Where only one "
    "of them has several seeds, the gain has no p."
)
TOKENS: dict[Rule, str] = {  # what BLEU counts, by the rule of the target language
    "moses": "Moses tokens",
    "plain": "tokens of Moses' plain rules",
    "characters": "characters",
    "none": "the tokens of the text",
}
OF_CHARACTERS = "The tokens are characters, and all kinds of BLEU count characters."
OWN = "Rows that the paper does not have are our own."
OWN_VERDICT = (
    "Its verdict says whether it is higher or lower than the row that it is compared with."
)
Rows = Sequence[Compared]
Conditions = Mapping[str, Cell]  # by column of the CSV file


def title(params: Params, spec: TableSpec, rows: Rows) -> Title:
    """Return a table's title, such as "Table 1, English-German, experiment demo"."""
    direction = _direction(rows)
    return Title(spec.title, params.languages.title(direction), params.experiment)


def caption(
    params: Params, spec: TableSpec, rows: Rows, common: Conditions, papers_text: bool
) -> Caption:
    """Return what follows the title.

    Args:
        rows: the table's rows; at least one has a number of ours.
        common: the conditions under which all our systems were scored.
        papers_text: whether our numbers were measured on the paper's own set.
    """
    lead = [_measured(spec, rows, common), _text(spec, rows, papers_text)]
    parts = [
        _gain(spec, rows),
        _verdict(spec, rows, papers_text),
        _own(rows) if spec.published else "",
        spec.note,
    ]
    if len(spec.scripts) == 1:
        parts.append(_bleu(params, spec, rows))
    elif spec.scripts and _rule(params, rows) == "characters":
        parts.append(OF_CHARACTERS)
    source, target = (side.name for side in params.languages.sides("forward"))
    about_links = [LINKED] * _any(rows, "aer") + [READINGS] * spec.readings
    parts += [text.format(source=source, target=target) for text in about_links]
    parts += [REPLACED] * _any(rows, "reading")
    parts += _systems(rows)
    parts += marks(params, [row.line.row.model for row in rows]).notes.values()
    if spec.published:
        source = next(row.line.row.source for row in rows if row.line.row.source)
        parts.append(f"Paper: {source}, {paper_set(spec.printed_as or spec.name)}.")
    if len(spec.scripts) == 1:
        parts.append(f"Signature: {common['signature']}.")
    return Caption(*(" ".join(part for part in half if part) for half in (lead, parts)))


def _direction(rows: Rows) -> Direction:
    """Return the direction in which a table's systems translate."""
    return next(scores.direction for row in rows for scores in row.line.scores)


def _rule(params: Params, rows: Rows) -> Rule:
    """Return how the lines of the language that a table's systems write become tokens."""
    return params.languages.sides(_direction(rows))[1].tokenize


def _several(rows: Rows) -> bool:
    """Return whether a row has several seeds."""
    return any(len(row.line.systems) > 1 for row in rows)


def _any(rows: Rows, column: str) -> bool:
    """Return whether a row has something in a column of the CSV file."""
    return any(row.cells.get(column) is not None for row in rows)


def _measured(spec: TableSpec, rows: Rows, common: Conditions) -> str:
    """Say what was measured on which set."""
    sentences = []
    seeds = seed_words({row.line.seeds for row in rows if row.line.seeds})
    if spec.has_bleu:
        details = [f"{common['lines']} sentences", *seeds, f"beam {common['beam']}"]
        measured_set = f"{common['set']} ({', '.join(details)})"
        if len(spec.scripts) == 1:
            sentences.append(f"BLEU is measured on {measured_set}.")
        else:
            sentences.append(f"The same translations of {measured_set} are scored in five ways.")
    if _any(rows, "aer"):
        details = [f"{common['aligned_lines']} sentences"] + ([] if spec.has_bleu else seeds)
        kind = common["links"]
        links = f"{common['sure']:,} sure and {common['possible']:,} possible {kind} links"
        aligned_set = f"{common['aligned_set']} ({', '.join(details)}; {links})"
        sentences.append(f"AER is measured on {aligned_set}.{SILVER if kind == 'silver' else ''}")
    brackets = " in brackets" if spec.inside else ""
    if _several(rows):
        intervals = f"The 95% intervals{brackets} of several seeds hold for a new training."
    else:
        intervals = f"The 95% intervals{brackets} are for the sentences, by the bootstrap."
    return f"{' '.join(sentences)} {intervals}"


def seed_words(seeds: Collection[Sequence[str]]) -> list[str]:
    """Return one phrase about the seeds behind the numbers, or none where there are no seeds.

    Args:
        seeds: the seeds of each system; systems with the same seeds count once.
    """
    if len(seeds) > 1:
        return ["means over a model's seeds"]
    return [f"{'mean of seeds' if len(same) > 1 else 'seed'} {', '.join(same)}" for same in seeds]


def _text(spec: TableSpec, rows: Rows, papers_text: bool) -> str:
    """Say whether our numbers can be compared with the paper's."""
    if not spec.published or papers_text:
        return ""
    if not _any(rows, "gain"):
        return "Our text is not the paper's, so the numbers cannot be compared."
    return "Our text is not the paper's: compare gains, not numbers."


def _own(rows: Rows) -> str:
    """Say which rows are neither the paper's nor the diagonal, and what their verdicts say."""
    own = [r for r in rows if not r.line.row.source and r.line.row.model != DIAGONAL]
    if not own:
        return ""
    return f"{OWN} {OWN_VERDICT}" if any(row.verdict for row in own) else OWN


def _gain(spec: TableSpec, rows: Rows) -> str:
    """Say what the numbers in brackets are, and which gain p tests."""
    if not _any(rows, "gain"):
        return ""
    base = (
        "the number before unknown words are replaced"
        if spec.gain_from
        else "the system that the column “gain over” names"
    )
    sign = " A gain below 0 is an improvement." if spec.judged == "aer" else ""
    gain = f"A number in brackets is the gain over {base}.{sign}"
    if not _several(rows):
        return (
            f"{gain} The column “p” has the p-value of that gain, by approximate randomization. "
            f"{ONE_SEED}"
        )
    parts = [gain]
    if any(row.gain.interval for row in rows):
        parts.append(TESTED_SEEDS)
    if any(row.gain.value is not None and row.gain.interval is None for row in rows):
        parts.append(TESTED_SENTENCES)
    return " ".join(parts)


def _verdict(spec: TableSpec, rows: Rows, papers_text: bool) -> str:
    """Say what a verdict is, and what a difference is where one is shown."""
    difference = "The difference is our number less the paper's." if papers_text else ""
    if spec.judged is None or not _any(rows, "verdict"):
        return difference if spec.published else ""
    judged = METRICS[spec.judged].heading
    noise = f"It is “within noise” where p is {LEVEL} or more."
    if not spec.published:
        bases = {SUBWORDS.name: "with words", FAULTS.name: "without faults"}
        base = bases.get(spec.name, "that of the system in the column “gain over”")
        return f"The verdict says whether {judged} is higher or lower than {base}. {noise}"
    if papers_text:
        return (
            f"{difference} The verdict says whether the paper's {judged} lies in our interval, or ours "
            "is higher or lower."
        )
    return f"The verdict says whether our gain has the sign of the paper's gain. {noise}"


def _bleu(params: Params, spec: TableSpec, rows: Rows) -> str:
    """Say which text BLEU is computed on."""
    family = next(scores.family for row in rows for scores in row.line.scores)
    encoding = params.families[family].encoding
    nist = spec.script_of("bleu") == "nist"
    rule = _rule(params, rows)
    text = f"{TOKENS[rule]} (multi-bleu)"
    if nist:
        of = "the characters of " if rule == "characters" else ""
        text = f"{of}detokenized text (mteval-v13a)"
    case = "lower-cased" if encoding.lowercase else "case kept"
    cut = f" A sentence is cut to its last {encoding.length} words." if encoding.length else ""
    return f"BLEU is computed on {text}, {case}.{cut}"


def _systems(rows: Rows) -> list[str]:
    """Say what is special about a system."""
    sentences = [
        f"In place of the {row.line.row.system} we use {system.name}."
        for row in rows
        if row.line.row.model == ALIGNER
        for system in row.line.systems
    ]
    averages = [scores.average for row in rows for scores in row.line.scores if scores.average]
    sentences += [f"The ensemble averages its members' {average}." for average in averages]
    if _several(rows):
        sentences.append(SEVERAL_SEEDS)
    if not all(row.line.systems for row in rows):
        sentences.append(
            "Where a row has no number of ours, this experiment does not train its system."
        )
    return list(dict.fromkeys(sentences))
