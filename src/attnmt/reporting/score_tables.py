"""The tables of scores: the paper's numbers and ours side by side, with tested gains and verdicts."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from attnmt.config import ALIGNER, Params
from attnmt.reporting.doubts import unlearned
from attnmt.reporting.facts import facts, interval_of, limits_caption, value_of
from attnmt.reporting.rows import Row
from attnmt.reporting.specs import (
    AER_CHOSEN,
    BLEU,
    BLEU_BEFORE,
    BLEU_UNK,
    OF_TRANSLATIONS,
    Measure,
    Spec,
    specs_of,
)
from attnmt.reporting.table import Cell, Format, P, Table, table_of
from attnmt.scoring.limits import NOT_COMPARED
from attnmt.scoring.numbers import (
    AUTHORS,
    CHOSEN,
    DIGITS,
    READINGS,
    WORDS,
    Line,
    Numbers,
)
from attnmt.scoring.published import paper_set, printed_tables
from attnmt.scoring.ranking import LEARNING, learning_sign
from attnmt.scoring.verdicts import ALPHA

# These columns stand in this order in every table.
GAIN_HEADINGS = ("difference", "paper gain", "gain", "gain, 95%", "p", "gain over", "verdict")
OF_RATES = {  # what they are called where a lower number is the better one
    "paper gain": "paper change",
    "gain": "change, minus is better",
    "gain, 95%": "change, minus is better, 95%",
    "gain over": "change from",
}
STEPS = "chosen, words', program's step"
CHOICES = (
    "; on {dev} the chosen step has links nearer to the outside aligner's, and the words' step restores "
    "more unknown words."
)
OTHER_TEXT = "Our text is not the paper's{instead}."


def score_tables(params: Params, numbers: Numbers) -> list[Table]:
    """Return the tables of scores in which the experiment has at least one number of its own."""
    made = [score_table(params, numbers, spec) for spec in specs_of(params)]
    return [table for table in made if table is not None]


def score_table(params: Params, numbers: Numbers, spec: Spec) -> Table | None:
    """Return one table of scores; None if the experiment has no number in it."""
    scores = Scores(params, numbers, spec)
    rows, measure = scores.rows, scores.main
    main = {key: scores.ours(row, measure) for key, row in rows.items()}
    if not any(main[key] for key, row in rows.items() if params.runs_of(row.system)):
        return None
    known = [line for line in main.values() if line]
    ways = {params.languages.title(line.direction) for line in known if line.direction}
    gain, p = [scores.named(heading) for heading in ("gain", "gain, 95%")], ["p", "verdict"]
    return table_of(
        spec.name,
        spec.title,
        _caption(scores, known),
        {key: _cells(scores, row) for key, row in rows.items()},
        _formats(scores),
        {key: _card(scores, row) for key, row in rows.items()},
        about=", ".join(filter(None, [spec.about, *(ways if len(ways) == 1 else ())])),
        narrow=[["system", scores.named("gain over")], [measure.heading, "seeds"], gain, p]
        if scores.gain
        else (),
        doubts=unlearned(params, numbers, scores.decided()),
    )


class Scores:
    """The rows of one table and their numbers.

    Attributes:
        rows: by their keys.
        measures: its columns of numbers.
        gain: the measure whose gain the table shows.
        main: that measure, or the first one of a table without gains.
        is_published: whether the paper or the course report has the table.
        base: the measure of the same row from which the gain counts, if it is no other row's.
    """

    def __init__(self, params: Params, numbers: Numbers, spec: Spec) -> None:
        """Find the rows, and how they are compared."""
        self.params, self.numbers, self.spec = params, numbers, spec
        self.rows = {row.key: row for row in spec.rows(params, spec.table)}
        how = params.comparisons.get(spec.table)
        self.gain: Measure | None = None
        self.base: Measure | None = None
        self.measures = spec.measures
        if how:
            self.measures = tuple(_scored_by(how.script, one) for one in spec.measures)
            bleu = _scored_by(how.script, BLEU if how.of == "row" else BLEU_UNK)
            self.gain = AER_CHOSEN if how.metric == "aer" else bleu
            self.base = _scored_by(how.script, BLEU_BEFORE) if how.of == "replacement" else None
        self.main = self.gain or spec.measures[0]
        self.is_published = spec.table in printed_tables()
        self._test = params.sets.tests[-1 if how and how.test == "last" else spec.at]

    def over(self, row: Row) -> Row | None:
        """Return the row from which the gain of a row counts."""
        return row if self.base else self.rows.get(row.over or "")

    def ours(self, row: Row, measure: Measure) -> Line | None:
        """Return our number in a row."""
        of_links = measure.metric.startswith("aer")
        test = self.params.sets.aligned[self.spec.at] if of_links else self._test
        replacement = measure.replacement
        if replacement is None and measure.metric in OF_TRANSLATIONS:
            replacement = "after" if row.replaced else "before"
        return self.numbers.system(row.system, measure.metric, test, measure.script, replacement)

    def by_recipes(self, row: Row) -> dict[str, Row]:
        """Return a row as other recipes train its system, by recipe, where they train it anew."""
        names = {r: self.params.system_under(r, row.system or "") for r in self.params.recipes}
        return {
            recipe: replace(row, system=name)
            for recipe, name in names.items()
            if name not in (None, row.system)
        }

    def tested(self, row: Row) -> Line | None:
        """Return the gain of a row; None if it has none."""
        over = self.over(row)
        if over is None or self.gain is None:
            return None
        ours, other = self.ours(row, self.gain), self.ours(over, self.base or self.gain)
        return self.numbers.gain(ours, other, self.gain.metric)

    def decided(self) -> list[Line]:
        """Return the gains that several seeds decide."""
        gains = filter(None, map(self.tested, self.rows.values()))
        return [
            one for one in gains if (one.trainings or 1) > 1 and one.p is not None and one.p < ALPHA
        ]

    def named(self, heading: str) -> str:
        """Return what one of GAIN_HEADINGS is called in this table."""
        return OF_RATES.get(heading, heading) if self.gain is AER_CHOSEN else heading

    def lines(self, row: Row) -> list[Line]:
        """Return all our numbers in a row."""
        return [line for one in self.measures if (line := self.ours(row, one))]

    def printed(self, row: Row, measure: Measure, kind: str = "system") -> Line | None:
        """Return what was printed in a row: the number, or with ``kind="gain"`` its gain."""
        replacement = measure.replacement or ("after" if row.replaced else "before")
        is_bleu, key = measure.metric == "bleu", f"{self.spec.table}/{row.key}"
        metric = "aer" if measure.metric.startswith("aer") else measure.metric
        return self.numbers.paper(key, metric, replacement if is_bleu else None, kind)

    def sign(self, row: Row) -> str:
        """Return what follows the label of a system that was still learning."""
        return learning_sign(self.params, self.numbers, row.system)


def _card(scores: Scores, row: Row) -> dict[str, str]:
    """Return where the numbers of a row come from."""
    card = facts(scores.params, scores.lines(row))
    if row.mark:
        card["recipe"] = row.meaning
    for recipe, other in scores.by_recipes(row).items():
        if scores.ours(other, scores.main):
            card[f"by recipe {recipe}"] = str(other.system) + scores.sign(other)
    return card


def _formats(scores: Scores) -> dict[str, Format]:
    formats: dict[str, Format] = {"p": P, "seeds": Format(0)}
    for measure in scores.measures:
        name, by_recipes = measure.heading, [_by(measure, one) for one in scores.params.recipes]
        headings = (_printed(measure), name, f"{name}, 95%", *by_recipes)
        formats |= dict.fromkeys(headings, Format(measure.digits))
    if scores.gain:
        signed = Format(scores.gain.digits, signed=True)
        gains = ("paper gain", "gain", "gain, 95%", "difference")
        formats |= dict.fromkeys(map(scores.named, gains), signed)
    return formats


def _scored_by(script: str, measure: Measure) -> Measure:
    """Return a measure by another script, if it is BLEU."""
    return replace(measure, script=script) if measure.metric == "bleu" else measure


def _printed(measure: Measure) -> str:
    """Return the heading of published numbers; an error rate was published at one step."""
    return f"paper {measure.heading.partition(',')[0]}"


def _by(measure: Measure, recipe: str) -> str:
    return f"{measure.heading}, recipe {recipe}"


def _cells(scores: Scores, row: Row) -> dict[str, Cell]:
    """Return the cells of a row by their headings."""
    lines, label = scores.lines(row), row.label + row.mark + scores.sign(row)
    if row.system == ALIGNER and lines:
        label += f" (ours: {lines[0].signature})"
    several = [line.trainings for line in lines if (line.trainings or 1) > 1]
    seeds = float(several[0] or 0) if several else None
    cells: dict[str, Cell] = {"system": label, "question": row.question, "seeds": seeds}
    for measure in scores.measures:
        line = scores.ours(row, measure)
        printed = scores.printed(row, measure) if scores.is_published else None
        value = printed.value if printed else None
        cells[_printed(measure)] = printed.note if printed and value is None else value
        cells[measure.heading] = value_of(line)
        cells[f"{measure.heading}, 95%"] = interval_of(line) if measure.interval else None
        if measure.heading == scores.main.heading:
            others = scores.by_recipes(row)
            for recipe in scores.params.recipes:
                other = others.get(recipe)
                number = scores.ours(other, measure) if other else None
                cells[_by(measure, recipe)] = value_of(number)
    if AER_CHOSEN in scores.measures:
        cells[STEPS] = _steps(scores, row)
    if scores.gain:
        gains = _gain_cells(scores, row, scores.gain)
        cells |= {scores.named(heading): cell for heading, cell in gains.items()}
    return cells


def _steps(scores: Scores, row: Row) -> str | None:
    """Return the step of each reader of attention; seeds may differ in theirs.

    Scores that older code wrote have no reader of words.
    """
    read = [scores.ours(row, Measure("", READINGS[one])) for one in (CHOSEN, WORDS, AUTHORS)]
    steps = [line.script or "by seed" if line and line.readers else "–" for line in read]
    return ", ".join(steps) if set(steps) != {"–"} else None


def _gain_cells(scores: Scores, row: Row, measure: Measure) -> dict[str, Cell]:
    """Return the paper's gain and ours, its test, and what the two say together."""
    published, ours = scores.printed(row, measure), scores.ours(row, measure)
    if published is None or ours is None or published.set != ours.set:
        published = None  # measured on another text
    cells: dict[str, Cell] = dict.fromkeys(GAIN_HEADINGS)
    if published and ours and published.value is not None:
        cells["difference"] = round((ours.value or 0.0) - published.value, DIGITS)
    paper, gain, over = None, None, scores.over(row)
    if over is not None:
        paper = _paper_gain(scores, row, over, measure) if scores.is_published else None
        gain = scores.tested(row)
        cells |= {"paper gain": paper, "gain": gain.value if gain else None}
        cells |= {"gain, 95%": interval_of(gain), "p": gain.p if gain else None}
        if scores.base is None and (gain or paper is not None):
            cells["gain over"] = over.label
    return cells | {"verdict": _verdict(ours, published, gain, paper)}


