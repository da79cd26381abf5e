"""The word aligner against a plain implementation, and the dictionaries made of its links."""

import math
import random
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Project
from hypothesis import given, settings
from hypothesis import strategies as st

from attnmt.data import aligner as aligner_module
from attnmt.data.aligner import Aligner, diagonal_prior
from attnmt.data.grammar import generate_splits
from attnmt.data.lexicon import Lexicon, write_lexicon
from attnmt.data.parallel import spread_pairs
from attnmt.errors import InputError

Sentences = list[tuple[list[str], list[str]]]
Table = dict[tuple[str | None, str], float]

WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)
UPPER_WORDS = st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4)
TEXT = st.lists(st.tuples(WORDS, UPPER_WORDS), min_size=1, max_size=6)


def prior(i: int, j: int, length_e: int, length_f: int) -> float:
    """Return p(a_j = i), positions counted from 1."""
    weight = [math.exp(-4 * abs(k / length_e - j / length_f)) for k in range(1, length_e + 1)]
    return 0.92 * weight[i - 1] / sum(weight)


def cells(e: list[str], f: list[str], j: int, t: Table) -> list[tuple[str | None, float]]:
    """Return the words from which f_j may stem, none first, with their joint probabilities."""
    null = [(None, 0.08 * t[None, f[j]])]
    return null + [
        (e[i], prior(i + 1, j + 1, len(e), len(f)) * t[e[i], f[j]]) for i in range(len(e))
    ]


def plain_em(sentences: Sentences, iterations: int) -> Table:
    """Return t(f | e), by loops."""
    t: Table = defaultdict(lambda: 1.0)
    for _ in range(iterations):
        counts: Table = defaultdict(float)
        for e, f in sentences:
            for j in range(len(f)):
                options = cells(e, f, j, t)
                for word, p in options:
                    counts[word, f[j]] += p / sum(q for _, q in options)
        totals: dict[str | None, float] = defaultdict(float)
        for (word, _), count in counts.items():
            totals[word] += count
        t = {pair: count / totals[pair[0]] for pair, count in counts.items()}
    return t


def plain_links(sentences: Sentences, iterations: int) -> list[list[tuple[int, int]]]:
    """Return the links on which both directions agree, by loops."""

    def best(text: Sentences) -> list[list[int]]:
        t = plain_em(text, iterations)
        ways = [[[p for _, p in cells(e, f, j, t)] for j in range(len(f))] for e, f in text]
        return [[options.index(max(options)) - 1 for options in way] for way in ways]

    back = best([(f, e) for e, f in sentences])
    return [
        [(i, j) for i, j in sorted((i, j) for j, i in enumerate(forth)) if i >= 0 and to_f[i] == j]
        for forth, to_f in zip(best(sentences), back, strict=True)
    ]


@settings(max_examples=40, deadline=None)
@given(sentences=TEXT, iterations=st.integers(1, 4))
def test_em_equals_the_plain_one(sentences: Sentences, iterations: int) -> None:
    aligner = Aligner(sentences, iterations)
    swapped = [(f, e) for e, f in sentences]
    for text, direction, flip in (
        (sentences, aligner.forward, False),
        (swapped, aligner.backward, True),
    ):
        expected = plain_em(text, iterations)
        words_f = aligner.words_e if flip else aligner.words_f
        found: Table = {(None, word): p for word, p in zip(words_f, direction.t_null, strict=True)}
        for k, p in enumerate(direction.t):
            pair = aligner.words_e[aligner.pair_e[k]], aligner.words_f[aligner.pair_f[k]]
            found[pair[::-1] if flip else pair] = p
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


# seed 4: a word linked to none is some first word's best
@pytest.mark.parametrize("seed", [3, 4])
def test_links_equal_the_plain_ones(seed: int) -> None:
    chance = random.Random(seed)
    sentences = []
    for _ in range(40):
        e = chance.choices("abcdefgh", k=chance.randint(1, 6))
        f = [word.upper() for word in e if chance.random() < 0.8]
        fillers = chance.choices("ØØ", k=max(0 if f else 1, chance.randint(0, 3)))
        for filler in fillers:
            f.insert(chance.randint(0, len(f)), filler)
        sentences.append((e, f))
    expected = plain_links(sentences, 6)
    assert [sorted(links) for links in Aligner(sentences, 6).links()] == expected


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    sentences = [
        (chance.choices("abcdef", k=chance.randint(1, 4)), chance.choices("UVWXYZ", k=3))
        for _ in range(50)
    ]
    whole = Aligner(sentences, 3)
    monkeypatch.setattr(aligner_module, "BLOCK_CELLS", 7)
    blocks = Aligner(sentences, 3)
    np.testing.assert_allclose(blocks.forward.t, whole.forward.t, rtol=1e-12)
    assert blocks.linked_words() == whole.linked_words()


def test_prior_sums_to_what_the_null_word_leaves() -> None:
    np.testing.assert_allclose(diagonal_prior(5, 3).sum(axis=0), 0.92)
    assert diagonal_prior(4, 4).argmax(axis=0).tolist() == [0, 1, 2, 3]


