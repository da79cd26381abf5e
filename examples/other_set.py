"""How well do trained models translate a set that no stage has read?

    python examples/other_set.py params.yaml other.en other.de global_dot_feed ensemble > other.csv

The two files are plain text, a sentence a line, in the experiment's order of languages. For each model
or ensemble it prints BLEU on tokens, as the report's tables have it, before unknown words are replaced
and after. A model that translates backward reads the second file. The models must be trained, and the
stage translate must have run for them.
"""

import csv
import sys
from collections.abc import Iterable
from pathlib import Path

import attnmt
from attnmt.config import load_params
from attnmt.files.text_file import read_lines
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.system_outputs import Text
from attnmt.text.tokenizer import tokenizer


def bleu(model: attnmt.Translator, sources: list[str], references: list[str]) -> list[float]:
    """Return BLEU before unknown words are replaced, and after."""
    translator, language = model.translator, model.translator.target.language
    rule = tokenizer(language, model.params.tokenize.split_hyphens)

    def tokens(sentences: Iterable[list[str]]) -> list[str]:
        return Text([*sentences], rule).tokens

    read = (translator.data.words(translator.target.units(line)) for line in references)
    against = References(tokens(read))
    translations = model.translate(sources)
    versions = (t.words for t in translations), (t.replaced for t in translations)
    return [METRICS["tokenized"].value(tokens(one), against) for one in versions]


def main(params_file: str, source: str, target: str, *names: str) -> None:
    """Print a line for each model: the set, its lines, the model, and both scores."""
    params = load_params(Path(params_file))
    files = zip(params.languages.codes, (source, target), strict=True)
    text = {code: read_lines(Path(file)) for code, file in files}
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["set", "lines", "model", "before", "after"])
    for name in names:
        sources, references = (text[code] for code in params.sides(name))
        scores = bleu(attnmt.load(params_file, name), sources, references)
        table.writerow([Path(source).stem, len(sources), name, *(f"{one:.4f}" for one in scores)])
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