def _paper_gain(scores: Scores, row: Row, over: Row, measure: Measure) -> float | None:
    """Return the printed gain, or the difference of the printed numbers where none was printed."""
    if printed := scores.printed(row, measure, "gain"):
        return printed.value
    one = scores.printed(row, measure)
    two = scores.printed(over, scores.base or measure)
    if one is None or two is None or one.value is None or two.value is None:
        return None
    return round(one.value - two.value, DIGITS)


def _verdict(
    ours: Line | None, published: Line | None, gain: Line | None, paper: float | None
) -> str | None:
    """Say whether the number of several seeds agrees with the paper's; one seed has no verdict.

    On the paper's set the numbers are compared, and on other sets the signs of the gains. A row that was
    not published is higher or lower than the row that it is compared with.
    """
    if ours is None or (ours.trainings or 1) < 2:
        return None
    if published is not None and published.value is not None and ours.low is not None:
        low, high = ours.low, ours.high or ours.low
        return (
            "higher" if published.value < low else "lower" if published.value > high else "agrees"
        )
    if gain is None or gain.p is None or gain.value is None or (gain.trainings or 1) < 2:
        return None
    if gain.value == 0 or gain.p >= ALPHA:
        return "within noise"
    if not paper:  # none, or no difference that has a sign
        return "higher" if gain.value > 0 else "lower"
    return "same order" if (gain.value > 0) == (paper > 0) else "other order"


