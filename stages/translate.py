"""Translate every test set with a model or an ensemble; force-decode the aligned set's references.

Called by dvc.yaml as `python stages/translate.py params.yaml base`.

Reads   data/<profile>/encoded/<family>/, data/<profile>/lexicon/, models/<profile>/<member>/
Writes  translations/<profile>/<name>/
            <set>.out       words, with <unk>
            <set>.replaced  words, unknown ones replaced
            <set>.links     Pharaoh, source-target, by attention
            <set>.scores    log p of each line
            <set>.nbest     line ||| words ||| log p, where decoding.n_best is above 1
            <set>.forced.scores              log p of each reference of the aligned set
            <set>.forced.<reading>.links     Pharaoh, by each reading (decoding.link_step)
"""

from pathlib import Path

import torch

from attnmt.config import load_params
from attnmt.data.encoded import EncodedSets
from attnmt.data.lexicon import Lexicon
from attnmt.data.links import format_links
from attnmt.decoding.search import Search
from attnmt.decoding.text import TextTranslator, Translation
from attnmt.files import atomic_path, write_lines
from attnmt.layout import Layout
from attnmt.model.store import load_model
from attnmt.stage import run_stage


def main(params_file: Path, name: str) -> None:
    """Write the translations and the forced links of a model or an ensemble."""
    params = load_params(params_file)
    layout, sets, decoding = Layout(params.profile), params.sets, params.decoding
    ensemble = params.translators(name)
    torch.set_num_threads(params.machine.decode_threads)
    data = EncodedSets(layout.encoded(ensemble.family))
    models = [load_model(layout.model(member), data.digest) for member in ensemble.members]
    options = Search(
        beam=decoding.beam,
        candidates=decoding.candidates,
        best=decoding.n_best,
        link_step=decoding.link_step,
        average=ensemble.average,
    )
    lexicon = Lexicon.load(
        layout.lexicon / f"{models[0].config.system.direction}.tsv",
        lowercase=params.families[ensemble.family].encoding.lowercase,
    )
    translator = TextTranslator(models, data, lexicon, options, params.machine.decode_batch)
    with atomic_path(layout.translations(name)) as folder:
        folder.mkdir()
        for test in sets.tests:
            write_translations(folder, test, translator.translate_set(test), decoding.n_best)
        forced = translator.force_set(sets.aligned)
        scores = (f"{score:.4f}" for score in forced.scores)
        write_lines(folder / f"{sets.aligned}.forced.scores", scores)
        for step, links in forced.links.items():
            write_lines(folder / f"{sets.aligned}.forced.{step}.links", map(format_links, links))


def write_translations(
    folder: Path, test: str, found: list[list[Translation]], n_best: int
) -> None:
    """Write the best translation of every sentence of a set, and the n best if there are several."""
    best = [candidates[0] for candidates in found]
    write_lines(folder / f"{test}.out", (" ".join(t.words) for t in best))
    write_lines(folder / f"{test}.replaced", (" ".join(t.replaced) for t in best))
    write_lines(folder / f"{test}.links", (format_links(t.links) for t in best))
    write_lines(folder / f"{test}.scores", (f"{t.score:.4f}" for t in best))
    if n_best > 1:
        lines = (
            f"{line} ||| {' '.join(t.words)} ||| {t.score:.4f}"
            for line, candidates in enumerate(found)
            for t in candidates[:n_best]
        )
        write_lines(folder / f"{test}.nbest", lines)


if __name__ == "__main__":
    run_stage(main, __doc__)
