"""What is scored and no model: the outside aligner's links, diagonal links, and the dictionaries."""

from collections.abc import Callable, Sequence
from itertools import product

from attnmt.config import ALIGNER, DIAGONAL, DICTIONARY, DIRECTIONS, Params
from attnmt.corpora.links import Links
from attnmt.layout import Layout
from attnmt.scoring.alignment import diagonal_links, score_links
from attnmt.scoring.evaluate import Evaluated, Measured
from attnmt.scoring.numbers import SHA_DIGITS
from attnmt.scoring.reference_links import (
    aligner_links,
    link_kind,
    reference_links,
    token_counts,
)
from attnmt.text.aligner_result import read_aligner
from attnmt.text.dictionary import Dictionary
from attnmt.text.encoded import EncodedSets


def evaluate_aligner(params: Params) -> Evaluated:
    """Return the error rates of the outside aligner, but none against silver links, which are its own.

    Raises:
        InputError: if a file is missing or damaged, as in all functions here.
    """
    gold = [name for name in params.sets.aligned if link_kind(params, name) == "gold"]
    links = {name: [line.sure for line in aligner_links(params, name)] for name in gold}
    how = read_aligner(params).system
    return Evaluated.of(_rate(params, ALIGNER, *one, how) for one in links.items())


def evaluate_diagonal(params: Params) -> Evaluated:
    """Return the error rates of links that need no model."""
    links = {name: diagonal_links(token_counts(params, name)) for name in params.sets.aligned}
    return Evaluated.of(_rate(params, DIAGONAL, *one, None) for one in links.items())


def _rate(
    params: Params, name: str, aligned: str, links: Sequence[Links], how: str | None
) -> Measured:
    reference = reference_links(params, aligned)
    score, counts = score_links(links, reference, params.evaluation.bootstrap_samples)
    fields = {
        "kind": "system",
        "system": name,
        "set": aligned,
        "metric": "aer",
        "lines": len(links),
    }
    fields |= {"reference": reference.digest[:SHA_DIGITS]}
    return fields | score._asdict() | {"signature": how}, counts


def evaluate_dictionaries(params: Params) -> Evaluated:
    """Return counts of both dictionaries, for each family that reads words.

    ``entries`` counts the source words, ``outside`` those that the family's vocabulary lacks, and
    ``translated_outside`` those whose best translation the vocabulary of the other language lacks.
    """
    layout, how = Layout(params.experiment), str(read_aligner(params))
    measured: list[Measured] = []
    for direction, (name, family) in product(DIRECTIONS, params.families.items()):
        if family.encoding.pieces is not None:
            continue
        source, target = (side.code for side in params.languages.sides(direction))
        path = layout.dictionary_file(source, target)
        dictionary = Dictionary.load(path, lowercase=family.encoding.lowercase)
        data = EncodedSets(layout.encoded(name))
        sources, targets = data.vocabulary(source), data.vocabulary(target)
        common = {"kind": "system", "system": DICTIONARY, "family": name, "direction": direction}
        for metric, value in {
            "entries": len(dictionary),
            "outside": sum(word not in sources for word in dictionary),
            "translated_outside": sum(dictionary.best(word) not in targets for word in dictionary),
        }.items():
            fields = common | {"metric": metric, "value": value, "signature": how}
            measured.append((fields, None))
    return Evaluated.of(measured)


EVALUATE: dict[str, Callable[[Params], Evaluated]] = {
    ALIGNER: evaluate_aligner,
    DIAGONAL: evaluate_diagonal,
    DICTIONARY: evaluate_dictionaries,
}