def _caption(scores: Scores, lines: Sequence[Line]) -> str:
    """Say what is measured, on which text, and what the marks mean."""
    spec, line, seeds = scores.spec, lines[0], max(one.trainings or 1 for one in lines)
    detail = f"{line.lines:,} sentences"
    detail += f", {line.search}" if line.search else ""
    if seeds > 1:
        detail += f"; means of up to {seeds} seeds ± standard deviation"
    on = f"{line.set} ({detail})"
    if not any(measure.metric in OF_TRANSLATIONS for measure in scores.measures):
        links = next((one.note for one in lines if one.note), "").partition(";")[0]
        first = f"Alignment error rate on {on}, against {links}; lower is better."
    elif scores.gain is None:
        first = f"Translations of {on}."
    else:
        first = f"{_bleu_words(scores, line)} of {on}, with 95% intervals{_gains(scores)}."
    shown = [line for row in scores.rows.values() for line in scores.lines(row)]
    is_chosen = any(WORDS in (line.readers or "") for line in shown)  # older code did not choose so
    if is_chosen and not any(NOT_COMPARED in (line.note or "") for line in shown):
        first = first.removesuffix(".") + CHOICES.format(dev=scores.params.sets.dev)
    other_text = scores.is_published and line.set != paper_set(spec.table)
    instead = ": compare gains" if any(map(scores.tested, scores.rows.values())) else ""
    compared = OTHER_TEXT.format(instead=instead) if other_text else ""
    marks = dict.fromkeys(row.mark for row in scores.rows.values() if row.mark)
    meanings = {
        f"{' '.join(marks)} another recipe of training": bool(marks),
        f"{LEARNING} still learning": any(map(scores.sign, scores.rows.values())),
    }
    meant = ", ".join(sign for sign, is_there in meanings.items() if is_there)
    sentences = [first, compared, f"Marks: {meant}." if meant else "", spec.subject]
    caption = " ".join(filter(None, sentences))
    # Limits are mostly those of intervals, and no caption speaks of one that is not shown.
    bounded = (one for one in scores.measures if one.interval)
    with_interval = (scores.ours(*both) for both in product(scores.rows.values(), bounded))
    return caption + limits_caption(filter(None, with_interval))


def _gains(scores: Scores) -> str:
    """Say what gains are counted of, where it is not the first column of BLEU."""
    if scores.gain is None or scores.gain.heading == BLEU.heading:
        return ""
    start = f"from {scores.base.heading} to" if scores.base else "of"
    return f" and gains {start} {scores.gain.heading}"


def _bleu_words(scores: Scores, line: Line) -> str:
    """Say on which text BLEU is computed."""
    params, gain = scores.params, scores.gain
    family = params.families[line.family or next(iter(params.families))].encoding
    side = params.languages.sides(line.direction or "forward")[1]
    unit = {"moses": "Moses tokens", "none": "tokens"}.get(side.tokenize, side.tokenize)
    text = unit if gain and gain.script == "tokenized" else "detokenized text"
    case = ", lower-cased" if family.lowercase else ""
    cut = f" (of each sentence the last {family.length})" if family.length else ""
    return f"The table shows BLEU on {text}{case}{cut}"
