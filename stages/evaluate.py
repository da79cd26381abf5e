"""Score one run's translations of every test set, and say what each number is.

Example: python stages/evaluate.py params.yaml local_p_general_feed 1

Reads   data/<profile>/prepared/{<set>.<target>.tok, summary.json}
        models/<profile>/<run>/metrics.json
        translations/<profile>/<run>/{<set>.out, <set>.replaced}
Writes  scores/<profile>/<run>.json
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from attnmt import tracking
from attnmt.config import Params, load_params
from attnmt.data.tokenizer import MosesTokenizer
from attnmt.errors import InputError
from attnmt.files import read_json, read_lines, sha256, write_json
from attnmt.layout import Layout, run_name
from attnmt.metrics.bleu import nist_bleu, tokenised_bleu
from attnmt.stage import run_stage


def main(params_file: Path, model: str, seed: int) -> None:
    """Write the scores of one run, then show them in MLflow."""
    params = load_params(params_file)
    system, layout, run = params.system(model), Layout(params.profile), run_name(model, seed)
    trained = read_json(layout.model(run) / "metrics.json")
    scores: dict[str, Any] = {
        "stage": "evaluate",
        "profile": params.profile,
        "model": model,
        "seed": seed,
        "direction": system.direction,
        "beam": params.decoding.beam,
        "dataset_digest": read_json(layout.prepared / "summary.json")["digest"],
        "sets": {},
    }
    for name in params.sets.tests:
        if name not in trained["perplexity"]:
            raise InputError(
                f"{layout.model(run)}/metrics.json: no perplexity of {name!r}; train {run} again"
            )
        perplexity = {"perplexity": trained["perplexity"][name]}
        scores["sets"][name] = perplexity | score_set(params, layout, run, name, system.target)
    write_json(layout.scores(run), scores)
    tracking.log_scores(params.profile, run)


def score_set(params: Params, layout: Layout, run: str, name: str, target: str) -> dict[str, Any]:
    """Score one test set before and after the replacement of unknown words, with both BLEUs.

    Raises:
        InputError: if a file is missing, or has not as many lines as the reference.
    """
    reference = layout.prepared / f"{name}.{target}.tok"
    references = [line.split() for line in read_lines(reference)]
    tokens: dict[str, list[list[str]]] = {}
    for when, ending in {"before": "out", "after": "replaced"}.items():
        path = layout.translations(run) / f"{name}.{ending}"
        tokens[when] = [line.split() for line in read_lines(path, may_be_blank=True)]
        if len(tokens[when]) != len(references):
            raise InputError(
                f"{path}: {len(tokens[when])} lines, but {reference} has {len(references)}; "
                f"run the stage translate for {run} again"
            )
    moses = MosesTokenizer(target, params.preprocess.split_hyphens)
    samples = params.evaluation.bootstrap_samples

    def joined(sentences: list[list[str]]) -> list[str]:
        return [" ".join(moses.join_hyphens(sentence)) for sentence in sentences]

    def written(sentences: list[list[str]]) -> list[str]:
        return [moses.detokenize(sentence) for sentence in sentences]

    result: dict[str, Any] = {"lines": len(references), "reference": reference.as_posix()}
    result["reference_sha256"] = sha256(reference)
    tokenised, detokenised = joined(references), written(references)
    for when, sentences in tokens.items():
        result[when] = {
            "tokenised": asdict(tokenised_bleu(joined(sentences), tokenised, samples)),
            "nist": asdict(nist_bleu(written(sentences), detokenised, samples)),
        }
    return result


if __name__ == "__main__":
    run_stage(main, __doc__)
