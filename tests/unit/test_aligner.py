"""The word aligner on made-up text and on the demo's."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from demo_text import demo_lines, demo_links
from thot.alignment import SymmetrizationHeuristic, SymmetrizedAlignmentModel

from attnmt.corpora.links import GoldLinks, Links
from attnmt.text.aer import aer
from attnmt.text.aligner import Pair, _model, align
from attnmt.text.tokenizer import MosesTokenizer

Sentences = list[tuple[list[str], list[str]]]


def mirrored(count: int) -> tuple[Sentences, list[Links]]:
    """Return sentences whose translations are the same words in capitals, in reverse order."""
    chance = random.Random(1)
    source = [chance.sample("abcdefgh", chance.randint(1, 4)) for _ in range(count)]
    pairs = [(words, [word.upper() for word in reversed(words)]) for words in source]
    return pairs, [[(i, len(e) - 1 - i) for i in range(len(e))] for e, _ in pairs]


def error(links: list[Links], gold: list[GoldLinks]) -> float:
    return aer(links, [g.sure for g in gold], [g.possible for g in gold])


def links_of(pairs: Iterable[Pair], others: Sequence[Pair] = ()) -> list[Links]:
    with TemporaryDirectory() as folder:
        return list(align(pairs, others, "pairs", Path(folder)))


def demo_pairs(count: int) -> Sentences:
    """Return tokens of the demo's training text."""
    sides = (
        [MosesTokenizer(code, False).tokenize(line) for line in demo_lines(code, count)]
        for code in ("en", "de")
    )
    return list(zip(*sides, strict=True))


def test_pairs_that_cannot_be_aligned_keep_their_place():
    """So do other pairs, which are aligned by what was learned."""
    pairs, links = mirrored(300)
    long = ["a"] * 1025
    odd: Sentences = [([], ["A"]), (["a"], []), ([], []), (long, ["A"]), (["a"], long)]
    none: list[Links] = [[]] * 5
    expected = [*none, *links[:200], *none, *links[200:]]
    assert links_of([*odd, *pairs[:200]], [*odd, *pairs[200:]]) == expected


def test_links_are_those_on_which_thot_says_both_directions_agree():
    pairs = demo_pairs(60)
    models = _model(), _model()
    for model, step in zip(models, (1, -1), strict=True):
        for pair in pairs[:50]:
            model.add_sentence_pair(*pair[::step])
        model.start_training()
        for _ in range(model.scheduled_iterations):
            model.train()
        model.end_training()
    both = SymmetrizedAlignmentModel(*models)
    both.heuristic = SymmetrizationHeuristic.INTERSECTION
    matrices = [both.get_training_alignment(number)[1] for number in range(50)]
    matrices += [both.get_best_alignment(*pair)[1] for pair in pairs[50:]]
    expected = [[*map(tuple, np.argwhere(matrix.to_numpy()).tolist())] for matrix in matrices]
    assert links_of(pairs[:50], pairs[50:]) == expected


def test_the_error_rate_on_the_demos_text_is_low():
    links, gold = links_of(demo_pairs(300)), demo_links(300)
    assert error(links, gold) < 0.15
    assert error([*links[1:], links[0]], gold) > 0.5
