"""Beam search against exhaustive search on tiny vocabularies, and its invariances."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnmt.config import ModelShape, SearchRules, System
from attnmt.decoding.batched import search_all
from attnmt.decoding.forced_decoding import force
from attnmt.decoding.search import Hypothesis, Search, search
from attnmt.decoding.unknown import replace_unknown
from attnmt.model.luong import Ids, LuongNMT, ModelConfig
from attnmt.text.batches import make_batch
from attnmt.text.vocabulary import EOS

MANY = 1000  # translations, more than are ever finished: no search stops early for the n best
WORDS = 4  # of the target: <unk>, <s>, </s> and one more
ATTENTIONS = {
    "none": System(reverse=True),
    "local_p_feed": System(attention="local_p", score="general", input_feeding=True, reverse=True),
    "location": System(attention="global", score="location"),
    "gru": System(attention="global", score="concat"),
    "faulty": System(
        attention="global",
        score="dot",
        input_feeding=True,
        reverse=True,
        faults=["unmasked_padding"],
    ),
}


def tiny(system: System, seed: int, words: int = WORDS, init: float = 1.5) -> LuongNMT:
    cell = "gru" if system is ATTENTIONS["gru"] else "lstm"
    shape = ModelShape(cell=cell, layers=1, size=4, window_D=2, location_slots=6, init=init)
    model = LuongNMT(ModelConfig(system, shape, 7, words)).double()
    model.initialize(seed)
    return model.eval()


def sentences(lengths: list[int], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(3, 7, n, dtype=np.int32) for n in lengths]


class Scored(NamedTuple):
    words: list[int]
    score: float


WIDE = Search(beam=3**6, candidates=10**6)  # which holds every hypothesis


def exhaustive(models: Sequence[LuongNMT], source: np.ndarray, options: Search = WIDE) -> Scored:
    """Return the best of all translations that the rules allow, scored by forced decoding."""
    S, rules = len(source), options.rules
    least = int((0.5 if rules.min_ratio is None else rules.min_ratio) * (S + 1))
    most = int((rules.max_ratio or 1.5) * (S + 1))
    lengths = range(min(max(least, 1), most - 1), most)  # without </s>
    alphabet = [w for w in range(WORDS) if w != EOS]
    targets = [
        np.array(words, dtype=np.int32)
        for n in lengths
        for words in itertools.product(alphabet, repeat=n)
    ]
    assert models[0].target_words == WORDS
    forced = force(models, [source] * len(targets), targets)
    scores = [one.score for one in forced]
    match rules.length_penalty:
        case "average":
            ranks = [sum(one.log_p) / len(one.log_p) for one in forced]
        case "gnmt":  # as in the paper
            alpha = rules.alpha
            ranks = [
                sum(one.log_p) / ((5 + len(one.log_p)) ** alpha / (5 + 1) ** alpha)
                for one in forced
            ]
        case _:
            ranks = scores
    i = int(np.argmax(ranks))
    return Scored(targets[i].tolist(), scores[i])


RULES = {
    "average": SearchRules(length_penalty="average"),
    "gnmt": SearchRules(length_penalty="gnmt", alpha=0.7),
    "ratios": SearchRules(min_ratio=0.8, max_ratio=1.3),
    "from nothing": SearchRules(min_ratio=0, max_ratio=1),
    "contradiction": SearchRules(min_ratio=1.0, max_ratio=1.0),
}


MEMBERS = ("none", "local_p_feed")  # of different architectures that read in the same direction
CASES = [((name,), "the usual") for name in [*ATTENTIONS]] + [(MEMBERS, "the usual")]
CASES += [(("local_p_feed",), name) for name in RULES] + [(MEMBERS, "gnmt")]


@pytest.mark.parametrize(("names", "rules"), CASES, ids=str)
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), length=st.integers(1, 3))
def test_a_wide_beam_finds_the_best_translation(names, rules, seed, length):
    models = [tiny(ATTENTIONS[name], seed) for name in names]
    source = sentences([length], seed)[0]
    wide = replace(WIDE, rules=RULES.get(rules, SearchRules()))
    expected = exhaustive(models, source, wide)
    best = search_all(models, [source], wide, batch_size=1)[0][0]
    assert best.score == pytest.approx(expected.score, abs=1e-9)
    assert best.words == expected.words


def narrow(model: LuongNMT, source: Ids, options: Search) -> list[Scored]:
    """Return what a beam finishes, in plain Python.

    Each hypothesis offers as many words as the beam has; the first, which is alone, offers one more.
    """

    def log_p(words: list[int]) -> list[float]:
        """Return log p of each next word."""
        longer = [np.array([*words, w], dtype=np.int32) for w in range(WORDS) if w != EOS]
        forced = force([model], [source] * len(longer), longer)
        following = [one.log_p[len(words)] for one in forced]
        (ended,) = force([model], [source], [np.array(words, dtype=np.int32)])
        return [*following[:EOS], ended.log_p[-1], *following[EOS:]]

    least, most = options.limits(len(source))
    live, finished = [Scored([], 0.0)], []
    for t in range(1, most + 1):
        offered = []
        for words, score in live:
            best = sorted(enumerate(log_p(words)), key=lambda item: -item[1])
            offered += [
                (w, Scored([*words, w], score + p))
                for w, p in best[: options.beam + (len(live) == 1)]
            ]
        offered.sort(key=lambda item: -item[1].score)
        live = []
        for w, one in offered:
            if len(live) == options.beam:
                break
            if w != EOS:
                live.append(one)
            elif t > least:
                finished.append(Scored(one.words[:-1], one.score))
    return finished or live


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), beam=st.integers(1, 3), length=st.integers(2, 4))
def test_a_narrow_beam_is_that_of_plain_python(seed, beam, length):
    model, (source,) = tiny(ATTENTIONS["local_p_feed"], seed), sentences([length], seed)
    options = Search(beam, MANY, best=MANY, rules=SearchRules(max_ratio=1))
    expected, (found,) = narrow(model, source, options), search([model], [source], options)
    assert [one.words for one in found] == [one.words for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected])


def test_an_ensemble_averages_logits():
    """The score of a forced translation is computed here by hand."""
    models = [tiny(ATTENTIONS[name], 4) for name in MEMBERS]
    pairs = sentences([3, 2], 1), [np.array([3, 0]), np.array([3])]
    batch = make_batch(*pairs, True)
    logits = [m.logits(m(batch.source, batch.source_lengths, batch.words)[0]) for m in models]
    log_p = torch.log_softmax(sum(logits) / 2, dim=-1)
    log_p = log_p.gather(2, batch.next_words[..., None])[..., 0]
    for row, n, forced in zip(log_p, batch.lengths, force(models, *pairs), strict=True):
        assert forced.log_p == pytest.approx(row[:n].tolist())
        assert forced.score == pytest.approx(row[:n].sum().item())


def same(a: Sequence[Hypothesis], b: Sequence[Hypothesis]) -> None:
    assert [(c.words, c.links) for c in a] == [(c.words, c.links) for c in b]
    assert [c.score for c in a] == pytest.approx([c.score for c in b])


@pytest.mark.parametrize("name", ["none", "local_p_feed"])
@settings(max_examples=12)
@given(
    seed=st.integers(0, 10_000),
    beam=st.integers(1, 6),
    n=st.integers(1, 3),
    candidates=st.integers(1, 20),
    rules=st.sampled_from([SearchRules(), *RULES.values()]),
)
def test_stopping_early_gives_the_same_best(name, seed, beam, n, candidates, rules):
    model = tiny(ATTENTIONS[name], seed, words=8)
    texts = sentences([4, 1, 6], seed)
    options = Search(beam, candidates, best=n, rules=rules)
    early = search([model], texts, options)
    to_the_end = search([model], texts, replace(options, best=MANY))
    for some, everything in zip(early, to_the_end, strict=True):
        assert len(some) <= len(everything)
        same(*(sorted(c, key=options.rank, reverse=True)[:n] for c in (some, everything)))


@pytest.mark.parametrize("name", ["location", "local_p_feed", "gru"])
def test_batches_and_order_change_nothing(name):
    model = tiny(ATTENTIONS[name], 5, words=9)
    texts = sentences([5, 1, 7, 3, 3, 9, 2, 6], 5)
    options = Search(beam=4, candidates=20)
    whole = search_all([model], texts, options, batch_size=64)
    for size in (1, 3):
        for a, b in zip(whole, search_all([model], texts, options, size), strict=True):
            same(a, b)
    backwards = search_all([model], texts[::-1], options, batch_size=64)[::-1]
    assert [c[0].words for c in backwards] == [c[0].words for c in whole]


def test_threads_share_out_the_batches_and_change_nothing():
    model, texts = tiny(ATTENTIONS["local_p_feed"], 5, words=9), sentences([5, 1, 7, 3, 3, 9, 2], 5)
    options, before, results = Search(beam=4, candidates=20), torch.get_num_threads(), []
    try:
        for threads in (1, 4):
            torch.set_num_threads(threads)
            results.append(search_all([model], texts, options, 3))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert results[0] == results[1]


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("seeds", [(3,), (3, 8)], ids=["model", "ensemble"])
def test_scores_and_links_are_those_of_forced_decoding(seeds, offset):
    models = [tiny(ATTENTIONS["local_p_feed"], seed, words=9, init=0.3) for seed in seeds]
    texts = sentences([5, 8, 3, 2, 4], 8)
    options = Search(beam=9, candidates=20, best=MANY, attention_offset=offset)
    compared = 0
    for source, candidates in zip(texts, search_all(models, texts, options, 5), strict=True):
        for candidate in candidates:
            if len(candidate.words) == 3 * (len(source) + 1) // 2:
                continue  # cut off, so its score has no </s>
            compared += 1
            target = np.array(candidate.words, dtype=np.int32)
            (forced,) = force(models, [source], [target])
            assert candidate.score == pytest.approx(forced.score)
            assert candidate.links == forced.links(offset)
    assert compared > 3


def test_unknown_words_are_replaced_through_their_first_link():
    dictionary = {"Tisch": "table"}
    source = ["Der", "Tisch", "von", "Zerburg"]
    words = ["the", "<unk>", "from", "<unk>"]
    links = [(0, 0), (1, 1), (2, 2), (3, 3)]
    replaced = ["the", "table", "from", "Zerburg"]
    assert replace_unknown(words, source, links, dictionary) == replaced
    assert replace_unknown(words, source, [], dictionary) == words
    several = [(0, 1), (1, 1), (3, 3)]  # where a word has two links, the first counts
    assert replace_unknown(words, source, several, dictionary) == ["the", "Der", "from", "Zerburg"]
