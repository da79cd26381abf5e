"""A report of a few systems: hand-written lines of scores.csv, and the files behind its figures.

System number k (from 0) has a perplexity of 9 - k / 10, BLEU 10 + k before unknown words are replaced
and 12 + k afterwards, and an AER of 0.25 - k / 100. Its costs fall toward k, and its word t attends to
t + k.
"""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import made_records
import yaml
from demo_values import demo_values

from attnmt.config import ALIGNER, DIAGONAL, LINKS, Params, TableRow, load_params
from attnmt.files.text_file import write_json, write_lines, write_text
from attnmt.layout import Layout
from attnmt.reporting.page import make_page
from attnmt.reporting.report import make_report
from attnmt.reporting.table import Interval, P, Size, Spread, Table, table_of
from attnmt.scoring.claim_lines import ClaimLine, write_claims
from attnmt.scoring.comparisons import compared_pairs
from attnmt.scoring.published import published_lines
from attnmt.scoring.score_table import ScoreRow, ScoreTable, write_score_table

ROOT = Path(__file__).parents[2]
MODELS = (
    *("base", "base_reverse", "base_reverse_dropout", "global_location_feed"),
    *("local_m_general_feed", "local_p_general_feed"),
    *("back_base_reverse", "back_global_dot_feed", "gru_additive"),
)
# A word that would end a script, open a tag, close an attribute
NASTY = "</script><b/title='x'>&\"é"
TEXT = {"en": ["a", "red", NASTY, "."], "de": ["ein", "rotes", NASTY, "."]}
LINES = 3
SCRIPTS = {"tokenized": 0.0, "nist": -0.5, "sacrebleu": -0.25}
COUNTS = {"unknown": 700, "replaced": 600, "right": 450}
COUNTS |= {"repeated": 30, "copied": 200, "copied_right": 180}


def made_params(*systems: str, seeds: int = 1, file: str = "params.yaml") -> Params:
    """Return an experiment's parameters with some systems, by default all, and ``seeds`` of each.

    There are ensembles, each of one seed, if there are all systems.
    """
    params = load_params(ROOT / file, ROOT)
    firsts = {name: one for name, one in params.trainings.items() if one.seed == 1}
    models = {
        f"{name}_{seed}" if seed > 1 else name: firsts[name].model_copy(update={"seed": seed})
        for name in systems or firsts
        for seed in range(1, seeds + 1)
    }
    kept = {
        name: one
        for name, one in params.ensembles.items()
        if one.seed == 1 and set(one.members) <= set(models)
    }
    return params.model_copy(update={"trainings": models, "ensembles": kept})


def with_rows(params: Params, table: str, rows: Mapping[str, TableRow]) -> Params:
    """Return the parameters with other rows in one table."""
    changed = params.tables[table].model_copy(update={"rows": dict(rows)})
    return params.model_copy(update={"tables": params.tables | {table: changed}})


def of_own_text(params: Params) -> Params:
    """Return the parameters with a text that is not the demo's."""
    corpus = params.corpus.model_copy(update={"text": "my-text"})
    return params.model_copy(update={"corpus": corpus})


def own_numbers(params: Params) -> ScoreTable:
    """Return the numbers of an experiment on one's own text, with the gains that its report shows."""
    made = made_numbers(params, published=False)
    lines = [line for line in made.lines if line.kind != "gain"]
    pairs = dict.fromkeys(
        pair for test in params.sets.tests for pair in compared_pairs(params, made, test)
    )
    return ScoreTable([*lines, *(made_gain(*pair) for pair in pairs)])


def made_numbers(params: Params, published: bool = True) -> ScoreTable:
    """Return numbers of every system, and the gain of each over every other, with p = 0.01."""
    names = [name for name in params.trainings if params.runs_of(name)[0] == name]
    systems = [
        line
        for k, name in enumerate([*names, *params.ensembles])
        for line in _lines(params, name, k)
    ]
    links = {"set": params.sets.aligned[0], "lines": 500, "note": _links("gold")}
    for name, value in ((ALIGNER, 0.25), (DIAGONAL, 0.56)):
        how = "aligner 1.0" if name == ALIGNER else None
        systems.append(made_line(name, "aer", value, signature=how, margin=0.02, **links))
    paper = list(published_lines(params)) if published else []
    return ScoreTable([*paper, *systems, *_gains(systems)])


