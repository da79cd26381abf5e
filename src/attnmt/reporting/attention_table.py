"""The first table of a report on one's own text: each attention against the best system without."""

from attnmt.config import DIRECTIONS, Params
from attnmt.reporting.facts import facts, interval_of, limits_caption, value_of
from attnmt.reporting.table import Cell, Format, P, Table, table_of
from attnmt.scoring.numbers import Numbers
from attnmt.scoring.ranking import attention_pairs, ranked_systems

NAME, TITLE = "table_attention", "Does attention help?"
CAPTION = (
    "BLEU on tokens{how}. A gain counts from the best system on {dev} without attention; its interval "
    "and p {say}. “unk replace”: attention and a dictionary replaced unknown words."
)


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
    rows: dict[str, dict[str, Cell]] = {}
    for key, line in lines.items():
        perplexity = numbers.system(line.system, "ppl", dev)
        gain = numbers.gain(line, pairs.get(line))
        replaced = " + unk replace" if line.replacement == "after" else ""
        rows[key] = {
            "system": f"{line.system}{replaced}{' (best)' if [line.system] in best else ''}",
            "set": line.set if len(params.sets.tests) > 1 else None,
            f"ppl on {dev}": perplexity.value if perplexity else None,
            "BLEU": value_of(line),
            "BLEU, 95%": interval_of(line),
            "gain": gain.value if gain else None,
            "gain, 95%": interval_of(gain),
            "p": gain.p if gain else None,
            "gain over": gain.over if gain else None,
        }
    first = next(iter(lines.values()))
    several = any((line.trainings or 1) > 1 for line in lines.values())
    caption = CAPTION.format(
        how=f", beam {first.beam}" if first.beam else "",
        dev=dev,
        say="hold for other seeds and sentences" if several else "hold for other sentences",
    )
    formats = dict.fromkeys(("gain", "gain, 95%"), Format(1, signed=True)) | {"p": P}
    cards = {key: facts(params, [line]) for key, line in lines.items()}
    return table_of(NAME, TITLE, caption + limits_caption(lines.values()), rows, formats, cards)
