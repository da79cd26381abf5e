#!/usr/bin/env bash
# sacrebleu 2.6.0: TER counts every word as wrong if a long line lacks its first 25 words.
#
# One would guess: TER is at most the share of words that one must delete, insert or replace (WER), because it
# also allows shifts. A line of 100 words that skips the first 24 and ends with 24 others needs 48 edits, and one
# that skips 25 needs 50.
# What happens: 48 edits, and then 100. The search for the edits leaves a band of 25 words around the diagonal
# out of sight, as the program tercom does, and says nothing of it. So 75 words in the right order count for
# nothing. A line that skips 25 words and adds none moves the band: it gets 28 edits where 25 are enough.
# Why it matters here: a recurrent model skips or repeats part of a long line more often than others do. For lines
# of more than 50 words TER is an upper bound. BLEU and chrF2 have no such band, and the claims of this project
# are about BLEU.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
"$folder/venv/bin/python" - <<'PY'
from sacrebleu.metrics import TER


def distance(words, others):
    """Levenshtein's distance between two lists of words."""
    above = list(range(len(others) + 1))
    for i, word in enumerate(words, 1):
        row = [i]
        for j, other in enumerate(others, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != other)))
        above = row
    return above[-1]


def edits(words):
    return int(TER().sentence_score(" ".join(words), [" ".join(reference)]).num_edits)


reference = [f"word{i}" for i in range(100)]
found = {}
for skipped in (24, 25):
    filled = reference[skipped:] + [f"other{i}" for i in range(skipped)]
    found[skipped] = edits(filled), distance(filled, reference), edits(reference[skipped:])
    print(f"{skipped} words skipped: TER has %d edits, Levenshtein %d; not filled: TER has %d" % found[skipped])
assert found == {24: (48, 48, 24), 25: (100, 50, 28)}, found
PY
