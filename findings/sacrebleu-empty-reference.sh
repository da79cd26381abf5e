#!/usr/bin/env bash
# sacrebleu 2.6.0: where a sentence lacks one of several references, '' and None are not the same.
#
# One would guess that both leave the reference out: the docstring of Metric._cache_references offers either
# where sentences have different numbers of references, and so does a comment of the command line.
#
# What happens: only None is left out. '' is a reference of no words. TER divides by the mean length of the
# references, so it rises (here from 27.27 to 35.29). BLEU compares with the reference that is nearest in
# length, so a translation of two words, whose only reference has six, gets no brevity penalty. The
# signature says nrefs:2, and nrefs:var with None. A text file cannot hold None, so the command line cannot
# leave a reference out at all.
#
# Why it matters here: test sets of WMT since 2021 have segments that one of their translators lacks. In
# plain files these are empty lines, which must become None before sacrebleu sees them.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import subprocess
import sys
from pathlib import Path

from sacrebleu.metrics import BLEU, TER

hypotheses = ["the cat sat on the mat", "a dog ran home quickly"]
first = ["the cat is on the mat", "the dog ran home fast"]
ter = {}
for missing in ("", None):
    metric = TER()
    score = metric.corpus_score(hypotheses, [first, ["the cat sat on a mat", missing]]).score
    ter[missing] = (round(score, 2), str(metric.get_signature()).split("|")[0])
    print(f"TER, missing reference is {missing!r}: {ter[missing]}")
assert ter == {"": (35.29, "nrefs:2"), None: (27.27, "nrefs:var")}, ter

hypotheses = ["the cat sat on the mat today", "old houses"]
first = ["the cat sat on the mat today", "the very old houses stand there"]
penalty = {}
for missing in ("", None):
    score = BLEU().corpus_score(hypotheses, [first, [first[0], missing]])
    penalty[missing] = (round(score.bp, 3), score.ref_len)
    print(f"BLEU, missing reference is {missing!r}: brevity penalty, length of references {penalty[missing]}")
assert penalty == {"": (1.0, 7), None: (0.641, 13)}, penalty

for name, lines in {"hyp": hypotheses, "ref1": first, "ref2": [first[0], ""]}.items():
    Path(name).write_text("".join(f"{line}\n" for line in lines))
command = [sys.executable, "-m", "sacrebleu", "ref1", "ref2", "-i", "hyp", "-m", "bleu", "-f", "text"]
printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
print("command line, empty line in ref2:", printed.strip())
assert "nrefs:2" in printed and "BP = 1.000" in printed, printed
PY
echo "as described"
