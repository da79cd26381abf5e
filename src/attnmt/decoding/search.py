"""Beam search as the authors' program does it, over many sentences at once.

Of S source words and beam B: the first step takes the B best words other than ``</s>``. Every later
step pools the B best words of each hypothesis, ranks them by total log p, keeps the first B that are
not ``</s>``, and finishes each ``</s>`` ranked above the last one kept if the translation then has more
than floor(0.5 (S + 1)) words, ``</s>`` included. It ends after floor(1.5 (S + 1)) words or when enough
are finished. If none finished, the B hypotheses themselves are. No length normalisation.

As log p only falls, a sentence is also done when its best finished translation scores at least as high
as every hypothesis still alive: nothing can overtake it. For the n best, the n-th best finished counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from attnmt.config import Average, LinkStep
from attnmt.data.vocabulary import BOS, EOS
from attnmt.decoding.ensemble import attended, averaged, link_shift, log_probabilities
from attnmt.model.attention import Memory
from attnmt.model.recurrent import State
from attnmt.model.translator import Translator


class Candidate(NamedTuple):
    """A finished translation."""

    words: list[int]  # without </s>
    score: float  # sum of log p, </s> included where the search produced it
    links: list[int]  # the source position that each word is linked to; empty without attention


@dataclass(frozen=True)
class Search:
    """The options of beam search."""

    beam: int
    candidates: int  # enough finished translations
    best: int | None = 1  # how many of the best must be right; None follows the rules to their end
    link_step: LinkStep = "same"
    average: Average = "logits"  # of the members of an ensemble
    bos: int = BOS
    eos: int = EOS


@dataclass
class _Decoder:
    """One model's part of the search: N live sentences with K hypotheses each."""

    model: Translator
    memory: Memory | None
    state: State
    fed: Tensor | None = None

    def step(self, words: Tensor, t: int) -> tuple[Tensor, Tensor | None]:
        """Advance all hypotheses by their last words [N, K]; return logits [N, K, V] and weights."""
        decoder = self.model.decoder
        self.fed, self.state, weights = decoder.step(words, self.fed, self.state, self.memory, t)
        return self.model.logits(self.fed), weights

    def select(self, sentences: Tensor, parents: Tensor) -> None:
        """Keep ``sentences`` [n]; of each, the hypotheses ``parents`` [n, K]."""
        assert self.fed is not None
        hypotheses = self.fed.shape[1]
        rows = (sentences[:, None] * hypotheses + parents).flatten()
        self.state = tuple(tuple(part[rows] for part in layer) for layer in self.state)
        self.fed = self.fed.flatten(0, 1)[rows].unflatten(0, parents.shape)
        if self.memory is not None and len(sentences) < len(self.memory.lengths):
            self.memory = self.memory.select(sentences)


@dataclass
class _Sentence:
    """The history of one sentence's beam, from which translations are read back."""

    source_length: int
    words: list[list[int]] = field(default_factory=list)  # by step, the K words taken
    parents: list[list[int]] = field(default_factory=list)  # by step, the hypothesis each extends
    attended: list[list[int]] = field(default_factory=list)  # by step, argmax of a_t of each parent
    finished: list[Candidate] = field(default_factory=list)

    @property
    def shortest(self) -> int:
        """A finished translation has more words than this, ``</s>`` included."""
        return (self.source_length + 1) // 2

    @property
    def longest(self) -> int:
        """The search ends after so many words."""
        return 3 * (self.source_length + 1) // 2

    def read_back(self, k: int, last_attended: int | None, shift: int, score: float) -> Candidate:
        """Follow hypothesis ``k`` of the last step to its start.

        Args:
            k: the hypothesis.
            last_attended: the source position attended to in the step after the last word, if any.
            shift: 0 links a word by the weights of its own step, 1 by those of the next.
            score: its log p.
        """
        words: list[int] = []
        attended = [] if last_attended is None else [last_attended]
        for t in range(len(self.words) - 1, -1, -1):
            words.append(self.words[t][k])
            k = self.parents[t][k]
            if self.attended:
                attended.append(self.attended[t][k])
        words.reverse()
        attended.reverse()
        # A translation cut off at the longest length has no step after its last word.
        links = (
            attended[shift:]
            if len(attended) >= len(words) + shift
            else attended[shift:] + attended[-1:]
        )
        return Candidate(words, score, links[: len(words)])


