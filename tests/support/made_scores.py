"""A small scored experiment and made-up scores, for tests of scoring and of what reads scores."""

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import made_records
import numpy as np
import yaml
from demo_text import demo_lines, demo_links
from demo_values import demo_values
from real_text import spoil

from attnmt.config import LINKS, Params, load_params
from attnmt.corpora.links import flipped
from attnmt.files.text_file import write_json, write_lines, write_text
from attnmt.layout import Layout
from attnmt.scoring.evaluate import evaluate
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.score_table import BASELINES, ScoreRow, write_score_table
from attnmt.text.dictionary import write_dictionary
from attnmt.text.tokenizer import tokenizer
from attnmt.text.vocabulary import SPECIAL

ROOT = Path(__file__).parents[2]
LINES = 24  # of the small experiment's test set
KNOWN = 30  # target words of its vocabulary
ATTENTION = {"family": "words", "reverse": True, "attention": "global"}
SYSTEMS: dict[str, dict[str, Any]] = {
    "base": {"family": "words"},
    "base_reverse": {"family": "words", "reverse": True},
    "location": ATTENTION | {"score": "location"},
    "dot": ATTENTION | {"score": "dot"},
    "general": ATTENTION | {"score": "general"},
    "back": ATTENTION | {"score": "dot", "direction": "backward"},
}
SEEDS = {"location": 3, "dot": 3, "general": 3}
ROWS = {
    "table1": {
        "base": {"label": "Base", "system": "base"},
        "reverse": {"label": "+ reverse", "system": "base_reverse", "over": "base"},
        "global": {"label": "location", "system": "location", "over": "reverse"},
        "global_feed": {"label": "dot", "system": "dot", "over": "global"},
        "local_p_unk": {"label": "", "system": "dot", "replaced": True, "over": "global_feed"},
        "ensemble": {"label": "", "system": "both", "replaced": True, "over": "local_p_unk"},
    },
    "table6": {
        "global_location": {"label": "", "system": "location"},
        "local_m_general": {"label": "", "system": "dot", "over": "global_location"},
        "back": {"label": "", "system": "back"},
        "aligner": {"label": "", "system": "aligner", "over": "back"},
    },
}
MEASURED = {"table1": {"columns": ["bleu"]}, "table6": {"columns": ["aer"], "gain": "aer"}}
TABLES = {
    name: {"title": "", "caption": "", **how, "rows": ROWS[name]} for name, how in MEASURED.items()
}
# How many of the demo's gold links each system has wrong, and how much of its translations is spoiled
SHARES = {"base": 0.7, "base_reverse": 0.5, "location": 0.4, "dot": 0.3, "general": 0.35}
SHARES |= {"back": 0.3, "both": 0.2}


def make_scored(**changes: Any) -> Params:
    """Write a small experiment into the working folder, up to the scores of its systems.

    It has six systems, three of which have three seeds, and an ensemble of two of these for each seed.
    Its text and gold links are the demo's; translations and links are spoiled ones. ``changes``
    replace sections of the parameters.
    """
    values = demo_values()
    words = values["families"]["luong"] | {"encoding": {"vocabulary": 600}}
    values |= {"families": {"words": words}, "seeds": SEEDS}
    values["sets"] |= {"tests": ["test"], "aligned": ["test"]}
    values["evaluation"] = {"bootstrap_samples": 100, "length_group": 3}
    values |= changes
    both = {"family": "words", "members": ["location", "dot"]}
    systems = {"systems": SYSTEMS, "ensembles": {"both": both}, "tables": TABLES}
    for name, content in (("params", values), ("systems", systems)):
        text = yaml.safe_dump(content, sort_keys=False)
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    params = load_params(Path("params.yaml"))
    layout, (source, target) = Layout(params.experiment), params.languages.codes
    raw = {source: demo_lines("en", LINES), target: demo_lines("de", LINES)}
    split = {code: tokenizer(params.languages.of(code), False).tokenize for code in raw}
    text = {code: [" ".join(split[code](line)) for line in raw[code]] for code in raw}
    words = " ".join(text[target]).split()
    known = sorted(sorted({*words}), key=words.count)[-KNOWN:]
    gold = [_pharaoh(links.sure) for links in demo_links(LINES)]
    write_data(params, "words", text[target], gold, sources=text[source], raw=raw, known=known)
    for code in text:  # the constant baseline has BLEU 0
        write_lines(layout.tokens / f"{params.sets.dev}.{code}", ["x"])
    counts = {("house", "Haus"): 5, ("garden", "Garten"): 3, ("House", "Haus"): 2}
    layout.dictionary.mkdir()
    write_dictionary(layout.dictionary_file(source, target), counts, 2, side=0)
    write_dictionary(layout.dictionary_file(target, source), counts, 2, side=1)
    write_aligner(params)
    for aligned in params.sets.aligned:
        write_lines(layout.dictionary / f"{aligned}.links", _wrong(seed=9, share=0.1))
    for number, name in enumerate([*params.trainings, *params.ensembles]):
        _write_run(params, name, number, text, known)
        evaluate(params, name).write(params, name)
    for name in BASELINES:
        evaluate(params, name).write(params, name)
    return params


