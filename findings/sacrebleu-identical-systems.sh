#!/usr/bin/env bash
# sacrebleu 2.6.0: `--paired-ar` says p = 0.0001 for two systems with the same translations.
#
# One would guess: a system that is compared with a copy of itself has p = 1.
# What happens: the test counts only shuffles whose difference is larger than the observed one, and none is
# larger than 0. So p is the smallest that it can be, and the copy is marked as significantly different. Two
# systems that differ in a single sentence get the same p. Equal differences (ties) must count, too.
# Why it matters here: systems of one family often give equal translations of short sentences. The project
# shuffles as sacrebleu does but counts ties (src/attnmt/scoring/significance.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
for number in $(seq 40); do echo "this is the sentence with the number $number in it"; done > "$folder/reference"
sed 's/the number/a number/' "$folder/reference" > "$folder/one"
cp "$folder/one" "$folder/two"
sed '7s/sentence/phrase/' "$folder/one" > "$folder/three"
said=$("$folder/venv/bin/sacrebleu" "$folder/reference" -i "$folder/one" "$folder/two" "$folder/three" -m bleu \
    --paired-ar --format json)
echo "$said"
python3 - "$said" <<'PY'
import json, sys
one, two, three = (line["BLEU"] for line in json.loads(sys.argv[1]))
print(f"a copy: {two['score']} against {one['score']}, p = {two['p_value']:.4f}")
print(f"one other sentence: {three['score']} against {one['score']}, p = {three['p_value']:.4f}")
assert one["score"] == two["score"] and two["p_value"] < 0.001, (one, two)
assert three["p_value"] < 0.001, three
PY
