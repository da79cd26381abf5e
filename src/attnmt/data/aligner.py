"""Word alignment by SIL's Thot: its Eflomal model in both directions, and the links on which both agree.

The model is that of Östling and Tiedemann, "Efficient Word Alignment with Markov Chain Monte Carlo"
(PBML 2016): Gibbs sampling of IBM Model 1, then of an HMM, then of an HMM with fertilities. It stands in
for the paper's Berkeley Aligner, an HMM trained for both directions to agree, which no package registry
has.
"""

from collections.abc import Iterable, Iterator
from importlib.metadata import version

import numpy as np
from thot.alignment import EflomalAlignmentModel, SymmetrizationHeuristic, SymmetrizedAlignmentModel
from tqdm import tqdm

from attnmt.data.links import Links

SYSTEM = f"Thot {version('sil-thot')}, Eflomal"
SEED = 2015


def align(pairs: Iterable[tuple[list[str], list[str]]]) -> Iterator[Links]:
    """Yield the links of each pair of tokenised sentences, in their order, learned from all of them.

    Links are those that both directions hold most probable: precise rather than complete, which is
    what a dictionary wants. They depend on nothing but the pairs. The fewer the pairs, the more often
    the sampler visits each; Thot sees to that. A pair has no links if a side is empty or has more words
    than the model takes (1,024).

    Memory: some 180 bytes a word, both languages counted; 500,000 pairs of WMT text take about 4.5 GB.
    """
    forward, backward = _model(), _model()
    for source, target in pairs:
        forward.add_sentence_pair(source, target)
        backward.add_sentence_pair(target, source)
    _train(forward, "aligning, forward")
    _train(backward, "aligning, backward")
    both = SymmetrizedAlignmentModel(forward, backward)
    both.heuristic = SymmetrizationHeuristic.INTERSECTION
    for number in range(forward.num_sentence_pairs):
        _, matrix = both.get_training_alignment(number)
        yield [(i, j) for i, j in np.argwhere(matrix.to_numpy()).tolist()]


def _model() -> EflomalAlignmentModel:
    model = EflomalAlignmentModel()
    model.seed = SEED
    model.deterministic = True
    model.emit_training_alignments = True  # the sampler's own, better than aligning the text anew
    return model


def _train(model: EflomalAlignmentModel, description: str) -> None:
    model.start_training()
    for _ in tqdm(range(model.scheduled_iterations), description, disable=None):
        model.train()
    model.end_training()
