"""The word aligner on made-up text and on the demo's."""

import random

from demo_text import demo_lines, demo_links

from attnmt.corpora.links import GoldLinks, Links
from attnmt.scoring.aer import aer
from attnmt.text.aligner import Aligner
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


def links_of(pairs: Sentences) -> list[Links]:
    return list(Aligner(pairs).learned_links())


def demo_pairs(count: int) -> Sentences:
    """Return tokens of the demo's training text."""
    sides = (
        [MosesTokenizer(code, False).tokenize(line) for line in demo_lines(code, count)]
        for code in ("en", "de")
    )
    return list(zip(*sides, strict=True))


def test_the_same_pairs_get_the_same_links():
    pairs = demo_pairs(40)
    assert links_of(pairs) == links_of(pairs)


def test_pairs_that_cannot_be_aligned_keep_their_place():
    pairs, links = mirrored(200)
    long = ["a"] * 1025
    odd: Sentences = [([], ["A"]), (["a"], []), ([], []), (long, ["A"]), (["a"], long)]
    assert links_of([*odd, *pairs]) == [[]] * 5 + links


def test_other_pairs_are_aligned_by_what_was_learned():
    pairs, links = mirrored(300)
    aligner = Aligner(pairs[:200])
    assert [aligner.align(*pair) for pair in pairs[200:]] == links[200:]
    long = ["a"] * 1025
    assert aligner.align([], ["A"]) == aligner.align(["a"], []) == aligner.align(long, ["A"]) == []


def test_the_error_rate_on_the_demos_text_is_low():
    links, gold = links_of(demo_pairs(300)), demo_links(300)
    assert error(links, gold) < 0.15
    assert error([*links[1:], links[0]], gold) > 0.5
