"""Beam search as the authors' program does it, over many sentences at once.

For S source words and a beam of B, the first step takes the B best words other than ``</s>``. Every
later step pools the B best words of each hypothesis, ranks them by total log p and keeps the first B
that are not ``</s>``. Each ``</s>`` ranked above the last word kept finishes a translation, if this has
more than floor(0.5 (S + 1)) words, ``</s>`` included. The search ends after floor(1.5 (S + 1)) words, or
when enough translations are finished. If none is finished, the B hypotheses count as finished. Scores
are not normalized by length.

``Search.rules`` may change the two limits on length, and rank a finished translation Y by
log p / lp(|Y|), with |Y| words, ``</s>`` included (:mod:`attnmt.decoding.rules`). All continuations
in one step have the same length, so lp changes nothing there.

Since log p only falls, a sentence is also done when nothing can overtake its best finished translation.
If the n best are asked for, this is the n-th best. A hypothesis with log p = s <= 0 finishes with log p
of at most s, and with at most M words, after which the search ends. lp never falls as the length grows,
so log p / lp is then at most s / lp(M). The sentence is done when its translation has at least
max(s) / lp(M) over all hypotheses. Without a penalty, lp is 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple, Self

import torch
from torch import Tensor

from attnmt.config import SearchRules
from attnmt.decoding.ensemble import attended, best_words, joint_attention
from attnmt.decoding.rules import Limits, limits, penalty
from attnmt.model.luong import Ids, LuongNMT
from attnmt.text.vocabulary import BOS, EOS


class Hypothesis(NamedTuple):
    """A finished translation."""

    words: list[int]  # without </s>
    score: float  # sum of log p, </s> included where the search produced it
    links: list[int]  # the source position that each word is linked to; empty without attention


@dataclass(frozen=True)
class Search:
    """The options of beam search."""

    beam: int
    candidates: int  # how many finished translations of a sentence are enough
    best: int = 1  # the n of the rule for the n best
    attention_offset: int = 0  # which step links a word (:mod:`attnmt.decoding.attention_offset`)
    rules: SearchRules = field(default_factory=SearchRules)

    def n_best(self, n: int) -> Self:
        """Return these options for a search of the ``n`` best translations of a sentence."""
        options = replace(self, best=n)
        return replace(options, candidates=max(self.candidates, n))

    def limits(self, S: int) -> Limits:
        """Return how long the translations of a sentence of S words may be."""
        return limits(self.rules, S)

    def rank(self, hypothesis: Hypothesis) -> float:
        """Return what a finished translation is ranked by."""
        return float(hypothesis.score / penalty(self.rules, len(hypothesis.words) + 1))


class _Live(NamedTuple):
    """The N sentences whose search goes on, each with K hypotheses of t words."""

    sentences: Tensor  # their numbers in the batch, [N]
    source_lengths: Tensor  # S, [N]
    least: Tensor  # see ``Limits``, [N]
    most: Tensor
    words: Tensor  # <s> and the words of each hypothesis, [N, K, 1 + t]
    attended: Tensor  # the source position that each of its steps attended to, [N, K, t]
    scores: Tensor  # log p of each hypothesis, [N, K]
    finished: Tensor  # how many translations have finished, [N]
    best: Tensor  # what their n best are ranked by, falling, [N, n]; -inf where there are fewer

    def select(self, rows: Tensor) -> Self:
        """Keep the sentences ``rows``."""
        return type(self)(*(part[rows] for part in self))


class _Finished(NamedTuple):
    """Hypotheses of N sentences that finish in one step, on the device, so that no step waits."""

    sentences: Tensor  # their numbers in the batch, [N]
    which: Tensor  # whether each entry finishes, [N, F]; in a row, from left to right
    hypotheses: Tensor  # the entries' numbers among the sentence's hypotheses, [N, F]
    scores: Tensor  # [N, F]
    words: Tensor  # <s> and the words of the sentences' hypotheses, [N, K, 1 + t]
    attended: Tensor  # source positions of their steps, that of </s> included, [N, K, 1 + t]

    def entries(self) -> Iterator[tuple[int, Hypothesis]]:
        """Yield the number of the sentence, and a hypothesis that links words by all its steps."""
        rows, columns = self.which.nonzero().unbind(1)
        chosen = rows, self.hypotheses[rows, columns]
        words, attended = self.words[chosen][:, 1:], self.attended[chosen]
        parts = (self.sentences[rows], words, self.scores[rows, columns], attended)
        for i, *hypothesis in zip(*(part.tolist() for part in parts), strict=True):
            yield i, Hypothesis(*hypothesis)


@torch.inference_mode()
def search(
    models: Sequence[LuongNMT], sources: Sequence[Ids], options: Search
) -> list[list[Hypothesis]]:
    """Translate N sentences; return each one's finished translations, in order of finishing.

    Args:
        models: one, or an ensemble with the same vocabularies and reading direction; in eval mode.
        sources: the ids of each sentence in its own order.
    """
    own = [options.limits(len(ids)) for ids in sources]
    members = [model.start(sources) for model in models]
    N, device = len(sources), models[0].device
    lengths = torch.tensor([len(ids) for ids in sources], device=device)
    least, most_words = torch.tensor(own, device=device).unbind(1)
    live = _Live(
        torch.arange(N, device=device),
        lengths,
        least,
        most_words,
        torch.full_like(lengths[:, None, None], BOS),
        lengths.new_zeros(N, 1, 0),
        torch.zeros(N, 1, device=device),
        torch.zeros_like(lengths),
        torch.full((N, options.best), -torch.inf, device=device),
    )
    finished: list[_Finished] = []
    t, attends = 0, False
    while len(live.sentences):
        t += 1
        h, weights = zip(*(member.step(live.words[:, :, -1]) for member in members), strict=True)
        joint = joint_attention(members, weights)
        if attends := joint is not None:
            links = attended(*joint, live.source_lengths)
            live = live._replace(attended=torch.cat([live.attended, links[:, :, None]], dim=2))
        # A single hypothesis fills the beam even if </s> is among its words.
        count = options.beam + (live.words.shape[1] == 1)
        log_p, words = best_words(models, h, count, ends=t > 1)
        live, parents = _extend(live, log_p, words, t, finished, options)
        rows = (~_over(live, t, finished, options)).nonzero()[:, 0]
        for member in members:
            member.reorder(rows, parents[rows])
        live = live.select(rows)
    return read_back(finished, N, options.attention_offset if attends else None)


def _extend(
    live: _Live, log_p: Tensor, words: Tensor, t: int, finished: list[_Finished], options: Search
) -> tuple[_Live, Tensor]:
    """Take the best continuations of each sentence's hypotheses, and note those that finish.

    Args:
        live: the sentences before the step, but with what it attends to.
        log_p: log p of each hypothesis' best words, [N, K, P].
        words: these words, [N, K, P].
        t: the step, 1 at the first.

    Returns:
        The sentences after the step, and the hypothesis that each new one extends, [N, B].
    """
    totals = (live.scores[:, :, None] + log_p).flatten(1)
    ranked, order = totals.sort(dim=1, descending=True, stable=True)
    ranked_words, ranked_parents = words.flatten(1).gather(1, order), order // log_p.shape[2]
    ends = ranked_words == EOS
    # The stable sort puts words first, in their order, and </s> last.
    kept = ends.byte().sort(dim=1, stable=True).indices[:, : options.beam]
    missing = ends.gather(1, kept)  # only a vocabulary smaller than the beam leaves too few words
    ranks = torch.arange(ends.shape[1], device=ends.device)
    finishing = ends & ((ranks < kept[:, -1:]) | missing[:, -1:]) & (ranked != -torch.inf)
    finishing &= (t > live.least)[:, None]
    finishing &= live.finished[:, None] + finishing.cumsum(1) <= options.candidates
    ended = live.sentences, finishing, ranked_parents, ranked, live.words, live.attended
    finished.append(_Finished(*ended))
    parents = ranked_parents.gather(1, kept)
    best = (ranked / penalty(options.rules, t)).masked_fill(~finishing, -torch.inf)
    new_words = ranked_words.gather(1, kept)[:, :, None]
    extended = live._replace(
        words=torch.cat([_of(live.words, parents), new_words], dim=2),
        attended=_of(live.attended, parents),
        scores=ranked.gather(1, kept).masked_fill(missing, -torch.inf),
        finished=live.finished + finishing.sum(1),
        best=torch.cat([live.best, best], dim=1).topk(live.best.shape[1]).values,
    )
    return extended, parents


def _of(parts: Tensor, hypotheses: Tensor) -> Tensor:
    """Return the rows [N, B, t] that belong to hypotheses [N, B], of rows [N, K, t]."""
    return parts.gather(1, hypotheses[:, :, None].expand(-1, -1, parts.shape[2]))


def _over(live: _Live, t: int, finished: list[_Finished], options: Search) -> Tensor:
    """Return which searches are over after ``t`` words, [N]; each then has a finished translation."""
    over = (t >= live.most) | (live.finished >= options.candidates)
    enough = live.finished >= options.best
    bound = live.scores.amax(1) / penalty(options.rules, live.most)
    over |= enough & (live.best[:, -1] >= bound)
    unfinished = (over & (live.finished == 0))[:, None] & (live.scores != -torch.inf)
    hypotheses = torch.arange(live.words.shape[1], device=over.device).expand(unfinished.shape)
    # A translation that is cut off has no step after its last word, which that step links again.
    steps = torch.cat([live.attended, live.attended[:, :, -1:]], dim=2)
    cut = live.sentences, unfinished, hypotheses, live.scores, live.words, steps
    finished.append(_Finished(*cut))
    return over


def read_back(
    finished: Sequence[_Finished], sentences: int, offset: int | None
) -> list[list[Hypothesis]]:
    """Return each sentence's hypotheses in order of finishing; ``offset`` is None without attention."""
    found: list[list[Hypothesis]] = [[] for _ in range(sentences)]
    for i, one in chain.from_iterable(step.entries() for step in finished):
        links = [] if offset is None else one.links[offset : offset + len(one.words)]
        found[i].append(one._replace(links=links))
    return found
