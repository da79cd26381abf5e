"""How well do trained models translate a set that no stage has read?

    python examples/other_set.py params.yaml other.en other.de global_dot_feed ensemble > other.csv

The two files are plain text, a sentence a line, in the experiment's order of languages. For each model
or ensemble it prints BLEU on tokens, as the report's tables have it, before unknown words are replaced
and after. A model that translates backward reads the second file. The models must be trained, and the
stage translate must have run for them.
"""

import csv
import sys
from pathlib import Path

import attnmt
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.files.text_file import read_lines
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.system_outputs import Text
from attnmt.text.tokenizer import tokenizer


def bleu(model: attnmt.Translator, sources: list[str], references: list[str]) -> list[float]:
    """Return BLEU before unknown words are replaced, and after."""
    translator = model.translator
    rule = tokenizer(translator.target.language, model.params.tokenize.split_hyphens)
    read = [translator.data.words(translator.target.units(line)) for line in references]
    against = References(Text(read, rule).tokens)
    translations = model.translate(sources)
    versions = [t.words for t in translations], [t.replaced for t in translations]
    return [METRICS["tokenized"].value(Text(words, rule).tokens, against) for words in versions]


def main(params_file: str, source: str, target: str, *names: str) -> None:
    """Print a line for each model: the set, its lines, the model, and both scores."""
    files = Path(source), Path(target)
    lines, sides = count_parallel_lines(files), [read_lines(file) for file in files]
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["set", "lines", "model", "before", "after"])
    for name in names:
        model = attnmt.load(params_file, name)
        text = dict(zip(model.params.languages.codes, sides, strict=True))
        scores = bleu(model, *(text[code] for code in model.params.sides(name)))
        table.writerow([files[0].stem, lines, name, *(f"{score:.4f}" for score in scores)])
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
