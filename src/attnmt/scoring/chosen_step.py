"""Which step of attention links the words of a model: the choices on the development set.

Each step is chosen by its use. The set's references are force-decoded once. To replace unknown words,
each of theirs is replaced by either step's link, and the step that brings back more words of the
references is chosen. To measure links, the step is chosen whose links are nearer to those of the outside
aligner, by their alignment error rate. Only attention of a good model brings many words back, and a few
do not tell how all words are linked. Neither choice needs gold links or a search, so both work for every
model, ensemble and text. A tie in one, as without any unknown word, is decided by the other.
"""

from collections.abc import Sequence

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped
from attnmt.decoding.link_step import OFFSETS, Reading, decide
from attnmt.decoding.pipeline import TranslationPipeline, authors_step
from attnmt.decoding.unknown import unknown_places
from attnmt.scoring.aer import aer
from attnmt.scoring.reference_links import aligner_links

DIGITS = 6  # decimals of an error rate that are kept; equal ones are a tie


def silver_links(params: Params, name: str) -> list[Links]:
    """Return the outside aligner's links of the development set's words, as a system reads them.

    The links go from the language that the system reads to the one that it writes.

    Raises:
        InputError: if the file is missing, or does not fit the set's sentences.
    """
    lines = aligner_links(params, params.sets.dev, params.translators(name).family)
    backward = params.sides(name)[0] != params.languages.source.code
    return [flipped(line.sure) if backward else line.sure for line in lines]


def choose_reading(translator: TranslationPipeline, dev: str, silver: Sequence[Links]) -> Reading:
    """Return the step that is to replace unknown words, with the numbers that decide it and the other.

    A sentence counts for the unknown words only if it keeps its number of words when its unknown pieces
    are replaced by ``<unk>``. The model must have attention.

    Args:
        dev: the set that chooses; it must not be a test set.
        silver: the outside aligner's links of its words, in the direction of the translation.
    """
    data, vocabulary = translator.data, translator.target.vocabulary
    sides = translator.source, translator.target
    source, target = (data.units(dev, side.code) for side in sides)
    with_unk = [data.words(vocabulary.decode(vocabulary.encode(units))) for units in target]
    lines = [
        (words, data.words(read), data.words(reference))
        for words, read, reference in zip(with_unk, source, target, strict=True)
    ]
    hits = dict.fromkeys(OFFSETS, 0)
    unknown_words = 0
    links = translator.force_decode_set(dev).links
    for at, (words, read, reference) in enumerate(lines):
        places = unknown_places(words) if len(words) == len(reference) else []
        unknown_words += len(places)
        for step in OFFSETS:
            replaced = translator.without_unknown(words, read, links[step][at])
            hits[step] += sum(replaced[j] == reference[j] for j in places)
    rates = {step: round(aer(links[step], silver, silver), DIGITS) for step in OFFSETS}
    authors = authors_step(translator.models)
    chosen, decider = decide(hits, rates, authors)
    return Reading(
        set=dev,
        unknown_words=unknown_words,
        hits=hits,
        aer=rates,
        chosen=chosen,
        authors=authors,
        decided_by=decider,
    )
