#!/usr/bin/env bash
# sacrebleu 2.6.0: its default BLEU counts an unknown word, <unk>, as three wrong tokens.
#
# One would guess: a translation with <unk> in place of a word has the BLEU of one with any other wrong word.
# What happens: the tokens of mteval-v13a are "<", "unk" and ">". The translation is longer by two, and more
# of its n-grams are wrong, so BLEU is lower.
# Why it matters here: by this BLEU, replacing unknown words gains more than by multi-bleu on tokens, as the
# paper's Table 1 counts it, and systems of subwords, which have no <unk>, look better (docs/report.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
for number in $(seq 40); do
    echo "two dogs run over the green grass behind house $number ."
done > "$folder/reference"
sed 's/green/<unk>/' "$folder/reference" > "$folder/unknown"
sed 's/green/unk/' "$folder/reference" > "$folder/wrong"
"$folder/venv/bin/python" - "$folder" <<'PY'
import sys
from pathlib import Path
from sacrebleu.metrics import BLEU

read = {path.name: path.read_text().splitlines() for path in Path(sys.argv[1]).iterdir() if path.is_file()}
found = {}
for tokens in ("13a", "none"):
    bleu = BLEU(tokenize=tokens)
    for name in ("unknown", "wrong"):
        score = bleu.corpus_score(read[name], [read["reference"]])
        found[tokens, name] = score.score
        print(f"{tokens}, {name} word: BLEU {score.score:.2f}, {score.sys_len} tokens")
assert found["none", "unknown"] == found["none", "wrong"], found
assert found["13a", "unknown"] < found["13a", "wrong"] - 3, found
PY