def _write_run(
    params: Params, name: str, number: int, text: Mapping[str, list[str]], known: Collection[str]
) -> None:
    share, backward = SHARES[params.runs_of(name)[0]], name == "back"
    before = spoil(text[params.sides(name)[1]], number, share)
    before = [" ".join(w if w in known else "<unk>" for w in line.split()) for line in before]
    after = [line.replace("<unk>", "Haus", 1) for line in before]
    write_outputs(params, name, before, after=after, links=_wrong(number, share, backward))
    if name in params.trainings:
        write_training(params, name)


def _wrong(seed: int, share: float, backward: bool = False) -> list[str]:
    """Return the demo's gold links, of which a share links the first source word."""
    chance = np.random.default_rng(seed)
    lines = [
        [(0 if chance.random() < share else i, j) for i, j in links.sure]
        for links in demo_links(LINES)
    ]
    return [_pharaoh(flipped(line) if backward else line) for line in lines]


def _pharaoh(links: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{i}-{j}" for i, j in links)


def write_data(
    params: Params,
    family: str,
    references: Sequence[str],
    gold: Sequence[str] | None = None,
    *,
    sources: Sequence[str] | None = None,
    raw: Mapping[str, Sequence[str]] | None = None,
    known: Collection[str] = (),
    pieces: bool = False,
) -> None:
    """Write every test set as a family reads it, with its gold links if there are any.

    Without ``sources`` the source side is equal to the target side. ``raw`` has the text before it was
    tokenized, by language.
    """
    layout, codes = Layout(params.experiment), params.languages.codes
    text = dict(zip(codes, (sources or references, references), strict=True))
    folder, vocabulary = layout.encoded(family), [*SPECIAL, *known]
    sets = dict.fromkeys(params.sets.tests, len(references))
    counts = {"vocabulary": dict.fromkeys(codes, len(vocabulary)), "pieces": pieces}
    changes = {"digest": f"{family:x<64}", "languages": codes, **counts}
    write_json(folder / "summary.json", made_records.summary(sets, codes=codes, **changes))
    for code, lines in text.items():
        write_lines(folder / f"vocab.{code}", vocabulary)
        for test in sets:
            write_lines(folder / f"{test}.{code}.tok", lines)
            write_lines(
                layout.tokens / f"{test}.{code}", [line.replace("@@ ", "") for line in lines]
            )
            write_lines(layout.raw / f"{test}.{code}", (raw or text).get(code, lines))
    for aligned in params.sets.aligned if gold is not None else ():
        write_gold(params, aligned, gold or [])


def write_outputs(params: Params, name: str, before: Sequence[str], **more: Sequence[str]) -> None:
    """Write translations of every test set; ``more`` may be ``after`` and ``links``."""
    layout, attends = Layout(params.experiment), params.attends(name)
    target = params.languages.of(params.sides(name)[1])
    rule, after = tokenizer(target, params.tokenize.split_hyphens), more.get("after", before)
    folder, links = layout.translations(name), more.get("links", [""] * len(before))
    for test in params.sets.tests:
        write_lines(folder / f"{test}.out", before)
        write_lines(folder / f"{test}.replaced", after)
        write_lines(folder / f"{test}.txt", [rule.detokenize(line.split()) for line in after])
    for aligned in params.sets.aligned if attends else ():
        write_lines(folder / f"{aligned}.forced.links", links)
    if attends:
        write_json(layout.offset(name), {"attention_offset": 1, "dev_aer": [0.5, 0.25]})


def write_training(params: Params, name: str) -> None:
    """Write the files of a training."""
    folder, model = Layout(params.experiment).model(name), params.trainings[name]
    own = {"experiment": params.experiment, "family": model.family, "seed": model.seed}
    own |= {"dataset_digest": f"{model.family:x<64}", "fingerprint": "f" * 16}
    write_json(folder / "config.json", made_records.config_of(params, name, **own))
    write_text(
        folder / "history.csv", "step,epoch,target_words,dev_cost\n10,1,500,2.5\n20,2,1500,2.0\n"
    )
    metrics = made_records.metrics(*params.sets.tests, dataset_digest=f"{model.family:x<64}")
    write_json(folder / "metrics.json", metrics)


def write_gold(params: Params, aligned: str, links: Sequence[str]) -> None:
    """Write the gold links of a set."""
    write_lines(Layout(params.experiment).tokens / f"{aligned}.{LINKS}", links)


def write_aligner(params: Params, **changes: Any) -> None:
    """Write what the dictionary stage says about the outside aligner."""
    content = {"system": "aligner 1.0, IBM 1", "pairs": 4000, "parts": 1, "min_count": 2}
    write_json(Layout(params.experiment).dictionary / "aligner.json", content | changes)


def score_lines(params: Params, name: str, value: float, aer: float = 0.5) -> list[ScoreRow]:
    """Return made-up scores: BLEU is ``value``, and 2 more after replacement; perplexity 100 less it."""
    system, model = params.translators(name), params.trainings.get(name)
    common: dict[str, Any] = {"kind": "training", "system": params.runs_of(name)[0], "model": name}
    common |= {"seed": model.seed if model else None, "trainings": 1, "family": system.family}
    common |= {"direction": params.trainings[system.members[0]].direction, "lines": 500}
    common |= {"data": f"{system.family:x<12}"}
    lines = []
    for test in params.sets.tests:
        on_set = common | {"set": test, "reference": "0123456789ab"}
        if model:
            lines.append(ScoreRow(**on_set, metric="ppl", value=100 - value))
        for after in (False, True):
            for step, metric in enumerate(METRICS.values()):
                number = value + 2 * after - step
                own = {"metric": metric.metric, "script": metric.script, "value": number}
                own |= {"signature": f"made|{metric.script}"}
                own |= {"low": number - 1, "high": number + 1, "search": params.decoding.named}
                lines.append(ScoreRow(**on_set, **own, replacement="after" if after else "before"))
    for aligned in params.sets.aligned if params.attends(name) else ():
        own = {"value": aer, "low": aer - 0.02, "high": aer + 0.02, "note": "4,000 sure links"}
        lines.append(ScoreRow(**common, set=aligned, metric="aer", **own))
    return lines


def write_scores(params: Params, name: str, value: float, aer: float = 0.5) -> None:
    """Write the scores that :func:`score_lines` returns, and the trainings of the models behind them."""
    write_score_table(Layout(params.experiment).scores(name), score_lines(params, name, value, aer))
    for member in params.translators(name).members:
        write_training(params, member)


def change_cells(
    path: Path, changes: Mapping[str, str], where: Callable[[Mapping[str, str]], bool]
) -> None:
    """Change cells of a CSV file by column, in the lines for which ``where`` is true."""
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, **changes} if where(row) else row for row in rows)