def made_line(system: str, metric: str, value: float, margin: float = 0, **fields: Any) -> ScoreRow:
    """Return our number of a system, with an interval of ``margin`` to either side unless it is 0."""
    bounds = {"low": value - margin, "high": value + margin} if margin else {}
    common = {"kind": "system", "system": system, "metric": metric, "value": value}
    return ScoreRow.model_validate(common | bounds | fields)


def made_gain(ours: ScoreRow, other: ScoreRow, p: float | None = 0.01) -> ScoreRow:
    """Return the gain of one number over another, with an interval of 0.5 to either side."""
    value = round((ours.value or 0) - (other.value or 0), 6)
    changes = {"kind": "gain", "value": value, "low": value - 0.5, "high": value + 0.5, "p": p}
    changes |= {"over": other.system, "over_replacement": other.replacement, "sd": None}
    return ours.model_copy(update=changes)


def made_table() -> Table:
    """Return a table with every kind of cell."""
    rows = {
        "a": {"system": NASTY, "n": 1234.5678, "range": Interval(-0.25, 10.0), "empty": None},
        "b": {"system": "50% of a_b & c|d <unk> $x$ {y} ^ ~ # \\", "n": Spread(10.04, 0.55)},
        "c": {"system": "plain", "n": "x", "size": Size(-0.0004, 3), "p": 0.0004},
    }
    return table_of("made", "Made up", "A caption of <unk> & more.", rows, {"p": P}, ["A note."])


def least_letters(path: Path) -> float:
    """Return the size of the smallest type in a figure's SVG, in points."""
    sizes = re.findall(r"font(?:-size)?: (?:[\w-]+ )*([\d.]+)px", path.read_text(encoding="utf-8"))
    return min(map(float, sizes))


def changed(numbers: ScoreTable, line: ScoreRow | None, **fields: Any) -> ScoreTable:
    """Return the numbers with fields of one line changed."""
    assert line is not None
    new = ScoreRow.model_validate(line.model_dump() | fields)
    return ScoreTable([new if one is line else one for one in numbers.lines])


def made_claim(key: str, **fields: Any) -> ClaimLine:
    """Return a confirmed claim about BLEU; the paper has +1.3 and we have +4."""
    values = {"key": key, "claim": f"Claim {key} holds.", "where": "Table 1", "paper": 1.3}
    values |= {"verdict": "confirmed", "measure": "BLEU", "ours": 4.0, "low": 3.0, "high": 5.0}
    values |= {"p": 0.001, "p_holm": 0.002, "seeds": "5"}
    values |= {"sign": "greater", "bound": 0.0, "compare": "mean", "systems": "base_reverse"}
    values |= {"over": "base", "set": "test1"} | fields
    return ClaimLine.model_validate(values)


def write_report(
    models: Sequence[str] = MODELS, claims: Sequence[ClaimLine] = (), seeds: int = 1
) -> Params:
    """Write all that a report is made of into the working folder; return the parameters."""
    values = demo_values() | {"systems": list(models), "seeds": seeds}
    write_text(Path("params.yaml"), yaml.safe_dump(values, sort_keys=False))
    for file in ("systems.yaml", "claims.yaml"):
        shutil.copy(ROOT / file, file)
    params = load_params(Path("params.yaml"))
    layout = Layout(params.experiment)
    for test in (params.sets.dev, *params.sets.tests):
        for language, words in TEXT.items():
            for folder in (layout.raw, layout.tokens):
                write_lines(folder / f"{test}.{language}", [" ".join(words)] * LINES)
        write_lines(layout.tokens / f"{test}.{LINKS}", ["0-0 1-1 2-2"] * LINES)
    for family in params.families:
        folder = layout.encoded(family)
        sets = {params.sets.train: 20000, **dict.fromkeys(params.sets.tests, LINES)}
        write_json(folder / "summary.json", made_records.summary(sets))
        for language, words in TEXT.items():
            text = [" ".join(words)] * LINES
            write_lines(folder / f"{params.sets.aligned[0]}.{language}.tok", text)
    for name in params.trainings:
        _write_model(params, layout, name, models.index(params.runs_of(name)[0]))
    write_score_table(layout.score_table, made_numbers(params).lines)
    write_claims(params, claims)
    return params


def page_of(params: Params) -> str:
    """Return the page that the report stage makes."""
    return make_page(params, make_report(params))


