"""The tables of scores: the paper's numbers and ours side by side, with tested gains and verdicts."""

from collections.abc import Iterable, Mapping, Sequence

from attnmt.config import ALIGNER, Params
from attnmt.reporting.facts import facts, interval_of, value_of
from attnmt.reporting.marks import LEARNING, learning_sign
from attnmt.reporting.published import paper_set
from attnmt.reporting.rows import Row
from attnmt.reporting.specs import Measure, Spec, specs_of
from attnmt.reporting.table import LEVEL, Cell, Format, P, Table, table_of
from attnmt.scoring.numbers import Line, Numbers

SENTENCES = 3  # the most that a caption has
DIGITS = 6  # decimals of a difference that are kept
# These columns stand in this order in every table.
GAIN_HEADINGS = ("difference", "paper gain", "gain", "gain, 95%", "p", "gain over", "verdict")
OTHER_TEXT = "Our text is not the paper's: compare gains, not numbers."


def score_tables(params: Params, numbers: Numbers) -> list[Table]:
    """Return the tables of scores in which the experiment has at least one number of its own."""
    made = [score_table(params, numbers, spec) for spec in specs_of(params)]
    return [table for table in made if table is not None]


def score_table(params: Params, numbers: Numbers, spec: Spec) -> Table | None:
    """Return one table of scores; None if the experiment has no number in it."""
    rows = {row.key: row for row in spec.rows(params, spec.name)}
    main = spec.gain or spec.measures[0]
    lines = {key: spec.number(params, numbers, row, main) for key, row in rows.items()}
    if not any(lines[key] for key, row in rows.items() if params.runs_of(row.system)):
        return None
    known = [line for line in lines.values() if line]
    return table_of(
        spec.name,
        spec.title,
        _caption(params, numbers, spec, list(rows.values()), known),
        {key: _cells(params, numbers, spec, row, rows) for key, row in rows.items()},
        _formats(spec),
        {
            key: facts(params, _lines(params, numbers, spec, row))
            | ({"recipe": row.meaning} if row.mark else {})
            for key, row in rows.items()
        },
        about=params.languages.title(next(line.direction for line in known if line.direction)),
    )


def _lines(params: Params, numbers: Numbers, spec: Spec, row: Row) -> list[Line]:
    """Return our numbers in a row."""
    found = [spec.number(params, numbers, row, measure) for measure in spec.measures]
    return [line for line in found if line]


def _formats(spec: Spec) -> dict[str, Format]:
    formats: dict[str, Format] = {"p": P, "seeds": Format(0)}
    for measure in spec.measures:
        name = measure.heading
        formats |= dict.fromkeys((f"paper {name}", name, f"{name}, 95%"), Format(measure.digits))
    if spec.gain:
        signed = Format(spec.gain.digits, signed=True)
        formats |= dict.fromkeys(("paper gain", "gain", "gain, 95%", "difference"), signed)
    return formats


def _cells(
    params: Params, numbers: Numbers, spec: Spec, row: Row, rows: Mapping[str, Row]
) -> dict[str, Cell]:
    """Return the cells of a row by their headings."""
    lines = _lines(params, numbers, spec, row)
    label = row.label + row.mark + learning_sign(params, numbers, row.system)
    if row.system == ALIGNER and lines:
        label += f" (ours: {lines[0].signature})"
    several = [line.trainings for line in lines if (line.trainings or 1) > 1]
    seeds = float(several[0] or 0) if several else None
    cells: dict[str, Cell] = {"system": label, "question": row.question, "seeds": seeds}
    for measure in spec.measures:
        line = spec.number(params, numbers, row, measure)
        if spec.paper:
            printed = _paper_line(numbers, spec, row, measure)
            value = None if printed is None else printed.value
            cells[f"paper {measure.heading}"] = printed.note if printed and value is None else value
        cells[measure.heading] = value_of(line)
        cells[f"{measure.heading}, 95%"] = interval_of(line) if measure.interval else None
    return cells | _gain_cells(params, numbers, spec, row, rows)


def _paper_line(
    numbers: Numbers, spec: Spec, row: Row, measure: Measure, kind: str = "system"
) -> Line | None:
    """Return what was printed of a measure in a row: the number, or with ``kind="gain"`` its gain."""
    replacement = measure.replacement or ("after" if row.replaced else "before")
    is_bleu = measure.metric == "bleu"
    key = f"{spec.paper}/{row.key}"
    return numbers.paper(key, measure.metric, replacement if is_bleu else None, kind)


