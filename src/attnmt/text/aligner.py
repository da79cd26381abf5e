"""Word alignment by SIL's Thot: its Eflomal model in both directions, and the links on which both agree.

The model is that of Östling and Tiedemann, "Efficient Word Alignment with Markov Chain Monte Carlo"
(PBML 2016): Gibbs sampling of IBM Model 1, then of an HMM, then of an HMM with fertilities. It stands in
for the paper's Berkeley Aligner, an HMM whose two directions are trained to agree. No package registry
has that aligner.
"""

from collections.abc import Iterable, Iterator
from importlib.metadata import version

import numpy as np
from thot.alignment import EflomalAlignmentModel, SymmetrizationHeuristic, SymmetrizedAlignmentModel
from thot.common import WordAlignmentMatrix

from attnmt.corpora.links import Links
from attnmt.files.progress import progress

Pair = tuple[list[str], list[str]]  # the tokens of a sentence and its translation
SYSTEM = f"Thot {version('sil-thot')}, Eflomal"
SEED = 2015
LONGEST = 1024  # words of the longest sentence that the model takes


class Aligner:
    """Learns from pairs of tokenized sentences and links their words, or those of other pairs.

    A link must be the most probable one in both directions. Such links are precise rather than
    complete, which suits a dictionary. They depend only on the pairs. The fewer the pairs, the
    more often Thot's sampler visits each of them. A pair has no links if a side is empty or has more
    than ``LONGEST`` words.

    Each word of either language takes some 180 bytes of memory: 500,000 pairs of WMT text, about 4.5 GB.
    """

    def __init__(
        self, pairs: Iterable[Pair], total: int | None = None, part: str = "all pairs"
    ) -> None:
        """Learn from ``pairs``, of which there are ``total``; ``part`` names them in a log."""
        forward, backward = _model(), _model()
        for source, target in progress(pairs, f"{part}, reading", total, "pairs"):
            forward.add_sentence_pair(source, target)
            backward.add_sentence_pair(target, source)
        for model, direction in ((forward, "forward"), (backward, "backward")):
            model.start_training()
            scheduled = model.scheduled_iterations
            what = f"{part}, aligning {direction}"
            for _ in progress(range(scheduled), what, scheduled, "iterations"):
                model.train()
            model.end_training()
        self._count = forward.num_sentence_pairs
        self._both = SymmetrizedAlignmentModel(forward, backward)
        self._both.heuristic = SymmetrizationHeuristic.INTERSECTION

    def learned_links(self) -> Iterator[Links]:
        """Yield the links of each pair that was learned from, in order, as the sampler left them."""
        for number in range(self._count):
            yield _links(self._both.get_training_alignment(number)[1])

    def align(self, source: list[str], target: list[str]) -> Links:
        """Return the links of any pair, including one that was not learned from."""
        if not 0 < len(source) <= LONGEST or not 0 < len(target) <= LONGEST:
            return []
        return _links(self._both.get_best_alignment(source, target)[1])


def _links(matrix: WordAlignmentMatrix) -> Links:
    return [(i, j) for i, j in np.argwhere(matrix.to_numpy()).tolist()]


def _model() -> EflomalAlignmentModel:
    model = EflomalAlignmentModel()
    model.seed = SEED
    model.deterministic = True
    model.emit_training_alignments = True  # the sampler's links; aligning again is worse
    return model
