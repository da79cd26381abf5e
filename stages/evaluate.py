"""Score the translations and links of one model or one ensemble, and say what each number is.

Called by dvc.yaml as `python stages/evaluate.py params.yaml base`.

Reads   data/<profile>/encoded/<family>/
        models/<profile>/<name>/metrics.json, of a single model
        translations/<profile>/<name>/
Writes  scores/<profile>/<name>.json
"""

from pathlib import Path
from typing import Any, get_args

from attnmt import tracking
from attnmt.config import LinkStep, Params, load_params
from attnmt.data.encoded import EncodedSets
from attnmt.data.links import Links, read_links
from attnmt.data.tokenizer import MosesTokenizer
from attnmt.errors import InputError
from attnmt.files import read_json, read_lines, sha256_of_lines, write_json
from attnmt.layout import Layout
from attnmt.metrics.alignment import score_links
from attnmt.metrics.translations import Sentences, score_translations
from attnmt.stage import run_stage


def main(params_file: Path, name: str) -> None:
    """Write the scores of a model or an ensemble, then show them in MLflow."""
    params = load_params(params_file)
    layout, sets, ensemble = Layout(params.profile), params.sets, params.translators(name)
    first, single = params.model(ensemble.members[0]), name in params.models
    data = EncodedSets(layout.encoded(ensemble.family))
    perplexity = read_perplexity(params, name, data) if single else dict.fromkeys(sets.tests)
    texts = {test: read_texts(params, name, data, test) for test in sets.tests}
    links = {}
    if any(params.model(member).attention != "none" for member in ensemble.members):
        links = {step: read_forced(params, name, step) for step in get_args(LinkStep)}
    scores: dict[str, Any] = {
        "stage": "evaluate",
        "profile": params.profile,
        "name": name,
        "models": ensemble.members,
        "average": None if single else ensemble.average,
        "seed": first.seed if single else None,
        "family": ensemble.family,
        "direction": first.direction,
        "beam": params.decoding.beam,
        "dataset_digest": data.digest,
        "sets": {},
        "alignment": None,
    }
    moses = MosesTokenizer(first.target, params.tokenise.split_hyphens)
    for test, (reference, before, after) in texts.items():
        path, samples = data.text_path(test, first.target), params.evaluation.bootstrap_samples
        scores["sets"][test] = {
            "perplexity": perplexity[test],
            "lines": len(reference),
            "reference": path.as_posix(),
            "reference_sha256": sha256_of_lines(map(" ".join, reference)),
            "before": score_translations(before, reference, moses, samples),
            "after": score_translations(after, reference, moses, samples),
        }
    if links:
        gold, step = data.gold(sets.aligned), params.decoding.link_step
        found = score_links(links, step, gold, first.direction)
        scores["alignment"] = {"set": sets.aligned, **found}
    write_json(layout.scores(name), scores)
    tracking.log_scores(params.profile, name)


def read_perplexity(params: Params, name: str, data: EncodedSets) -> dict[str, float]:
    """Return a model's perplexity on each test set.

    Raises:
        InputError: if it was trained on other data, or its training did not measure a set.
    """
    path = Layout(params.profile).model(name) / "metrics.json"
    trained = read_json(path)
    if trained.get("dataset_digest") != data.digest:
        raise InputError(
            f"{path}: trained on other data than lie in {data.folder}; train {name} again"
        )
    for test in params.sets.tests:
        if test not in trained["perplexity"]:
            raise InputError(f"{path}: no perplexity of {test!r}; train {name} again")
    perplexity: dict[str, float] = trained["perplexity"]
    return perplexity


def read_texts(params: Params, name: str, data: EncodedSets, test: str) -> list[Sentences]:
    """Return the reference of a test set, its translations, and these with unknown words replaced.

    Raises:
        InputError: if a file is missing, or has not as many lines as the reference.
    """
    target = params.model(params.translators(name).members[0]).target
    texts = [[data.words(units) for units in data.units(test, target)]]
    folder = Layout(params.profile).translations(name)
    for path in (folder / f"{test}.{end}" for end in ("out", "replaced")):
        texts.append([line.split() for line in read_lines(path, may_be_blank=True)])
        if len(texts[-1]) != len(texts[0]):
            raise InputError(
                f"{path}: {len(texts[-1])} lines, but {data.text_path(test, target)} has "
                f"{len(texts[0])}; run the stage translate for {name} again"
            )
    return texts


def read_forced(params: Params, name: str, step: LinkStep) -> list[Links]:
    """Return the links of the aligned set's references by one reading of the attention."""
    folder = Layout(params.profile).translations(name)
    path = folder / f"{params.sets.aligned}.forced.{step}.links"
    return [line.sure for line in read_links(path)]


if __name__ == "__main__":
    run_stage(main, __doc__)
