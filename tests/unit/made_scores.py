"""Made-up scores of every model and ensemble of a profile, for tests of the tables."""

from pathlib import Path
from typing import Any

from attnmt.config import Params
from attnmt.files import read_json, write_json
from attnmt.layout import Layout

SIGNATURE = "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:none|smooth:none|version:2.6.0"
NIST = SIGNATURE.replace("none", "13a")
DIGEST = "0123456789abcdef" * 4


def bleu(value: float, signature: str = SIGNATURE) -> dict[str, Any]:
    """A BLEU with an interval of 1 to either side."""
    low, high = value - 1, value + 1
    return {"value": value, "low": low, "high": high, "signature": signature, "lines": 500}


def write_scores(
    params: Params, name: str, value: float, aer: float | None = 0.5, **changes: Any
) -> None:
    """Write scores: BLEU ``value``, 2 more after replacement, half less in NIST's.

    The perplexity is 100 less ``value``, none of an ensemble. ``changes`` are of the whole file.
    """
    model, ensemble = params.models.get(name), params.ensembles.get(name)
    described = model or ensemble
    assert described is not None
    result = {
        "perplexity": None if ensemble else 100.0 - value,
        "lines": 500,
        "reference": "x",
        "reference_sha256": DIGEST,
        "before": {"tokenised": bleu(value), "nist": bleu(value - 0.5, NIST)},
        "after": {"tokenised": bleu(value + 2), "nist": bleu(value + 1.5, NIST)},
    }
    alignment = {
        "set": params.sets.aligned,
        "lines": 500,
        "link_step": params.decoding.link_step,
        "aer": aer,
        "aer_by_link_step": {"same": aer, "next": 0.75, "authors": 0.625},
        "sure": 4000,
        "possible": 4500,
    }
    scores = {
        "stage": "evaluate",
        "profile": params.profile,
        "name": name,
        "models": params.translators(name).members,
        "average": ensemble.average if ensemble else None,
        "seed": model.seed if model else None,
        "family": described.family,
        "direction": params.models[params.translators(name).members[0]].direction,
        "beam": params.decoding.beam,
        "dataset_digest": f"{described.family:x<64}",
        "sets": {test: result for test in params.sets.tests},
        "alignment": None if model and model.attention == "none" else alignment,
    }
    write_json(Layout(params.profile).scores(name), scores | changes)


def change_result(params: Params, name: str, test: str, **changes: Any) -> None:
    """Change what is written of one test set."""
    path = Layout(params.profile).scores(name)
    scores = read_json(path)
    scores["sets"][test] |= changes
    write_json(path, scores)


def write_all(params: Params, start: float = 10.0, aer: float | None = 0.5) -> None:
    """Write scores of all, each model's BLEU 1 above the one before it; and the aligner's."""
    for step, name in enumerate([*params.models, *params.ensembles]):
        write_scores(params, name, start + step, aer)
    write_aligner(params, aer=aer and aer - 0.25)


def write_aligner(params: Params, **changes: Any) -> None:
    """Write the outside aligner's error rate."""
    found = {"system": "aligner 1.0, IBM 1", "set": params.sets.aligned, "lines": 500}
    found |= {"aer": 0.25, "sure": 4000, "possible": 4500}
    write_json(Path("data", params.profile, "lexicon", "aligner.json"), found | changes)
