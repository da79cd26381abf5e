"""How much BLEU do words outside the vocabulary cost? Score the sentences with and without them apart.

    python examples/unknown_words.py params.yaml base_reverse global_dot_feed

It prints BLEU on tokens for each model, before unknown words are replaced: of all sentences of the first
test set, of those whose references have only known words, and of the others. In the last column, every
unknown word of the references is read as <unk>, so a model that writes <unk> there is right. The models
must be trained, and the stage translate must have run. docs/results.md shows what came out for Multi30k.
"""

import sys
from collections.abc import Container, Sequence
from pathlib import Path

from attnmt.config import load_params
from attnmt.layout import Layout
from attnmt.scoring.scripts import References, score_alone
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.encoded import EncodedSets
from attnmt.text.vocabulary import SPECIAL, UNK

Sentences = Sequence[Sequence[str]]  # the words of each sentence


def scores(
    translations: Sentences, references: Sentences, vocabulary: Container[str]
) -> list[float]:
    """Return BLEU of all sentences, of those with known words only, of the others, and with <unk>.

    A group without a sentence has the score nan.
    """
    read = [[w if w in vocabulary else SPECIAL[UNK] for w in words] for words in references]
    every = range(len(read))
    known = [i for i in every if SPECIAL[UNK] not in read[i]]
    others = [i for i in every if SPECIAL[UNK] in read[i]]

    def bleu(rows: Sequence[int], against: Sentences) -> float:
        ours, theirs = ([" ".join(side[i]) for i in rows] for side in (translations, against))
        return score_alone("tokenized", ours, References(theirs)) if rows else float("nan")

    return [*(bleu(rows, references) for rows in (every, known, others)), bleu(every, read)]


def main(params_file: str, *names: str) -> None:
    """Print a line for each model, with its four scores."""
    params = load_params(Path(params_file))
    test = params.sets.tests[0]
    print(f"{test:32} {'all':>6} {'known':>6} {'others':>6} {'<unk>':>6}")
    for name in names:
        outputs = Outputs.read(params, name, test)
        data = EncodedSets(Layout(params.experiment).encoded(params.translators(name).family))
        vocabulary = data.vocabulary(params.sides(name)[1])
        found = scores(outputs.before.sentences, outputs.reference.sentences, vocabulary)
        print(f"{name:32}", *(f"{value:6.2f}" for value in found))


if __name__ == "__main__":
    main(*sys.argv[1:])
