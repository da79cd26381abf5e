"""Does attention look beside the right word? Move its links by one source word or two, and score them.

    python examples/shifted_links.py params.yaml global_dot_feed local_p_general_feed

It prints the alignment error rate of each model's attention, at both steps at which it can be read,
with its links moved along the source. If the rate is lower at +1 than at -1, more links lie on the
word to the left of the right one; if it is lower at -1, on the word to its right. The models must be
trained, and the stage translate must have run. docs/evidence.md shows what came out for captions.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from attnmt.config import LinkStep, load_params
from attnmt.corpora.links import Links
from attnmt.layout import Layout
from attnmt.scoring.aer import aer
from attnmt.scoring.alignment import read_forced
from attnmt.scoring.reference_links import reference_links
from attnmt.text.encoded import EncodedSets

SHIFTS = (-2, -1, 0, 1, 2)  # source words


def moved(links: Links, shift: int, source_words: int) -> Links:
    """Return links (source, target) moved along the source; drop those that leave the sentence."""
    return [(i + shift, j) for i, j in links if 0 <= i + shift < source_words]


def main(params_file: str, *names: str) -> None:
    """Print a line for each model and step, with the error rate at each shift in percent."""
    params = load_params(Path(params_file))
    (aligned, *_) = params.sets.aligned
    steps: Sequence[LinkStep] = get_args(LinkStep)
    print(f"{aligned:32} {'step':6}", *(f"{shift:+6}" for shift in SHIFTS))
    for name in names:
        system = params.translators(name)
        if params.direction(name) == "backward":
            sys.exit(f"{name} translates backward; name a model that reads the experiment's source")
        data = EncodedSets(Layout(params.experiment).encoded(system.family))
        lengths = [source for source, _ in data.word_counts(aligned, *params.languages.codes)]
        gold = reference_links(params, aligned, system.family).links
        sure, possible = [one.sure for one in gold], [one.possible for one in gold]
        for step, links in read_forced(params, name, aligned, steps).items():
            rates = []
            for shift in SHIFTS:
                pairs = zip(links, lengths, strict=True)
                rates.append(aer([moved(line, shift, n) for line, n in pairs], sure, possible))
            print(f"{name:32} {step:6}", *(f"{100 * rate:6.1f}" for rate in rates))


if __name__ == "__main__":
    main(*sys.argv[1:])
