"""Beam search against exhaustive search on tiny vocabularies, and its invariances."""

import itertools
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnmt.config import Average, LinkStep, ModelShape, SearchRules, System
from attnmt.decoding.batched import _side_by_side, search_all
from attnmt.decoding.forced import force
from attnmt.decoding.history import Hypothesis
from attnmt.decoding.pipeline import authors_step
from attnmt.decoding.search import Search, changed_rules, search
from attnmt.decoding.unknown import replace_unknown
from attnmt.model.translator import Ids, ModelConfig, Translator
from attnmt.text.batches import make_batch
from attnmt.text.dictionary import Dictionary
from attnmt.text.vocabulary import BOS, EOS

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


def tiny(system: System, seed: int, words: int = WORDS, init: float = 1.5) -> Translator:
    cell = "gru" if system is ATTENTIONS["gru"] else "lstm"
    shape = ModelShape(cell=cell, layers=1, size=4, window_D=2, location_slots=6, init=init)
    model = Translator(ModelConfig(system, shape, 7, words)).double()
    model.initialize(seed)
    return model.eval()


def sentences(lengths: list[int], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(3, 7, n, dtype=np.int32) for n in lengths]


class Scored(NamedTuple):
    words: list[int]
    score: float


WIDE = Search(beam=3**6, candidates=10**6)  # which holds every hypothesis


def exhaustive(models: Sequence[Translator], source: np.ndarray, options: Search = WIDE) -> Scored:
    """Return the best of all translations that the rules allow, scored by forced decoding."""
    S, rules = len(source), options.rules
    least = int((0.5 if rules.min_ratio is None else rules.min_ratio) * (S + 1))
    most = int((rules.max_ratio or 1.5) * (S + 1))
    most = min(most, rules.max_length or most)
    lengths = range(min(max(least, rules.min_length or 1), most - 1), most)  # without </s>
    alphabet = [w for w in range(WORDS) if w != EOS]
    targets = [
        np.array(words, dtype=np.int32)
        for n in lengths
        for words in itertools.product(alphabet, repeat=n)
    ]
    assert models[0].target_words == WORDS
    forced = force(models, [source] * len(targets), targets, options.average, options.shares)
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


MEMBERS = ("none", "local_p_feed")  # of different architectures that read in the same direction
AVERAGES = get_args(Average)


@pytest.mark.parametrize(
    ("names", "average"),
    [*(((name,), "logits") for name in ATTENTIONS), *((MEMBERS, average) for average in AVERAGES)],
)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), length=st.integers(1, 3))
def test_a_wide_beam_finds_the_best_translation(names, average, seed, length):
    models = [tiny(ATTENTIONS[name], seed) for name in names]
    source = sentences([length], seed)[0]
    wide = replace(WIDE, average=average)
    expected = exhaustive(models, source, wide)
    best = search_all(models, [source], wide, batch_size=1)[0][0]
    assert best.score == pytest.approx(expected.score, abs=1e-9)
    assert best.words == expected.words


RULES = {
    "average": SearchRules(length_penalty="average"),
    "gnmt": SearchRules(length_penalty="gnmt", alpha=0.7),
    "ratios": SearchRules(min_ratio=0.8, max_ratio=1.3),
    "from nothing": SearchRules(min_ratio=0, max_ratio=1),
    "lengths": SearchRules(min_length=2, max_length=4, length_penalty="average"),
    "contradiction": SearchRules(min_ratio=1.0, max_ratio=1.0),
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("names", [("local_p_feed",), MEMBERS], ids=["model", "ensemble"])
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    length=st.integers(2, 3),
    average=st.sampled_from(AVERAGES),
)
def test_a_wide_beam_finds_the_best_translation_by_the_rules(names, rules, seed, length, average):
    models = [tiny(ATTENTIONS[name], seed) for name in names]
    source = sentences([length], seed)[0]
    shares = (0.3, 0.7)[: len(models)] if len(models) > 1 else None
    wide = replace(WIDE, average=average, shares=shares, rules=rules)
    expected = exhaustive(models, source, wide)
    best = search_all(models, [source], wide, batch_size=1)[0][0]
    assert best.score == pytest.approx(expected.score, abs=1e-9)
    assert best.words == expected.words