def _lines(params: Params, name: str, k: int) -> Iterator[ScoreRow]:
    """Yield the numbers of system ``k``: what its trainings cost, then its means over them."""
    runs, ensemble = params.runs_of(name), params.ensembles.get(name)
    first = params.trainings[params.translators(name).members[0]]
    several = len(runs) > 1
    common = {"family": first.family, "direction": first.direction, "trainings": len(runs)}
    common |= {"sd": 0.5, "seed": None} if several else {"seed": None if ensemble else 1}
    for run in () if ensemble else runs:
        own = {**common, "model": run, "seed": params.trainings[run].seed}
        own |= {"kind": "training"} if several else {}
        costs = {"parameters": 1200, "steps": 20, "target_words": 1500, "epochs": 2}
        for metric, value in costs.items():
            own |= {"sd": None, "trainings": 1}
            yield made_line(name, metric, value, **own)
            if several and run == runs[0]:  # the system's own line, the mean over its trainings
                mean = {**common, "sd": 0.0}
                yield made_line(name, metric, value, **mean)
    if not ensemble:
        yield made_line(name, "ppl", 9 - k / 10, set=params.sets.dev, **common)
    for test in params.sets.tests:
        on = common | {"set": test, "lines": 500, "reference": "0123456789ab"}
        if not ensemble:
            yield made_line(name, "ppl", 9 - k / 10, **on)
        on |= {"search": params.decoding.named, "signature": f"made|{NASTY}"}
        for after in (False, True):
            on["replacement"] = "after" if after else "before"
            value = 10.0 + k + (2 if after else 0)
            for script, less in SCRIPTS.items():
                yield made_line(name, "bleu", value + less, 1, script=script, **on)
            yield made_line(name, "chrf", value + 20, 1, **on)
            yield made_line(name, "ter", 100 - value, 1, **on)
            if test == params.sets.tests[0]:
                for group in (1, 2, 3):
                    few = {"max_words": 5 * group, "script": "tokenized", "lines": 100}
                    yield made_line(name, "bleu", value + group, **on | few)
        del on["replacement"]
        if params.replaces_words(name):
            for metric, count in COUNTS.items():
                yield made_line(name, metric, count, **on)
    if params.attends(name):
        on = common | {"set": params.sets.aligned[0], "lines": 500, "note": _links("gold")}
        yield made_line(name, "aer", 0.25 - k / 100, 0.02, **on)


def _links(kind: str) -> str:
    return f"4,000 sure and 4,500 possible {kind} links"


def _gains(lines: Sequence[ScoreRow]) -> Iterator[ScoreRow]:
    """Yield the gain of each number over the same number of every other system, and by replacement."""
    kinds: dict[Any, list[ScoreRow]] = {}
    for line in lines:
        shown = line.metric == "aer" or line.script in ("tokenized", "nist")
        if line.kind == "system" and shown and line.max_words is None:
            kinds.setdefault((line.metric, line.set, line.script), []).append(line)
    for alike in kinds.values():
        for ours in alike:
            for other in alike:
                replaced = ours.replacement == "after" and other.replacement == "before"
                if (
                    replaced
                    if ours.system == other.system
                    else ours.replacement == other.replacement
                ):
                    yield made_gain(ours, other)


def _write_model(params: Params, layout: Layout, name: str, number: int) -> None:
    """Write a model's learning curve, translations and attention."""
    model, test = params.trainings[name], params.sets.tests[0]
    source, target = params.sides(name)
    costs = "".join(f"{step},9,{number + 1000 / step:.3f}\n" for step in (100, 200, 300))
    write_text(layout.model(name) / "history.csv", f"step,target_words,{test}_cost\n{costs}")
    folder = layout.translations(name)
    for one in params.sets.tests:
        write_lines(folder / f"{one}.txt", [" ".join(TEXT[target])] * LINES)
    if model.attention != "none":
        for turned, file in enumerate((f"{test}.forced.attention.json", f"{test}.attention.json")):
            write_json(folder / file, _attention(source, target, number + turned))


def _attention(source: str, target: str, turned: int) -> list[dict[str, Any]]:
    """Return matrices that give target word t a weight of 0.6 on source word t + turned."""
    words, size = TEXT[source], len(TEXT[source])
    spot = [(t + turned) % size for t in range(size + 1)]
    weights = [[0.6 if s == at else 0.4 / (size - 1) for s in range(size)] for at in spot]
    sample = {"source": words, "target": [*TEXT[target], "</s>"], "weights": weights}
    return [{"line": line} | sample for line in range(LINES)]