def test_known_alignment() -> None:
    """The second word goes to the end; what has no counterpart is not linked."""
    chance = random.Random(5)
    sentences, gold = [], []
    for _ in range(300):
        e = chance.sample("abcdefghijklmnop", k=chance.randint(2, 5))
        order = [0, *range(2, len(e)), 1]
        f = [e[i].upper() for i in order]
        links = [(i, j) for j, i in enumerate(order)]
        if chance.random() < 0.3:
            f.append("Ø")
        sentences.append((e, f))
        gold.append(sorted(links))
    aligner = Aligner(sentences, 5)
    right = [sorted(line) == true for line, true in zip(aligner.links(), gold, strict=True)]
    assert sum(right) > 0.98 * len(right)
    words = aligner.linked_words()
    assert words.total() == sum(map(len, aligner.links()))
    assert sum(n for (e, f), n in words.items() if e.upper() != f) < 0.01 * words.total()


def test_links_of_the_grammar() -> None:
    """On the demo's corpus, links are precise; its 20,000 pairs give an AER of 0.06."""
    pairs = generate_splits({"train": 3000}, 7)["train"]
    links = Aligner([(pair.source_tokens, pair.target_tokens) for pair in pairs], 5).links()
    found = sum(map(len, links))
    possible = sum(
        len(set(line) & {*p.sure, *p.possible}) for line, p in zip(links, pairs, strict=True)
    )
    sure = sum(len(set(line) & set(p.sure)) for line, p in zip(links, pairs, strict=True))
    assert possible / found > 0.9
    assert sure / sum(len(pair.sure) for pair in pairs) > 0.7


def test_real_sentences() -> None:
    """A hundred hand-aligned Europarl pairs; so few that the prior does most of the work."""
    folder = ROOT.parent / "shared/data/alignment"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent")
    sentences = list(spread_pairs(folder / "test.en", folder / "test.de", 1000))
    gold = [
        {(int(en), int(de)) for de, en in (link.split("-") for link in line.split())}
        for line in (folder / "de-en.wa").read_text().splitlines()
    ]
    links = Aligner(sentences, 5).links()
    right = sum(len(set(line) & true) for line, true in zip(links, gold, strict=True))
    assert right / sum(map(len, links)) > 0.6


def test_file(tmp_path: Path) -> None:
    links = Counter({("a", "X"): 6, ("a", "Y"): 3, ("a", "Z"): 1, ("ä", "Z"): 2, ("Z", "b"): 2})
    links["Z", "a"] = 2
    write_lexicon(tmp_path / "l", links, min_count=2)
    assert (tmp_path / "l").read_text() == (
        "Z\ta\t0.500000\t2\nZ\tb\t0.500000\t2\n"
        "a\tX\t0.600000\t6\na\tY\t0.300000\t3\nä\tZ\t1.000000\t2\n"
    )
    lexicon = Lexicon.load(tmp_path / "l")
    assert len(lexicon) == 3
    assert [lexicon.best(word) for word in ("a", "Z", "ä", "b")] == ["X", "a", "Z", None]


def test_bad_file(tmp_path: Path) -> None:
    (tmp_path / "l").write_text("a\tX\t1.0\t2\na X\n")
    with pytest.raises(InputError, match="l:2: 1 fields separated by tabs, not 4"):
        Lexicon.load(tmp_path / "l")


@pytest.mark.parametrize("most", [1, 3, 7, 10, 99])
def test_pairs_are_spread_evenly(tmp_path: Path, most: int) -> None:
    (tmp_path / "e").write_text("".join(f"e {k}\n" for k in range(10)))
    (tmp_path / "f").write_text("".join(f"f {k}\n" for k in range(10)))
    pairs = list(spread_pairs(tmp_path / "e", tmp_path / "f", most))
    assert len(pairs) == min(most, 10)
    assert all(e[1] == f[1] for e, f in pairs)
    assert pairs[-1][0] == ["e", "9"]
    steps = {int(b[0][1]) - int(a[0][1]) for a, b in pairwise(pairs)}
    assert not steps or max(steps) - min(steps) <= 1


def test_stage_knows_words_beyond_the_vocabulary(raw: Project) -> None:
    raw.params["preprocess"]["vocabulary"] = 4
    raw.write_raw(train_en="a dog\na cat\n" * 3, train_de="ein Hund\neine Katze\n" * 3)
    raw.succeed("preprocess")
    assert raw.succeed("lexicon").startswith("6 pairs aligned; 12 links of 4 pairs of words")
    assert Lexicon.load(raw.lexicon / "en-de.tsv").best("cat") == "Katze"
    assert Lexicon.load(raw.lexicon / "de-en.tsv").best("Hund") == "dog"


def test_stage_is_deterministic(raw: Project) -> None:
    raw.params["lexicon"]["min_count"] = 1
    raw.succeed("preprocess")
    raw.succeed("lexicon")
    first = (raw.lexicon / "en-de.tsv").read_bytes()
    raw.succeed("lexicon")
    assert (raw.lexicon / "en-de.tsv").read_bytes() == first


def test_preprocess_has_not_run(project: Project) -> None:
    assert "prepared/train.en.tok: no such file" in project.fail("lexicon")


def test_nothing_is_frequent_enough(raw: Project) -> None:
    raw.params["lexicon"]["min_count"] = 100
    raw.succeed("preprocess")
    raw.succeed("lexicon")
    assert len(Lexicon.load(raw.lexicon / "en-de.tsv")) == 0
