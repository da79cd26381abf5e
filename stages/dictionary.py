"""Align words; write the dictionaries of both directions, and the aligner's own links.

Called by dvc.yaml as `python stages/dictionary.py params.yaml`.

The aligner learns only from the training text, so the dictionaries contain nothing of a test set. A
text of more than dictionary.max_pairs pairs is divided into parts. Each part is aligned by itself, so
that the aligner has only one in memory. The dictionaries count the links of all parts: 10 million pairs
of words take 1 GB. The aligner that learned from the first part also aligns the aligned sets and the
development set, whose links help to choose the step at which attention is read.

Reads   data/<experiment>/tokens/<train>.<language>
                                 <dev>.<language>
                                 <aligned>.<language>
Writes  data/<experiment>/dictionary/
            en-de.tsv, de-en.tsv  source word, target word, p(target | source), count; the languages
                                  are those of the experiment
            <dev>.links, <aligned>.links  the aligner's links, Pharaoh, from the first language to the
                                  second
            aligner.json          which aligner, and how many training pairs and parts the
                                  dictionaries were counted on
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from collections import Counter
from functools import partial
from itertools import islice
from pathlib import Path
from sys import intern

from attnmt.config import LINKS, Params, load_params
from attnmt.corpora.links import Links, format_links
from attnmt.corpora.parallel import count_parallel_lines, every_nth_pair
from attnmt.files.atomic import atomic_folder, check_place
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import ALIGNER, Layout
from attnmt.text.aligner import SYSTEM, align
from attnmt.text.dictionary import AlignerResult, write_dictionary
from attnmt.workflow.stage import run_stage

# The parameters that decide the outputs
PARAMS = ("languages", "sets", "dictionary")


def main(params_file: Path) -> None:
    """Write the dictionaries of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    layout, settings = Layout(params.experiment), params.dictionary
    source, target = params.languages.codes
    train = _files(params, params.sets.train)
    check_place(layout.dictionary, folder=True)  # before the aligner learns
    pairs = count_parallel_lines(train)
    parts = -(-pairs // settings.max_pairs)
    linked = {
        name: count_parallel_lines(_files(params, name))
        for name in [*params.sets.aligned, params.sets.dev]
    }
    others = [pair for name in linked for pair in every_nth_pair(*_files(params, name))]
    counts: Counter[tuple[str, str]] = Counter()
    links: list[Links] = []  # of the others
    with atomic_folder(layout.dictionary) as folder:
        for number in range(parts):
            part, total = f"part {number + 1} of {parts}", len(range(number, pairs, parts))
            mine = partial(every_nth_pair, *train, parts, number)
            first = [] if number else others
            aligned = align(mine(), first, part, folder)
            for (words, translation), line in zip(mine(), islice(aligned, total), strict=True):
                # A word is kept once, however many pairs it is in.
                counts.update((intern(words[i]), intern(translation[j])) for i, j in line)
            links.extend(aligned)
        forward = layout.dictionary_file(source, target).name
        backward = layout.dictionary_file(target, source).name
        write_dictionary(folder / forward, counts, settings.min_count, side=0)
        write_dictionary(folder / backward, counts, settings.min_count, side=1)
        of_others = iter(links)
        for name, lines in linked.items():
            of_set = islice(of_others, lines)
            write_lines(folder / f"{name}.{LINKS}", map(format_links, of_set))
        result = AlignerResult(
            system=SYSTEM, pairs=pairs, parts=parts, min_count=settings.min_count
        )
        write_json(folder / ALIGNER, result.model_dump())
    print(f"{counts.total():,} links of {len(counts):,} pairs of words by {SYSTEM}")


def _files(params: Params, name: str) -> tuple[Path, Path]:
    """Return the tokens of a set, source and target."""
    source, target = params.languages.codes
    tokens = Layout(params.experiment).tokens
    return tokens / f"{name}.{source}", tokens / f"{name}.{target}"


if __name__ == "__main__":
    run_stage(main, __doc__)
