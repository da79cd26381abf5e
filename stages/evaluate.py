"""Score one run's translations of every test set, and say what each number is.

Called by dvc.yaml as `python stages/evaluate.py params.yaml base 1`.

Reads   data/<profile>/prepared/{<set>.<target>.tok, summary.json}
        models/<profile>/<run>/metrics.json
        translations/<profile>/<run>/{<set>.out, <set>.replaced}
Writes  scores/<profile>/<run>.json
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from attnmt import tracking
from attnmt.config import load_params
from attnmt.data.tokenizer import MosesTokenizer
from attnmt.errors import InputError
from attnmt.files import read_json, read_lines, sha256, write_json
from attnmt.layout import Layout, run_name
from attnmt.metrics.bleu import nist_bleu, tokenised_bleu
from attnmt.stage import run_stage

Sentences = list[list[str]]


def main(params_file: Path, model: str, seed: int) -> None:
    """Write the scores of one run, then show them in MLflow."""
    params = load_params(params_file)
    system, layout, run = params.system(model), Layout(params.profile), run_name(model, seed)
    metrics = layout.model(run) / "metrics.json"
    trained, digest = read_json(metrics), read_json(layout.prepared / "summary.json")["digest"]
    if trained.get("dataset_digest") != digest:
        data = layout.prepared
        raise InputError(f"{metrics}: trained on other data than lie in {data}; train {run} again")
    texts: dict[str, dict[Path, Sentences]] = {}
    for name in params.sets.tests:
        if name not in trained["perplexity"]:
            raise InputError(f"{metrics}: no perplexity of {name!r}; train {run} again")
        texts[name] = read_texts(layout, run, name, system.target)
    moses = MosesTokenizer(system.target, params.preprocess.split_hyphens)
    samples = params.evaluation.bootstrap_samples
    scores: dict[str, Any] = {
        "stage": "evaluate",
        "profile": params.profile,
        "model": model,
        "seed": seed,
        "direction": system.direction,
        "beam": params.decoding.beam,
        "dataset_digest": digest,
        "sets": {
            name: {"perplexity": trained["perplexity"][name]} | score_set(found, moses, samples)
            for name, found in texts.items()
        },
    }
    write_json(layout.scores(run), scores)
    tracking.log_scores(params.profile, run)


def read_texts(layout: Layout, run: str, name: str, target: str) -> dict[Path, Sentences]:
    """Return the reference of a test set, its translations, and these with unknown words replaced.

    Raises:
        InputError: if a file is missing, or has not as many lines as the reference.
    """
    reference = layout.prepared / f"{name}.{target}.tok"
    texts = {reference: [line.split() for line in read_lines(reference)]}
    for path in (layout.translations(run) / f"{name}.{end}" for end in ("out", "replaced")):
        texts[path] = [line.split() for line in read_lines(path, may_be_blank=True)]
        if len(texts[path]) != len(texts[reference]):
            raise InputError(
                f"{path}: {len(texts[path])} lines, but {reference} has {len(texts[reference])}; "
                f"run the stage translate for {run} again"
            )
    return texts


def score_set(texts: dict[Path, Sentences], moses: MosesTokenizer, samples: int) -> dict[str, Any]:
    """Score one test set before and after the replacement of unknown words, with both BLEUs."""
    reference = next(iter(texts))
    joined = [[" ".join(moses.join_hyphens(line)) for line in text] for text in texts.values()]
    written = [[moses.detokenize(line) for line in text] for text in texts.values()]
    result: dict[str, Any] = {"lines": len(texts[reference]), "reference": reference.as_posix()}
    result["reference_sha256"] = sha256(reference)
    for i, when in enumerate(("before", "after"), start=1):
        result[when] = {
            "tokenised": asdict(tokenised_bleu(joined[i], joined[0], samples)),
            "nist": asdict(nist_bleu(written[i], written[0], samples)),
        }
    return result


if __name__ == "__main__":
    run_stage(main, __doc__)
