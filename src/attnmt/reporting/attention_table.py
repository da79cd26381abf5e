"""The table of all systems on one's own text: BLEU, and each attention's gain over the best without."""

from attnmt.config import DIRECTIONS, Params
from attnmt.reporting.facts import facts, interval_of, limits_caption, value_of
from attnmt.reporting.table import Cell, Format, P, Table, table_of
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.published import printed_tables, unprinted_rows
from attnmt.scoring.ranking import attention_pairs, ranked_systems

NAME = "table_attention"
CAPTION = "BLEU on tokens{how}; intervals and p {say}."
GAIN = "A gain counts from the best system on {dev} without attention."
REPLACED = " “unk replace”: attention and a dictionary replaced unknown words."
IN_WINDOW = "“in window”: for this share of the sentences, local attention is global."


def attention_table(params: Params, numbers: Numbers) -> Table | None:
    """Return BLEU and gains by attention on every test set; None if the text is not one's own."""
    if not params.own_text:
        return None
    dev, pairs = params.sets.dev, dict(attention_pairs(params, numbers))
    best = [ranked_systems(params, numbers, direction)[:1] for direction in DIRECTIONS]
    lines = {
        f"{test}/{name}/{kind}": line
        for test in params.sets.tests
        for direction in DIRECTIONS
        for name in params.systems_and_ensembles
        if params.direction(name) == direction
        for kind in ("before", "after")[: 1 + params.replaces_words(name)]
        if (line := numbers.system(name, "bleu", test, "tokenized", kind))
    }
    if not lines:
        return None
    labels = {  # of rows that nobody has printed; the others describe the paper's systems
        row.system: row.label
        for table, key, row in unprinted_rows(params)
        if table in printed_tables()
    }
    rows: dict[str, dict[str, Cell]] = {}
    for key, line in lines.items():
        perplexity = numbers.system(line.system, "ppl", dev)
        inside = numbers.system(line.system, "in_window", line.set)
        gain = numbers.gain(line, pairs.get(line))
        replaced = " + unk replace" if line.replacement == "after" else ""
        rows[key] = {
            "system": f"{line.system}{replaced}{' (best)' if [line.system] in best else ''}",
            "row": labels.get(line.system),
            "set": line.set if len(params.sets.tests) > 1 else None,
            "seeds": float(line.trainings or 1),
            "BLEU": value_of(line),
            "BLEU, 95%": interval_of(line),
            "gain": gain.value if gain else None,
            "gain, 95%": interval_of(gain),
            "p": gain.p if gain else None,
            "gain over": gain.over if gain else None,
            f"ppl on {dev}": perplexity.value if perplexity else None,
            "in window": f"{inside.value:.0f}%" if inside and inside.value is not None else None,
        }
    first = next(iter(lines.values()))
    several = any((line.trainings or 1) > 1 for line in lines.values())
    caption = CAPTION.format(
        how=f", {first.search}" if first.search else "",
        dev=dev,
        say="hold for other seeds and sentences" if several else "hold for other sentences",
    )
    caption += REPLACED if any(line.replacement == "after" for line in lines.values()) else ""
    caption += limits_caption(lines.values())
    with_gains = any(cells["gain over"] for cells in rows.values())
    title = "Does attention help?" if with_gains else "The systems"
    formats = dict.fromkeys(("gain", "gain, 95%"), Format(1, signed=True))
    formats |= {"p": P, "seeds": Format(0), f"ppl on {dev}": Format(2)}
    cards = {key: facts(params, [line]) for key, line in lines.items()}
    notes = {"gain": GAIN.format(dev=dev), "in window": IN_WINDOW}
    return table_of(NAME, title, caption, rows, formats, cards, notes=notes)