def _gain_cells(
    params: Params, numbers: Numbers, spec: Spec, row: Row, rows: Mapping[str, Row]
) -> dict[str, Cell]:
    """Return the paper's gain and ours, its test, and what the two say together."""
    if spec.gain is None:
        return {}
    published = _paper_line(numbers, spec, row, spec.gain)
    ours = spec.number(params, numbers, row, spec.gain)
    if published is None or ours is None or published.set != ours.set:
        published = None  # measured on another text
    cells: dict[str, Cell] = dict.fromkeys(GAIN_HEADINGS)
    if published and ours and published.value is not None:
        cells["difference"] = round((ours.value or 0.0) - published.value, DIGITS)
    paper, gain, over = None, None, spec.over(row, rows)
    if over is not None:
        paper = _paper_gain(numbers, spec, row, over)
        gain = numbers.gain(ours, spec.number(params, numbers, over, spec.base or spec.gain))
        cells |= {"paper gain": paper, "gain": gain.value if gain else None}
        cells |= {"gain, 95%": interval_of(gain), "p": gain.p if gain else None}
        if spec.base is None and (gain or paper is not None):
            cells["gain over"] = over.label
    return cells | {"verdict": _verdict(ours, published, gain, paper)}


def _paper_gain(numbers: Numbers, spec: Spec, row: Row, over: Row) -> float | None:
    """Return the printed gain, or the difference of the printed numbers where none was printed."""
    if spec.gain is None or spec.paper is None:
        return None
    printed = _paper_line(numbers, spec, row, spec.gain, "gain")
    if printed:
        return printed.value
    one = _paper_line(numbers, spec, row, spec.gain)
    two = _paper_line(numbers, spec, over, spec.base or spec.gain)
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
    if gain.value == 0 or gain.p >= LEVEL:
        return "within noise"
    if not paper:  # none, or no difference that has a sign
        return "higher" if gain.value > 0 else "lower"
    return "same order" if (gain.value > 0) == (paper > 0) else "other order"


def _caption(
    params: Params, numbers: Numbers, spec: Spec, rows: Sequence[Row], lines: Sequence[Line]
) -> str:
    """Say what is measured, on which text, and what the marks mean."""
    line, seeds = lines[0], max(one.trainings or 1 for one in lines)
    detail = f"{line.lines:,} sentences"
    detail += f", beam {line.beam}" if line.beam else ""
    if seeds > 1:
        detail += f"; means over up to {seeds} seeds, ± their standard deviation"
    on = f"{line.set} ({detail})"
    if not spec.has_translations:
        links = next((one.note for one in lines if one.note), "")
        first = f"Alignment error rate on {on}, against {links}; lower is better."
    elif spec.gain is None:
        first = f"Translations of {on}."
    else:
        first = f"{_bleu_words(params, spec, line)} of {on}, with 95% intervals."
    compared = OTHER_TEXT if spec.paper and line.set != paper_set(spec.paper) else ""
    sentences = [first, compared, _marks(params, numbers, rows), spec.subject]
    return " ".join([sentence for sentence in sentences if sentence][:SENTENCES])


def _marks(params: Params, numbers: Numbers, rows: Iterable[Row]) -> str:
    """Say what the marks mean, if there are any."""
    marks = {
        "† another recipe of training": any(row.mark for row in rows),
        f"{LEARNING} a system that was still learning": any(
            learning_sign(params, numbers, row.system) for row in rows
        ),
    }
    meant = ", ".join(sign for sign, is_there in marks.items() if is_there)
    return f"Marks: {meant}." if meant else ""


def _bleu_words(params: Params, spec: Spec, line: Line) -> str:
    """Say on which text BLEU is computed."""
    family = params.families[line.family or next(iter(params.families))].encoding
    side = params.languages.sides(line.direction or "forward")[1]
    unit = {"moses": "Moses tokens", "characters": "characters"}.get(side.tokenize, "tokens")
    text = unit if spec.gain and spec.gain.script == "tokenized" else "detokenized text"
    case = ", lower-cased" if family.lowercase else ""
    cut = f", cut to its last {family.length} words" if family.length else ""
    return f"The table shows BLEU on {text}{case}{cut}"
