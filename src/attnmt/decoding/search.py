"""Beam search as the authors' program does it, over many sentences at once.

For S source words and a beam of B, the first step takes the B best words other than ``</s>``. Every
later step pools the B best words of each hypothesis, ranks them by total log p and keeps the first B
that are not ``</s>``. Each ``</s>`` ranked above the last word kept finishes a translation, if this has
more than floor(0.5 (S + 1)) words, ``</s>`` included. The search ends after floor(1.5 (S + 1)) words, or
when enough translations are finished. If none is finished, the B hypotheses count as finished. Scores
are not normalized by length.

Since log p only falls, a sentence is also done when its best finished translation scores at least as
high as every hypothesis still alive: nothing can overtake it. If the n best are asked for, the n-th
best must score that high.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import torch
from torch import Tensor

from attnmt.config import Average, LinkStep
from attnmt.decoding.ensemble import attended, best_words, joint_attention
from attnmt.decoding.history import Candidate, History, Step
from attnmt.decoding.link_step import SHIFTS
from attnmt.errors import InputError
from attnmt.model.translator import Ids, Translator
from attnmt.text.vocabulary import BOS, EOS

MOST = 1_000_000  # hypotheses of a sentence


@dataclass(frozen=True)
class Search:
    """The options of beam search."""

    beam: int
    candidates: int  # how many finished translations of a sentence are enough
    best: int = 1  # the n of the rule for the n best
    link_step: LinkStep = "same"
    average: Average = "logits"  # how an ensemble's members are averaged

    def __post_init__(self) -> None:
        """Refuse what is no number, and more than a search can hold in memory.

        Raises:
            InputError: naming the option.
        """
        for name in ("beam", "candidates", "best"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= MOST:
                why = f"{repr(value)[:60]} is not a whole number from 1 to {MOST:,}"
                raise InputError(f"{name} of the search: {why}")

    def n_best(self, n: int) -> Self:
        """Return these options for a search of the ``n`` best translations of a sentence."""
        options = replace(self, best=n)
        return replace(options, candidates=max(self.candidates, n))


class _Live(NamedTuple):
    """The N sentences whose search goes on, each with K hypotheses."""

    sentences: Tensor  # their numbers in the batch, [N]
    source_lengths: Tensor  # S, [N]
    words: Tensor  # the last word of each hypothesis, [N, K]
    scores: Tensor  # log p of each hypothesis, [N, K]
    finished: Tensor  # how many translations have finished, [N]
    best: Tensor  # their n highest scores, falling, [N, n]; -inf where there are fewer

    def select(self, rows: Tensor) -> Self:
        """Keep the sentences ``rows``."""
        return type(self)(*(part[rows] for part in self))


@torch.inference_mode()
def search(
    models: Sequence[Translator], sources: Sequence[Ids], options: Search
) -> list[list[Candidate]]:
    """Translate N sentences; return each one's finished translations, in order of finishing.

    Args:
        models: one, or an ensemble with the same vocabularies and reading direction; in eval mode.
        sources: the ids of each sentence in its own order.
    """
    members = [model.start(sources) for model in models]
    history, N, device = History(len(sources)), len(sources), models[0].device
    lengths = torch.tensor([len(ids) for ids in sources], device=device)
    live = _Live(
        torch.arange(N, device=device),
        lengths,
        torch.full_like(lengths[:, None], BOS),
        torch.zeros(N, 1, device=device),
        torch.zeros_like(lengths),
        torch.full((N, options.best), -torch.inf, device=device),
    )
    t = 0
    while len(live.sentences):
        t += 1
        h, weights = zip(*(member.step(live.words) for member in members), strict=True)
        joint = joint_attention(members, weights)
        links = None if joint is None else attended(*joint, live.source_lengths)
        # A beam of 1 also takes the second word, so that </s> cannot leave it with nothing.
        count, excluded = max(options.beam, 2), EOS if t == 1 else None
        log_p, words = best_words(models, h, options.average, count, excluded)
        live, parents = _extend(live, log_p, words, links, t, history, options)
        rows = (~_over(live, t, history, options)).nonzero()[:, 0]
        for member in members:
            member.reorder(rows, parents[rows])
        live = live.select(rows)
    return history.read_back(SHIFTS[options.link_step])


def _extend(
    live: _Live,
    log_p: Tensor,
    words: Tensor,
    attended: Tensor | None,
    t: int,
    history: History,
    options: Search,
) -> tuple[_Live, Tensor]:
    """Take the best continuations of each sentence's hypotheses, and note the step in ``history``.

    Args:
        live: the sentences before the step.
        log_p: log p of each hypothesis' best words, [N, K, P].
        words: these words, [N, K, P].
        attended: the source position that each hypothesis attends to, [N, K]; None without attention.
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
    finishing &= (t > (live.source_lengths + 1) // 2)[:, None]
    finishing &= live.finished[:, None] + finishing.cumsum(1) <= options.candidates
    history.finish(live.sentences, finishing, ranked_parents, ranked)
    words, parents = ranked_words.gather(1, kept), ranked_parents.gather(1, kept)
    history.steps.append(Step(live.sentences, words, parents, attended))
    best = torch.cat([live.best, ranked.masked_fill(~finishing, -torch.inf)], dim=1)
    extended = live._replace(
        words=words,
        scores=ranked.gather(1, kept).masked_fill(missing, -torch.inf),
        finished=live.finished + finishing.sum(1),
        best=best.topk(live.best.shape[1]).values,
    )
    return extended, parents


def _over(live: _Live, t: int, history: History, options: Search) -> Tensor:
    """Return which searches are over after ``t`` words, [N]; each then has a finished translation."""
    longest = 3 * (live.source_lengths + 1) // 2
    over = (t >= longest) | (live.finished >= options.candidates)
    enough = live.finished >= options.best
    over |= enough & (live.best[:, -1] >= live.scores.amax(1))
    unfinished = (over & (live.finished == 0))[:, None] & (live.scores != -torch.inf)
    hypotheses = torch.arange(live.words.shape[1], device=over.device).expand_as(live.words)
    history.finish(live.sentences, unfinished, hypotheses, live.scores)
    return over
