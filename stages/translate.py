"""Translate every test set with one run's model and replace the unknown words.

Called by dvc.yaml as `python stages/translate.py params.yaml base 1`.

Reads   data/<profile>/prepared/, data/<profile>/lexicon/, models/<profile>/<run>/
Writes  translations/<profile>/<run>/<set>.out       tokens, with <unk>
                                     <set>.replaced  tokens, unknown words replaced
                                     <set>.links     Pharaoh, source-target, by attention
                                     <set>.scores    log p of each line
"""

from pathlib import Path

import torch

from attnmt.config import load_params
from attnmt.data.encoded import EncodedText
from attnmt.data.lexicon import Lexicon
from attnmt.data.links import format_links
from attnmt.data.vocabulary import Vocabulary
from attnmt.decoding.search import Search
from attnmt.decoding.translate import Ids, translate
from attnmt.decoding.unknown import replace_unknown
from attnmt.files import atomic_path, read_json, read_lines, write_lines
from attnmt.layout import Layout, run_name
from attnmt.model.store import load_model
from attnmt.stage import run_stage


def main(params_file: Path, model: str, seed: int) -> None:
    """Write the translations of one run."""
    params = load_params(params_file)
    layout, run, decoding = Layout(params.profile), run_name(model, seed), params.decoding
    torch.set_num_threads(decoding.threads)
    digest = read_json(layout.prepared / "summary.json")["digest"]
    translator = load_model(layout.model(run), digest)
    system = translator.config.system
    vocabulary = Vocabulary.load(layout.prepared / f"vocab.{system.target}")
    lexicon = Lexicon.load(layout.lexicon(system.direction))
    tests = {name: read_source(layout, name, system.source) for name in params.sets.tests}
    options = Search(decoding.beam, decoding.candidates, link_step=decoding.link_step)
    with atomic_path(layout.translations(run)) as folder:
        folder.mkdir()
        for name, (sources, ids) in tests.items():
            found = [c[0] for c in translate([translator], ids, options, decoding.batch_size)]
            words = [vocabulary.decode(candidate.words) for candidate in found]
            replaced = [
                replace_unknown(line, source, candidate.links, lexicon)
                for line, source, candidate in zip(words, sources, found, strict=True)
            ]
            links = [[(i, j) for j, i in enumerate(candidate.links)] for candidate in found]
            write_lines(folder / f"{name}.out", map(" ".join, words))
            write_lines(folder / f"{name}.replaced", map(" ".join, replaced))
            write_lines(folder / f"{name}.links", map(format_links, links))
            write_lines(
                folder / f"{name}.scores", (f"{candidate.score:.4f}" for candidate in found)
            )


def read_source(layout: Layout, name: str, language: str) -> tuple[list[list[str]], list[Ids]]:
    """Return the words and the ids of every sentence of a set."""
    words = [line.split() for line in read_lines(layout.prepared / f"{name}.{language}.tok")]
    text = EncodedText.open(layout.prepared, name, language)
    return words, [text[i] for i in range(len(text))]


if __name__ == "__main__":
    run_stage(main, __doc__)
