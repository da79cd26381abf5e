"""Made-up scores, trainings and outputs of an experiment, for tests of the tables."""

from collections.abc import Sequence
from typing import Any

import made_records
import numpy as np
import pytest

from attnmt.config import LINKS, Params
from attnmt.files.text_file import read_json, write_json, write_lines, write_text
from attnmt.layout import Layout
from attnmt.reporting import compare, lines
from attnmt.scoring.reference_links import link_kind
from attnmt.scoring.results import LinkScores, Script, read_scores
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.seed_statistics import Runs

SIGNATURE = "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:none|smooth:none|version:2.6.0"
NIST = SIGNATURE.replace("none", "13a")
DIGEST = "0123456789abcdef" * 4
READING = {
    "set": "dev",
    "unknown_words": 1200,
    "hits": {"same": 300, "next": 450},
    "chosen": "next",
    "authors": "same",
}
REPLACEMENTS = {
    "unknown": 700,
    "replaced": 600,
    "right": 450,
    "repeated": 30,
    "copied": 200,
    "copied_right": 180,
}
COMMIT = "89abcdef01234567" * 2 + "89abcdef-dirty"


def score(value: float, signature: str = SIGNATURE) -> dict[str, Any]:
    """Return a score with an interval of 1 to either side."""
    low, high = value - 1, value + 1
    return {"value": value, "low": low, "high": high, "signature": signature, "lines": 500}


def by_script(value: float) -> dict[str, Any]:
    """Return scores by every script; multi-bleu's is ``value``."""
    return {
        "tokenized": score(value),
        "nist": score(value - 0.5, NIST),
        "sacrebleu": score(value - 0.25, NIST),
        "chrf": score(value + 20, "chrF2|made"),
        "ter": score(100 - value, "TER|made"),
    }


def made_tests(monkeypatch: pytest.MonkeyPatch, p: float = 0.01) -> list[tuple[Any, ...]]:
    """Have every paired test return ``p``; return a list that fills with the pairs tested.

    In a test of translations each side is (name, replaced); in a test of links it is a name. Several
    seeds have the scores of their files; on every sentence they are alike.
    """
    tested: list[tuple[Any, ...]] = []

    def translation_p(params: Params, script: str, test: str, ours: Any, other: Any) -> float:
        tested.append((ours, other))
        return p

    def alignment_p(params: Params, aligned: str, ours: Any, other: Any) -> float:
        tested.append(tuple(one.name if one else "aligner" for one in (ours, other)))
        return p

    def translations(self: Study, name: str, script: Script, test: str, replaced: bool) -> Runs:
        sets = [
            read_scores(self.params.experiment, n).sets[test] for n in self.params.runs_of(name)
        ]
        return _runs([(one.after if replaced else one.before).by(script).value for one in sets])

    def alignments(self: Study, name: str, aligned: str, chosen: bool = False) -> Runs:
        runs = [read_scores(self.params.experiment, n) for n in self.params.runs_of(name)]
        links = [one.alignment(aligned) for one in runs]
        return _runs([one.aer for one in links if one])

    monkeypatch.setattr(Study, "translations", translations)
    monkeypatch.setattr(Study, "alignments", alignments)
    monkeypatch.setattr(compare, "translation_p", translation_p)
    monkeypatch.setattr(compare, "alignment_p", alignment_p)

    def aligner_score(params: Params, aligned: str) -> LinkScores | None:
        made = _links(params, aligned, 0.25)
        return None if link_kind(params, aligned) == "silver" else LinkScores(**made)

    def diagonal_score(params: Params, aligned: str) -> LinkScores:
        return LinkScores(**_links(params, aligned, 0.56))

    monkeypatch.setattr(lines, "aligner_score", aligner_score)
    monkeypatch.setattr(lines, "diagonal_score", diagonal_score)
    return tested


def with_seeds(params: Params, name: str, *seeds: int) -> Params:
    """Add models that differ from a model in the seed alone."""
    more = {f"{name}_{s}": params.models[name].model_copy(update={"seed": s}) for s in seeds}
    return params.model_copy(update={"models": params.models | more})


def _links(params: Params, aligned: str, rate: float) -> dict[str, Any]:
    """Return an error rate on an aligned set, with an interval of 0.02 to either side."""
    counts = {"lines": 500, "kind": link_kind(params, aligned), "sure": 4000, "possible": 4500}
    return {"set": aligned, "aer": rate, "low": rate - 0.02, "high": rate + 0.02} | counts


def _runs(values: list[float]) -> Runs:
    return Runs(np.array(values), np.zeros((len(values), 500)))


def write_scores(params: Params, name: str, value: float, aer: float = 0.5, **changes: Any) -> None:
    """Write the scores that :func:`scores_of` returns, and the trainings of the models behind them.

    ``changes`` replace entries at the top of the scores file.
    """
    scores = scores_of(params, name, value, aer)
    write_json(Layout(params.experiment).scores(name), scores | changes)
    for member in params.translators(name).members:
        write_training(params, member)


