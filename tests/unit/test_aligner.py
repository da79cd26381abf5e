"""The word aligner on made-up text, on the demo's, and against hand-made gold links."""

import random
from itertools import islice

from demo_text import demo_lines, demo_links
from real_text import needs, written

from attnmt.corpora.links import GoldLinks, Links, flipped, read_links
from attnmt.files.text_file import iter_lines, read_lines
from attnmt.scoring.aer import aer
from attnmt.text.aligner import Aligner
from attnmt.text.tokenizer import MosesTokenizer

HAND_MADE = ("test.en", "test.de", "de-en.wa", "de-en.ref.wa")

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


def hand_made() -> tuple[Sentences, list[GoldLinks]]:
    """Return the hand-aligned pairs and their links, both English-German."""
    english, german, links, _ = (written("ALIGNMENT_DIR", file) for file in HAND_MADE)
    sides = [[line.split() for line in read_lines(path)] for path in (english, german)]
    gold = read_links(links)
    return list(zip(*sides, strict=True)), [GoldLinks(*map(flipped, g)) for g in gold]


def test_unambiguous_words_are_linked_without_error() -> None:
    pairs, links = mirrored(200)
    assert links_of(pairs) == links


def test_the_same_pairs_get_the_same_links() -> None:
    pairs = demo_pairs(40)
    assert links_of(pairs) == links_of(pairs)


def test_pairs_that_cannot_be_aligned_keep_their_place() -> None:
    pairs, links = mirrored(200)
    long = ["a"] * 1025
    odd: Sentences = [([], ["A"]), (["a"], []), ([], []), (long, ["A"]), (["a"], long)]
    assert links_of([*odd, *pairs]) == [[]] * 5 + links


def test_other_pairs_are_aligned_by_what_was_learned() -> None:
    pairs, links = mirrored(300)
    aligner = Aligner(pairs[:200])
    assert [aligner.align(*pair) for pair in pairs[200:]] == links[200:]
    long = ["a"] * 1025
    assert aligner.align([], ["A"]) == aligner.align(["a"], []) == aligner.align(long, ["A"]) == []


def test_the_error_rate_on_the_demos_text_is_low() -> None:
    links, gold = links_of(demo_pairs(300)), demo_links(300)
    assert error(links, gold) < 0.15
    assert error([*links[1:], links[0]], gold) > 0.5


@needs("ALIGNMENT_DIR", *HAND_MADE)
@needs("TATOEBA_DIR", "deu-eng.tsv.gz")
def test_the_error_rate_on_hand_made_links_is_low() -> None:
    pairs, gold = hand_made()
    tokenizers = MosesTokenizer("en", False), MosesTokenizer("de", False)
    more: Sentences = []
    tatoeba = iter_lines(written("TATOEBA_DIR", "deu-eng.tsv.gz"))
    # The file is sorted by length, so this takes sentences of all lengths.
    for line in islice(tatoeba, 0, None, 50):
        english, german = line.lower().split("\t")[:2]
        more.append((tokenizers[0].tokenize(english), tokenizers[1].tokenize(german)))
    links = links_of([*pairs, *more])[: len(pairs)]
    # IBM Model 1 with a diagonal prior reaches 0.33 with ten times the text; the diagonal has 0.75
    assert 0.2 < error(links, gold) < 0.32
