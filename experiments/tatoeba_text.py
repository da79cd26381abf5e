"""Write the text of the experiments tatoeba-10k, tatoeba-50k and tatoeba-160k, which is not in git.

    python experiments/tatoeba_text.py deu-eng.tsv.gz newstest

The first file has an English sentence and its German translation on each line, with a tab between
them. deu.txt in deu-eng.zip of https://www.manythings.org/anki/ (Tatoeba, CC BY 2.0) is such a file. It
may be gzipped, and further columns are left out. The folder newstest must hold newstest2013.{en,de}, and
the paper's newstest2014 (2,737 lines) under the name newstest2014-filtered.{en,de}. Both come with the
data of WMT'14.

2,000 English sentences are drawn, 1,000 for dev and 1,000 for test, each with its first translation. All
other pairs are for training, in shuffled order. There an English sentence may occur with several
translations. A smaller training text is the beginning of the larger ones.
"""

import gzip
import shutil
import sys
from pathlib import Path

import numpy as np

SIZES = {"tatoeba-10k": 10_000, "tatoeba-50k": 50_000, "tatoeba-160k": 160_000}
HELD_OUT, SEED = 1000, 2015
NEWS = {"newstest2013": "newstest2013", "newstest2014": "newstest2014-filtered"}


def main(pairs: Path, news: Path) -> None:
    """Write ``experiments/<name>/text/`` of each experiment."""
    rows = read_pairs(pairs)
    rng = np.random.default_rng(SEED)
    first = {english: (english, german) for english, german in reversed(rows)}
    english_sentences = list(dict.fromkeys(english for english, _ in rows))
    drawn = [
        english_sentences[at] for at in rng.permutation(len(english_sentences))[: 2 * HELD_OUT]
    ]
    dev, test = (
        [first[english] for english in part] for part in (drawn[:HELD_OUT], drawn[HELD_OUT:])
    )
    held_out = set(drawn)
    rest = [row for row in rows if row[0] not in held_out]
    train = [rest[at] for at in rng.permutation(len(rest))]
    if len(train) < max(SIZES.values()):
        sys.exit(
            f"{pairs}: {len(train):,} pairs are left to train on; {max(SIZES.values()):,} are needed"
        )
    for name, size in SIZES.items():
        folder = Path(__file__).parent / name / "text"
        folder.mkdir(exist_ok=True)
        for part, chosen in {"train": train[:size], "dev": dev, "test": test}.items():
            for side, language in enumerate(("en", "de")):
                text = "".join(f"{row[side]}\n" for row in chosen)
                (folder / f"{part}.{language}").write_text(text, encoding="utf-8")
        for part, file in NEWS.items():
            for language in ("en", "de"):
                shutil.copyfile(news / f"{file}.{language}", folder / f"{part}.{language}")
        print(f"{folder}: {size:,} training pairs, {HELD_OUT:,} in dev and in test")


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Return the English and the German sentence of each line."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as stream:
        columns = [[cell.strip() for cell in line.split("\t")[:2]] for line in stream]
    return [(english, german) for english, german in columns if english and german]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
