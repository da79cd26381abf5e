"""Align words; write the dictionaries of both directions, and the aligner's own error rate.

Called by dvc.yaml as `python stages/dictionary.py params.yaml`.

The aligner learns only from the training text, so the dictionaries contain nothing of a test set. A
text of more than dictionary.max_pairs pairs is divided into parts. Each part is aligned by itself, so
that only one is in memory. The dictionaries count the links of all parts. The aligner that learned from
the first part also aligns the aligned set.

Reads   data/<experiment>/tokens/<train>.en, .de
                                 <aligned>.en, .de, .links (gold, if known)
Writes  data/<experiment>/dictionary/
            en-de.tsv, de-en.tsv  source word, target word, p(target | source), count
            <aligned>.links       the aligner's links, Pharaoh, English-German
            aligner.json          which aligner, its error rate, and how many training pairs and
                                  parts the dictionaries were counted on
"""

import attnmt.workflow.startup  # isort: skip  # noqa: F401  before all that takes time to load

from collections import Counter
from pathlib import Path

from attnmt.config import load_params
from attnmt.corpora.links import GoldLinks, Links, format_links, read_links
from attnmt.corpora.parallel import count_parallel_lines, count_words, every_nth_pair
from attnmt.files.atomic import atomic_folder, check_place
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.scoring.aer import aer
from attnmt.scoring.results import AlignerResult
from attnmt.text.aligner import SYSTEM, Aligner
from attnmt.text.dictionary import count_links, write_dictionaries
from attnmt.workflow.stage import run_stage


def main(params_file: Path) -> None:
    """Write the dictionaries of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    layout, settings, name = Layout(params.experiment), params.dictionary, params.sets.aligned
    train, aligned = (
        (layout.tokens / f"{part}.en", layout.tokens / f"{part}.de")
        for part in (params.sets.train, name)
    )
    check_place(layout.dictionary, folder=True)  # before the aligner learns
    gold_file = layout.tokens / f"{name}.links"
    words = count_words(*aligned)
    cure = "run the tokens stage again"
    gold = read_links(gold_file, words, cure) if gold_file.exists() else []
    pairs = count_parallel_lines(train)
    parts = -(-pairs // settings.max_pairs)
    links: list[Links] = []

    def count_part(number: int) -> Counter[tuple[str, str]]:
        aligner = Aligner(every_nth_pair(*train, parts, number))
        if number == 0:
            links.extend(aligner.align(*pair) for pair in every_nth_pair(*aligned))
        return count_links(every_nth_pair(*train, parts, number), aligner.learned_links())

    with atomic_folder(layout.dictionary) as folder:
        total, different = write_dictionaries(
            folder / "en-de.tsv",
            folder / "de-en.tsv",
            map(count_part, range(parts)),
            settings.min_count,
        )
        write_lines(folder / f"{name}.links", map(format_links, links))
        result = _result(name, links, gold, pairs, parts, settings.min_count)
        write_json(folder / "aligner.json", result.model_dump())
    rate = "no gold links" if result.aer is None else f"AER {result.aer:.3f} on {name}"
    print(f"{total:,} links of {different:,} pairs of words; {SYSTEM}: {rate}")


def _result(
    name: str, links: list[Links], gold: list[GoldLinks], pairs: int, parts: int, min_count: int
) -> AlignerResult:
    """Return the aligner's error rate on the aligned set, and what the dictionaries were made of."""
    sure, possible = [g.sure for g in gold], [g.possible for g in gold]
    return AlignerResult(
        system=SYSTEM,
        set=name,
        lines=len(links),
        aer=aer(links, sure, possible) if gold else None,
        sure=sum(map(len, sure)),
        possible=sum(map(len, possible)),
        pairs=pairs,
        parts=parts,
        min_count=min_count,
    )


if __name__ == "__main__":
    run_stage(main, __doc__)