def scores_of(params: Params, name: str, value: float, aer: float = 0.5) -> dict[str, Any]:
    """Return the content of a scores file: BLEU ``value``, and 2 more after replacement.

    The perplexity is 100 - ``value``; an ensemble has none.
    """
    model, ensemble = params.models.get(name), params.ensembles.get(name)
    described = model or ensemble
    assert described is not None
    result = {
        "perplexity": None if ensemble else 100.0 - value,
        "lines": 500,
        "reference": "x",
        "written_reference": "data/demo/raw/x",
        "reference_sha256": DIGEST,
        "before": by_script(value),
        "after": by_script(value + 2),
        "lengths": [],
        "replacements": REPLACEMENTS if params.replaces_words(name) else None,
    }
    by_step = {"link_step": "same", "aer_by_link_step": {"same": aer, "next": 0.75}}
    alignments = [_links(params, aligned, aer) | by_step for aligned in params.sets.aligned]
    return {
        "stage": "evaluate",
        "experiment": params.experiment,
        "name": name,
        "models": params.translators(name).members,
        "average": ensemble.average if ensemble else None,
        "seed": model.seed if model else None,
        "family": described.family,
        "direction": params.models[params.translators(name).members[0]].direction,
        "beam": params.decoding.beam,
        "dataset_digest": f"{described.family:x<64}",
        "sets": {test: result for test in params.sets.tests},
        "alignments": alignments if params.attends(name) else [],
        "reading": READING if params.attends(name) else None,
    }


def write_training(params: Params, name: str, **changes: Any) -> None:
    """Write the files of a training that took 90 seconds; ``changes`` replace entries of provenance."""
    folder, model = Layout(params.experiment).model(name), params.models[name]
    own = {"experiment": params.experiment, "family": model.family, "seed": model.seed}
    own |= {"dataset_digest": f"{model.family:x<64}", "fingerprint": "f" * 16}
    made_records.save_weights(folder, made_records.config_of(params, name, **own))
    write_text(folder / "history.csv", "step,target_words,dev_cost\n10,500,2.5\n20,1500,2.0\n")
    write_json(folder / "metrics.json", made_records.metrics(*params.sets.tests))
    provenance = made_records.provenance(name, **own, commits=[COMMIT])
    write_json(folder / "provenance.json", provenance | changes)


def change_result(params: Params, name: str, test: str, **changes: Any) -> None:
    """Change entries of one test set in a scores file."""
    path = Layout(params.experiment).scores(name)
    scores = read_json(path)
    scores["sets"][test] |= changes
    write_json(path, scores)


def write_all(params: Params, start: float = 10.0, aer: float = 0.5, gold: bool = True) -> None:
    """Write the scores of all models and ensembles and the aligner's; each BLEU is 1 above the last.

    With ``gold`` each aligned set has gold links, and otherwise silver ones.
    """
    for aligned in params.sets.aligned if gold else ():
        write_gold(params, aligned, [])
    for step, name in enumerate([*params.models, *params.ensembles]):
        write_scores(params, name, start + step, aer)
    rate = aer - 0.25 if gold else None
    write_aligner(params, aer=dict.fromkeys(params.sets.aligned, rate))


def write_gold(params: Params, aligned: str, links: Sequence[str]) -> None:
    """Write the gold links of a set."""
    write_lines(Layout(params.experiment).tokens / f"{aligned}.{LINKS}", links)


def write_aligner(params: Params, **changes: Any) -> None:
    """Write the outside aligner's error rates."""
    content = {"system": "aligner 1.0, IBM 1", "aer": dict.fromkeys(params.sets.aligned, 0.25)}
    content |= {"pairs": 4000, "parts": 1, "min_count": 2}
    write_json(Layout(params.experiment).dictionary / "aligner.json", content | changes)


def write_data(params: Params, family: str, references: Sequence[str], gold: Sequence[str]) -> None:
    """Write the first test set as a family reads it, with its gold links.

    The English side has as many words as the German one.
    """
    layout, test = Layout(params.experiment), params.sets.tests[0]
    folder = layout.encoded(family)
    summary = made_records.summary({test: len(references)}, digest=f"{family:x<64}")
    write_json(folder / "summary.json", summary)
    for language in ("en", "de"):
        write_lines(folder / f"{test}.{language}.tok", references)
        write_lines(layout.tokens / f"{test}.{language}", references)
    write_gold(params, test, gold)
    write_lines(layout.raw / f"{test}.de", references)


def write_outputs(params: Params, name: str, before: Sequence[str], **more: Sequence[str]) -> None:
    """Write translations of the first test set; ``more`` may be ``after`` and ``links``."""
    folder, test = Layout(params.experiment).translations(name), params.sets.tests[0]
    write_lines(folder / f"{test}.out", before)
    write_lines(folder / f"{test}.replaced", more.get("after", before))
    write_lines(folder / f"{test}.forced.same.links", more.get("links", [""] * len(before)))
