"""How much BLEU do words outside the vocabulary cost, and how many of them can a dictionary bring back?

    python examples/unknown_words.py params.yaml base_reverse global_dot_feed

For each model it prints BLEU on tokens for three groups of the first test set: all sentences, those
whose references have only known words, and the rest. Unknown words are not yet replaced. In the last
column, <unk> stands in place of each unknown word of the references, so a model that writes it there is
correct. The last line says how many unknown words the dictionary would get right by the links that AER
is measured against: from source to target, with the vocabulary of the first model. The models must be
trained, and the stage translate must have run. docs/evidence.md shows what came out for captions.
"""

import sys
from collections.abc import Container, Sequence
from pathlib import Path

from attnmt.config import load_params
from attnmt.corpora.links import Links
from attnmt.decoding.unknown import replace_unknown
from attnmt.layout import Layout
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.reference_links import reference_links
from attnmt.scoring.replacements import Sentences, count_replacements
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.dictionary import Dictionary
from attnmt.text.encoded import EncodedSets
from attnmt.text.vocabulary import SPECIAL, UNK


def with_unk(sentences: Sentences, vocabulary: Container[str]) -> list[list[str]]:
    """Return the sentences with <unk> in place of each unknown word."""
    return [[w if w in vocabulary else SPECIAL[UNK] for w in words] for words in sentences]


def scores(
    translations: Sentences, references: Sentences, vocabulary: Container[str]
) -> list[float]:
    """Return BLEU of all sentences, of those with known words only, of the rest, and with <unk>.

    An empty group has the score nan.
    """
    read = with_unk(references, vocabulary)
    every = range(len(read))
    known = [i for i in every if SPECIAL[UNK] not in read[i]]
    rest = [i for i in every if SPECIAL[UNK] in read[i]]

    def bleu(rows: Sequence[int], against: Sentences) -> float:
        ours, theirs = ([" ".join(side[i]) for i in rows] for side in (translations, against))
        return METRICS["tokenized"].value(ours, References(theirs)) if rows else float("nan")

    return [*(bleu(rows, references) for rows in (every, known, rest)), bleu(every, read)]


def restored(
    references: Sentences,
    sources: Sentences,
    links: Sequence[Links],
    vocabulary: Container[str],
    dictionary: Dictionary,
) -> tuple[int, int]:
    """Return how many unknown words of the references replacement gets right, and how many there are."""
    read = with_unk(references, vocabulary)
    replaced = [
        replace_unknown(words, source, line, dictionary)
        for words, source, line in zip(read, sources, links, strict=True)
    ]
    counts = count_replacements(read, replaced, sources, references, vocabulary)
    return counts["right"], counts["unknown"]


def main(params_file: str, *names: str) -> None:
    """Print a line for each model, with its four scores, and what the dictionary can bring back."""
    params = load_params(Path(params_file))
    layout, test = Layout(params.experiment), params.sets.tests[0]
    print(f"{test:32} {'all':>6} {'known':>6} {'rest':>6} {'<unk>':>6}")
    for name in names:
        data = EncodedSets(layout.encoded(params.translators(name).family))
        if data.pieces:
            sys.exit(f"{name} reads pieces of words; name a model that reads words")
        outputs = Outputs.read(params, name, test)
        vocabulary = data.vocabulary(params.sides(name)[1])
        found = scores(outputs.before.sentences, outputs.reference.sentences, vocabulary)
        print(f"{name:32}", *(f"{value:6.2f}" for value in found))
    family, aligned = params.translators(names[0]).family, params.sets.aligned[0]
    source, target = params.languages.codes
    data = EncodedSets(layout.encoded(family))
    kind, links = reference_links(params, aligned, family)
    right, unknown = restored(
        data.units(aligned, target),
        data.units(aligned, source),
        [line.sure for line in links],
        data.vocabulary(target),
        Dictionary.load(
            layout.dictionary_file(source, target),
            lowercase=params.families[family].encoding.lowercase,
        ),
    )
    print(f"{aligned}: with {kind} links, {right} of {unknown} unknown words would be right.")


if __name__ == "__main__":
    main(*sys.argv[1:])