@torch.inference_mode()
def search(
    models: Sequence[Translator], source: Tensor, lengths: Tensor, options: Search
) -> list[list[Candidate]]:
    """Translate N sentences; return each one's finished translations, in order of finishing.

    Args:
        models: one, or an ensemble with the same vocabularies and reading direction; in eval mode.
        source: ids as read, padded on the left, [N, M].
        lengths: words of each sentence, [N].
        options: beam and stopping.
    """
    decoders = []
    for model in models:
        memory, state = model.encode(source, lengths)
        decoders.append(_Decoder(model, memory, state))
    shift = link_shift(models, options.link_step)
    done = [_Sentence(n) for n in lengths.tolist()]
    live = list(done)
    words = torch.full((len(live), 1), options.bos, device=source.device)
    scores = torch.zeros(len(live), 1, device=source.device, dtype=models[0].W_s.dtype)
    t = 0
    while live:
        logits, weights = zip(*(decoder.step(words, t) for decoder in decoders), strict=True)
        log_p = log_probabilities(logits, options.average)
        looked_at = attended(averaged(weights), [decoder.memory for decoder in decoders])
        scores, parents, words = _extend(
            log_p, scores, live, looked_at, shift, options, first=t == 0
        )
        t += 1
        ended = [
            _ended(*pair, t, shift, options) for pair in zip(live, scores.tolist(), strict=True)
        ]
        keep = [i for i, over in enumerate(ended) if not over]
        rows = torch.tensor(keep, dtype=torch.long, device=source.device)
        for decoder in decoders:
            decoder.select(rows, parents[rows])
        live = [live[i] for i in keep]
        words, scores = words[rows], scores[rows]
    return [sentence.finished for sentence in done]


def _extend(
    log_p: Tensor,
    scores: Tensor,
    live: list[_Sentence],
    attended: list[list[int]],
    shift: int,
    options: Search,
    first: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Take the best continuations; return scores, parents and words, each [N, B].

    Finished translations go to their sentences, and the step is written to the histories.
    """
    if first:
        log_p[..., options.eos] = -torch.inf
    # A beam of 1 also looks at its second word, so that </s> cannot leave it with nothing.
    proposed = min(max(options.beam, 2), log_p.shape[-1])
    top, top_words = log_p.topk(proposed, dim=-1)  # [N, K, proposed]
    totals = (scores[:, :, None] + top).flatten(1)
    ranked, order = totals.sort(dim=1, descending=True, stable=True)
    ranked_words = top_words.flatten(1).gather(1, order)
    ranked_parents = order // proposed
    ends = ranked_words == options.eos
    kept, missing = _first_ranks(~ends, options.beam)
    ranks = torch.arange(ends.shape[1], device=ends.device)
    finishing = (ends & ((ranks < kept[:, -1:]) | missing[:, -1:])).nonzero()
    at = finishing.unbind(1)
    for i, total, parent in zip(
        at[0].tolist(), ranked[at].tolist(), ranked_parents[at].tolist(), strict=True
    ):
        sentence = live[i]
        enough = len(sentence.finished) >= options.candidates
        if enough or len(sentence.words) + 1 <= sentence.shortest or total == -torch.inf:
            continue
        last = attended[i][parent] if attended else None
        sentence.finished.append(sentence.read_back(parent, last, shift, total))
    words, parents = ranked_words.gather(1, kept), ranked_parents.gather(1, kept)
    scores = ranked.gather(1, kept).masked_fill(missing, -torch.inf)
    for i, (row_words, row_parents) in enumerate(
        zip(words.tolist(), parents.tolist(), strict=True)
    ):
        live[i].words.append(row_words)
        live[i].parents.append(row_parents)
        if attended:
            live[i].attended.append(attended[i])
    return scores, parents, words


def _first_ranks(wanted: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the ranks of the first ``count`` True entries of each row, and where a row has fewer.

    Only a vocabulary smaller than the beam leaves fewer; their rank is then 0 and means nothing.
    """
    place = wanted.long().cumsum(1) * wanted  # 1 for the first True, 2 for the second, ..
    found = place[:, None, :] == torch.arange(1, count + 1, device=wanted.device)[None, :, None]
    return found.long().argmax(-1), ~found.any(-1)


def _ended(sentence: _Sentence, scores: list[float], t: int, shift: int, options: Search) -> bool:
    """Whether the search of a sentence is over after ``t`` words; then it has a finished translation."""
    finished = sorted((c.score for c in sentence.finished), reverse=True)
    n = options.best
    if n is not None and len(finished) >= n and finished[n - 1] >= max(scores):
        return True
    if t < sentence.longest and len(finished) < options.candidates:
        return False
    if not finished:
        for k, score in enumerate(scores):
            sentence.finished.append(sentence.read_back(k, None, shift, score))
    return True