def narrow(model: Translator, source: Ids, options: Search) -> list[Scored]:
    """Return what a beam finishes, in plain Python.

    Each hypothesis offers as many words as the beam has. If there is only one, it offers one more.
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


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), beam=st.integers(1, 3), length=st.integers(2, 4))
def test_a_narrow_beam_is_that_of_plain_python(seed, beam, length):
    model, (source,) = tiny(ATTENTIONS["local_p_feed"], seed), sentences([length], seed)
    options = Search(beam, MANY, best=MANY, rules=SearchRules(max_length=5))
    expected, (found,) = narrow(model, source, options), search([model], [source], options)
    assert [one.words for one in found] == [one.words for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected])


def test_another_penalty_does_not_keep_the_alpha_of_the_first():
    assert changed_rules(RULES["gnmt"], {"length_penalty": "average"}) == RULES["average"]
    assert changed_rules(RULES["gnmt"], {"length_penalty": None}) == RULES["gnmt"]


def test_lengths_are_exact_where_binary_fractions_are_not():
    limits = Search(1, 1, rules=SearchRules(min_ratio=0.29, max_ratio=1.1)).limits(99)
    assert limits == (29, 110)
    assert Search(1, 1, rules=SearchRules(min_ratio=0, max_ratio=0.1)).limits(3).most == 1


def test_the_greatest_length_counts_where_the_least_is_above_it():
    assert Search(1, 1, rules=SearchRules(max_length=10)).limits(40) == (9, 10)
    assert Search(1, 1, rules=SearchRules(min_length=9)).limits(4) == (6, 7)
    assert Search(1, 1, rules=SearchRules(max_length=1)).limits(4) == (0, 1)


def test_members_attend_by_their_shares():
    models = [tiny(ATTENTIONS["local_p_feed"], seed) for seed in (1, 2)]
    pair = sentences([3], 1), [np.array([3, 0])]
    first, second = (force([model], *pair)[0].weights for model in models)
    (both,) = force(models, *pair, shares=(0.25, 0.75))
    np.testing.assert_allclose(both.weights, 0.25 * first + 0.75 * second)
    (alone,) = force([models[0], tiny(ATTENTIONS["none"], 1)], *pair, shares=(0.25, 0.75))
    np.testing.assert_allclose(alone.weights.sum(axis=1), first.sum(axis=1))


@pytest.mark.parametrize("shares", [None, (0.2, 0.8)])
@pytest.mark.parametrize("average", AVERAGES)
def test_an_ensemble_averages_logits_or_probabilities_as_it_is_told(average, shares):
    """The score of a forced translation is computed here by hand."""
    models = [tiny(ATTENTIONS[name], 4) for name in MEMBERS]
    pairs = sentences([3, 2], 1), [np.array([3, 0]), np.array([3])]
    batch = make_batch(*pairs, True)
    logits = torch.stack(
        [m.logits(m(batch.source, batch.source_lengths, batch.words)[0]) for m in models]
    )
    share = torch.tensor(shares or (0.5, 0.5), dtype=logits.dtype)[:, None, None, None]
    if average == "logits":
        p = torch.softmax((share * logits).sum(dim=0), dim=-1)
    else:
        p = (share * torch.softmax(logits, dim=-1)).sum(dim=0)
    log_p = p.gather(2, batch.next_words[..., None])[..., 0].log()
    given = force(models, *pairs, average, shares)
    for row, n, forced in zip(log_p, batch.lengths, given, strict=True):
        assert forced.log_p == pytest.approx(row[:n].tolist())
        assert forced.score == pytest.approx(row[:n].sum().item())


def test_the_authors_shift_only_content_scores_by_one_step():
    none, local_p, location, gru, _ = (tiny(system, 1) for system in ATTENTIONS.values())
    steps = [authors_step([model]) for model in (none, local_p, location, gru)]
    assert steps == ["same", "next", "same", "same"]
    assert authors_step([location, local_p, none]) == "next"


def same(a: Sequence[Hypothesis], b: Sequence[Hypothesis]) -> None:
    assert [(c.words, c.links) for c in a] == [(c.words, c.links) for c in b]
    assert [c.score for c in a] == pytest.approx([c.score for c in b])


@pytest.mark.parametrize("name", ATTENTIONS)
@settings(max_examples=20, deadline=None)
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


@pytest.mark.parametrize("name", [name for name in ATTENTIONS if name != "faulty"])
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


@pytest.mark.parametrize("name", ["local_p_feed", "gru"])
def test_a_step_in_parts_changes_nothing(name, monkeypatch):
    model, texts = tiny(ATTENTIONS[name], 5, words=9), sentences([5, 1, 7], 5)
    whole = search([model], texts, Search(beam=4, candidates=20))
    monkeypatch.setattr("attnmt.model.fast.stepper.ROWS", 5)
    for a, b in zip(whole, search([model], texts, Search(beam=4, candidates=20)), strict=True):
        same(a, b)


def test_threads_share_out_the_batches_and_change_nothing(monkeypatch):
    model, texts = tiny(ATTENTIONS["local_p_feed"], 5, words=9), sentences([5, 1, 7, 3, 3, 9, 2], 5)
    options, used = Search(beam=4, candidates=20), []
    start = model.start
    monkeypatch.setattr(model, "start", lambda s: used.append(torch.get_num_threads()) or start(s))
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = search_all([model], texts, options, 3)
        torch.set_num_threads(4)
        assert search_all([model], texts, options, 3) == alone
        assert used == [1] * 6
        search_all([model], texts, options, 4)
        assert used[6:] == [2, 2]
        with ThreadPoolExecutor(1) as later:
            assert later.submit(torch.get_num_threads).result() == torch.get_num_threads() == 4
    finally:
        torch.set_num_threads(before)


def test_threads_that_wait_for_one_that_cannot_start_end(monkeypatch):
    """Otherwise they would keep the process from ending."""
    before, started = torch.get_num_threads(), list[ThreadPoolExecutor]()
    submit = ThreadPoolExecutor.submit

    def one_alone(pool: ThreadPoolExecutor, *task: Any) -> Future[Any]:
        if pool in started:
            raise RuntimeError("can't start new thread")
        started.append(pool)
        return submit(pool, *task)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", one_alone)
    try:
        torch.set_num_threads(2)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            list(_side_by_side(lambda rows: rows, [[0], [1]], torch.device("cpu")))
        started[0].shutdown(wait=False)
        for thread in started[0]._threads:
            thread.join(timeout=20)
            assert not thread.is_alive()
    finally:
        torch.set_num_threads(before)


def test_a_text_of_one_batch_does_not_wait_for_a_long_one():
    before, cpu = torch.get_num_threads(), torch.device("cpu")
    try:
        torch.set_num_threads(2)
        with closing(_side_by_side(lambda rows: rows, [[0], [1], [2]], cpu)) as long:
            assert next(long) == [0]
            with ThreadPoolExecutor(1) as other:
                short = other.submit(lambda: [*_side_by_side(lambda rows: rows, [[3]], cpu)])
                assert short.result(timeout=20) == [[3]]
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("step", get_args(LinkStep))
@pytest.mark.parametrize("shares", [None, (0.05, 0.95)], ids=["model", "weighted ensemble"])
def test_scores_and_links_are_those_of_forced_decoding(shares, step):
    seeds = (3, 8)[: len(shares or "1")]
    models = [tiny(ATTENTIONS["local_p_feed"], seed, words=9, init=0.3) for seed in seeds]
    texts = sentences([5, 8, 3, 2, 4], 8)
    options = Search(beam=9, candidates=20, best=MANY, link_step=step, shares=shares)
    compared = 0
    for source, candidates in zip(texts, search_all(models, texts, options, 5), strict=True):
        for candidate in candidates:
            if len(candidate.words) == 3 * (len(source) + 1) // 2:
                continue  # cut off, so its score has no </s>
            compared += 1
            target = np.array(candidate.words, dtype=np.int32)
            (forced,) = force(models, [source], [target], shares=shares)
            assert candidate.score == pytest.approx(forced.score)
            assert candidate.links == forced.links(step)
    assert compared > 3


class Bigrams:
    """A model of another kind: p(word | last word), and every word is linked to a place of its own."""

    device, target_words = torch.device("cpu"), WORDS

    def __init__(self, seed: int) -> None:
        table = torch.randn(WORDS, WORDS, generator=torch.Generator().manual_seed(seed)) * 2
        self.log_p = table.double().log_softmax(dim=1)

    def start(self, sources: Sequence[Ids]) -> "LastWords":
        return LastWords(len(max(sources, key=len)), len(sources))

    def logits(self, h: Tensor) -> Tensor:
        return self.log_p[h[..., 0]]


class LastWords:
    """The last word of each hypothesis, which is all that the next word depends on."""

    def __init__(self, places: int, sentences: int) -> None:
        self.positions = torch.arange(places).expand(sentences, -1)

    def step(self, words: Tensor) -> tuple[Tensor, Tensor]:
        weights = 1.0 / (1 + (self.positions[:, None] - words[:, :, None]) ** 2)
        return words[:, :, None], weights

    follow = step

    def reorder(self, sentences: Tensor, parents: Tensor) -> None:
        self.positions = self.positions[sentences]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_model_of_another_kind_is_searched_and_force_decoded(seed):
    model, sources = Bigrams(seed), sentences([1, 3, 2], seed)
    wide = replace(WIDE, best=MANY, link_step="next")
    for source, candidates in zip(sources, search_all([model], sources, wide, 3), strict=True):
        expected = exhaustive([model], source)
        assert candidates[0].words == expected.words
        assert candidates[0].score == pytest.approx(expected.score, abs=1e-9)
        ended = [c for c in candidates if len(c.words) < 3 * (len(source) + 1) // 2]
        targets = [np.array(c.words, dtype=np.int32) for c in ended]
        for one, forced in zip(ended, force([model], [source] * len(ended), targets), strict=True):
            path = torch.tensor([BOS, *one.words, EOS])
            log_p = model.log_p[path[:-1], path[1:]].tolist()
            assert forced.log_p == pytest.approx(log_p)
            assert one.score == pytest.approx(sum(log_p))
            # Step t + 1 reads word t, and its largest weight is at this word's number or at the end.
            assert one.links == forced.links("next")
            assert one.links == [min(word, len(source) - 1) for word in one.words]


def test_models_of_two_kinds_translate_together():
    models = [Bigrams(1), tiny(ATTENTIONS["none"], 1)]
    (source,) = sentences([3], 1)
    expected = exhaustive(models, source)
    (found,) = search(models, [source], WIDE)
    best = max(found, key=lambda c: c.score)
    assert (best.words, best.score) == (expected.words, pytest.approx(expected.score))


def test_the_lengths_of_translations_keep_to_the_rules():
    model = tiny(ATTENTIONS["none"], 1, words=9, init=0.1)
    for S in range(1, 12):
        found = search([model], sentences([S], S), Search(3, 1000, best=MANY))
        for candidate in found[0]:
            words = len(candidate.words) + 1  # </s>
            assert (S + 1) // 2 < words <= 3 * (S + 1) // 2 + 1
            assert EOS not in candidate.words


def test_if_no_translation_ends_the_beam_is_returned(monkeypatch):
    model = tiny(ATTENTIONS["local_p_feed"], 1, words=9)
    plain = model.logits

    def endless(h_tilde: torch.Tensor) -> torch.Tensor:
        logits = plain(h_tilde)
        logits[..., EOS] -= 1e3
        return logits

    monkeypatch.setattr(model, "logits", endless)
    S = 2
    found = search([model], sentences([S], 0), Search(beam=3, candidates=20))[0]
    assert len(found) == 3
    assert all(len(c.words) == len(c.links) == 3 * (S + 1) // 2 for c in found)


def test_unknown_words_are_replaced_through_their_first_link():
    dictionary = Dictionary({"Tisch": "table"})
    source = ["Der", "Tisch", "von", "Zerburg"]
    words = ["the", "<unk>", "from", "<unk>"]
    links = [(0, 0), (1, 1), (2, 2), (3, 3)]
    replaced = ["the", "table", "from", "Zerburg"]
    assert replace_unknown(words, source, links, dictionary) == replaced
    assert replace_unknown(words, source, [], dictionary) == words
    several = [(0, 1), (1, 1), (3, 3)]  # where a word has two links, the first counts
    assert replace_unknown(words, source, several, dictionary) == ["the", "Der", "from", "Zerburg"]
