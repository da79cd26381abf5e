"""Translate every test set with a model or an ensemble; force-decode the aligned sets' references.

Called by dvc.yaml as `python stages/translate.py params.yaml base`.

Reads   data/<experiment>/encoded/<family>/, data/<experiment>/dictionary/, models/<experiment>/<member>/
        data/<experiment>/tokens/<dev>.<language>, whose words the aligner's links count
Writes  translations/<experiment>/<name>/
            <set>.out       words, with <unk>
            <set>.replaced  words, unknown ones replaced
            <set>.txt       the same as plain text: hyphens joined, detokenized
            <set>.links     Pharaoh, source-target, by attention
            <set>.scores    log p of each line, whatever decoding.length_penalty ranks by
            <set>.attention.json             attention weights of decoding.samples lines
            <set>.forced.attention.json      those of the aligned sets' references
            <set>.forced.scores              log p of each reference of an aligned set
            <set>.forced.links               their links, Pharaoh, by attention
            offset.json     the step whose attention links words, as dev chose it by the aligner's links
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

import torch

from attnmt.config import load_params
from attnmt.corpora.links import format_links
from attnmt.decoding.attention_offset import choose_offset, silver_links
from attnmt.decoding.kept_attention import write_attention
from attnmt.decoding.pipeline import Translation, TranslationPipeline, load_translator
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.workflow.stage import run_stage

# The parameters that decide the outputs
PARAMS = ("languages", "sets", "translators", "decoding", "machine.cpu_isa")


def main(params_file: Path, name: str) -> None:
    """Write the translations, the forced links and the attention of a model or an ensemble."""
    params = load_params(params_file)
    sets, decoding, layout = params.sets, params.decoding, Layout(params.experiment)
    torch.set_num_threads(params.machine.decode_threads)
    silver = silver_links(params, name) if params.attends(name) else None
    translator = load_translator(params, name, with_offset=False)
    offset = None
    if silver is not None:
        offset = choose_offset(translator.links_by_offset(sets.dev), silver)
        translator.read_at(offset.attention_offset)
    with atomic_folder(layout.translations(name)) as folder:
        for test in sets.tests:
            translations = translator.translate_set(test)
            write_translations(folder, test, [one for one, *_ in translations])
            if translator.attends:
                samples = translator.attention_to(test, decoding.samples, translations)
                write_attention(folder / f"{test}.attention.json", samples)
        for aligned in sets.aligned:
            write_forced(folder, aligned, translator, decoding.samples)
        if offset:
            write_json(folder / layout.offset(name).name, offset.model_dump())


def write_translations(folder: Path, test: str, best: list[Translation]) -> None:
    """Write the best translation of every sentence of a set."""
    write_lines(folder / f"{test}.out", (" ".join(t.words) for t in best))
    write_lines(folder / f"{test}.replaced", (" ".join(t.replaced) for t in best))
    write_lines(folder / f"{test}.txt", (t.text for t in best))
    write_lines(folder / f"{test}.links", (format_links(t.links) for t in best))
    write_lines(folder / f"{test}.scores", (f"{t.score:.4f}" for t in best))


def write_forced(folder: Path, aligned: str, translator: TranslationPipeline, samples: int) -> None:
    """Write the scores, the links and the attention of an aligned set's references."""
    forced = translator.force_decode_set(aligned)
    write_lines(folder / f"{aligned}.forced.scores", (f"{score:.4f}" for score in forced.scores))
    if translator.attends:
        write_lines(folder / f"{aligned}.forced.links", map(format_links, forced.links))
        path = folder / f"{aligned}.forced.attention.json"
        write_attention(path, translator.attention_to(aligned, samples))


if __name__ == "__main__":
    run_stage(main, __doc__)
